"""Takes the advantages of groups with verl's estimator and with ours, in the training interpreter.

    PYTHONPATH=<folder of the package> <training python> estimate.py < cases.json

A case is a list of rows: group, reward, how many tokens, and whether the rollout failed. Prints, for each case, the
advantage of each row's first token by ours and by verl's own, and whether any token of a failed row has one.
"""

import json
import sys

import torch
from verl.trainer.ppo.core_algos import compute_grpo_outcome_advantage, get_adv_estimator_fn

from envfactory.training.inside import estimator

WIDTH = 6

for case in json.load(sys.stdin):
    mask = torch.tensor([[0 if row["failed"] else int(n < row["tokens"]) for n in range(WIDTH)] for row in case])
    rewards = torch.zeros(len(case), WIDTH)
    for n, row in enumerate(case):
        rewards[n, row["tokens"] - 1] = row["reward"]
    groups = [row["group"] for row in case]
    registered = get_adv_estimator_fn("envfactory_grpo")
    if registered is not estimator.advantages:
        raise SystemExit("another estimator is registered")
    ours, returns = registered(token_level_rewards=rewards, response_mask=mask, index=groups, config={})
    theirs, _ = compute_grpo_outcome_advantage(rewards, mask, groups)
    undivided, _ = registered(rewards, mask, groups, config={"norm_adv_by_std_in_grpo": False})
    print(
        json.dumps(
            {
                "ours": ours[:, 0].tolist(),
                "theirs": theirs[:, 0].tolist(),
                "undivided": undivided[:, 0].tolist(),
                "beyond": bool((ours * (1 - mask)).any()),
                "returns": bool((ours == returns).all()),
                "finite": bool(torch.isfinite(ours).all()),
            }
        )
    )
