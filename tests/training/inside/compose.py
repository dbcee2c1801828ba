"""Reads recipes with verl's own parser and checks, in the training interpreter; raises where verl would.

<training python> compose.py FOLDER...
"""

import sys

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import OmegaConf
from verl.trainer.ppo.utils import need_critic, need_reference_policy
from verl.utils.config import omega_conf_to_dataclass, validate_config

for folder in sys.argv[1:]:
    GlobalHydra.instance().clear()
    with initialize_config_dir(folder, version_base=None):
        config = compose("rl", overrides=["hydra.searchpath=[pkg://verl.trainer.config]"])
    OmegaConf.resolve(config)
    reference, critic = need_reference_policy(config), need_critic(config)
    validate_config(config=config, use_reference_policy=reference, use_critic=critic)
    actor = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
    actor.validate(config.actor_rollout_ref.actor.fsdp_config.get("n", 8), config.data.train_batch_size)
    rollout = omega_conf_to_dataclass(config.actor_rollout_ref.rollout)
    algorithm = omega_conf_to_dataclass(config.algorithm)
    (loop,) = OmegaConf.load(f"{folder}/agent_loop.yaml")
    print(
        config.actor_rollout_ref.model.path, type(actor).__name__, actor.optim.lr, actor.clip_ratio_high,
        rollout.n, rollout.max_model_len, rollout.tensor_model_parallel_size, algorithm.adv_estimator,
        config.trainer.n_gpus_per_node, reference, critic, loop.name, loop.settings.reward.alpha,
    )  # fmt: skip
