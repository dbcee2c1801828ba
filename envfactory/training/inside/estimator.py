"""Advantages of GRPO over the rollouts that came through, registered with verl as `envfactory_grpo`.

verl imports this in each of its processes (`VERL_USE_EXTERNAL_MODULES`).
"""

import torch
from verl.trainer.ppo.core_algos import register_adv_est

EPSILON = 1e-6


@register_adv_est("envfactory_grpo")
def advantages(token_level_rewards, response_mask, index, config=None, **_):
    """Reward less the mean of its group, by the group's standard deviation; 0 where there is nothing to compare with.

    A row whose mask is empty (a rollout that infrastructure broke, or padding) has no part in its group: it changes
    neither mean nor deviation, and gets no gradient. A group of which one rollout is left gives no gradient either.

    Args:
        token_level_rewards: of shape (rows, tokens); summed over the tokens.
        response_mask: of the same shape.
        index: the group of each row.
        config: verl's `algorithm`; without `norm_adv_by_std_in_grpo` nothing is divided.

    Returns:
        Advantages, and the same again as returns, of the same shape.
    """
    alive = response_mask.sum(dim=-1) > 0
    rewards = token_level_rewards.sum(dim=-1)
    divided = config is None or config.get("norm_adv_by_std_in_grpo", True)
    groups = {}
    for row, group in enumerate(index):
        if alive[row]:
            groups.setdefault(group, []).append(row)
    found = torch.zeros_like(rewards)
    for rows in groups.values():
        if len(rows) > 1:
            of_group = rewards[rows]
            found[rows] = of_group - of_group.mean()
            if divided:
                found[rows] /= of_group.std() + EPSILON
    spread = found.unsqueeze(-1) * response_mask
    return spread, spread
