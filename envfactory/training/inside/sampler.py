"""What verl samples a step's rollouts with: its own replay buffer, which also tells what came of them, term by term.

In training verl itself logs the reward alone.
"""

import transfer_queue as tq
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer

from envfactory.training.terms import step_terms


class Sampler(ReplayBuffer):
    """See the module docstring."""

    def sample(self, global_steps, partition_id, batch_size):
        """Sample as verl does, and add terms to the metrics; see `step_terms` for what it raises."""
        batch, metrics = super().sample(global_steps=global_steps, partition_id=partition_id, batch_size=batch_size)
        if partition_id == "train":
            data = tq.kv_batch_get(keys=batch.keys, partition_id=partition_id, select_fields=["extra_fields"])
            told = [getattr(fields, "data", fields) for fields in data["extra_fields"]]
            metrics.update(step_terms(told, batch_size * self.sampler_kwargs["group_size"], global_steps))
        return batch, metrics
