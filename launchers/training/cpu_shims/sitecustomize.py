"""Lets training reckon with the positions that can have a loss, which a CPU can afford, and not with all of them.

In fine-tuning with the history masked only the end of a sample is learned, some fifty of four thousand tokens; in
reinforcement learning what follows the prompt. Over a vocabulary of 152 thousand the rest costs gigabytes and nearly
all the time. Loss and gradient are the same. And vLLM may fork.

Python loads this module by its name when it starts; modules of others are changed if and when they are imported.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys

IGNORED = -100
FORK = "VLLM_WORKER_MULTIPROC_METHOD"


def _learned_end_only(qwen3) -> None:
    """Fine-tuning: logits from the first label on."""
    model_class = qwen3.Qwen3ForCausalLM
    forward = model_class.forward

    @functools.wraps(forward)
    def short(self, *args, labels=None, logits_to_keep=0, **kwargs):
        if labels is not None and isinstance(logits_to_keep, int) and logits_to_keep == 0:
            learned = (labels != IGNORED).any(dim=0).nonzero()
            if len(learned):
                # A token is predicted at the position before it.
                logits_to_keep = labels.shape[1] - max(0, int(learned[0]) - 1)
                labels = labels[:, -logits_to_keep:]
        return forward(self, *args, labels=labels, logits_to_keep=logits_to_keep, **kwargs)

    model_class.forward = short


def _responses_only(engine) -> None:
    """Reinforcement learning: probabilities from the end of the prompt on; before it they are read by nobody."""
    from torch.nn.functional import pad
    from verl.utils.experimental.torch_functional import FusedLinearForPPO

    prepare, forward = engine.FSDPEngineWithLMHead.prepare_model_inputs, FusedLinearForPPO.forward
    kept = 0

    def prepare_model_inputs(self, micro_batch):
        nonlocal kept
        lengths = micro_batch["responses"].offsets().diff() if "responses" in micro_batch else ()
        # Rows of different lengths are padded behind, and have no common end.
        kept = int(lengths[0]) + 1 if len(lengths) == 1 else 0
        return prepare(self, micro_batch)

    def short(self, hidden_states, vocab_weights, input_ids, temperature=1.0):
        before = hidden_states.shape[1] - kept
        if not kept or before <= 0:
            return forward(self, hidden_states, vocab_weights, input_ids, temperature)
        found = forward(self, hidden_states[:, before:], vocab_weights, input_ids[:, before:], temperature)
        return tuple(pad(values, (before, 0)) for values in found)

    engine.FSDPEngineWithLMHead.prepare_model_inputs = prepare_model_inputs
    FusedLinearForPPO.forward = short


def _forked(platform) -> None:
    """Serving: where it is asked, the engine is a fork of its server, and not a Python that imports everything anew."""
    updated = platform.CpuPlatform.check_and_update_config.__func__

    @functools.wraps(updated)
    def check_and_update_config(cls, *args, **kwargs):
        method = os.environ.get(FORK)
        updated(cls, *args, **kwargs)
        # vLLM sets it to "spawn" whatever was said.
        if method is not None:
            os.environ[FORK] = method

    platform.CpuPlatform.check_and_update_config = classmethod(check_and_update_config)


CHANGES = {
    "transformers.models.qwen3.modeling_qwen3": _learned_end_only,
    "verl.workers.engine.fsdp.transformer_impl": _responses_only,
    "vllm.platforms.cpu": _forked,
}


class _Finder:
    """Finds modules as everybody does, once each, and changes them after they are loaded."""

    def __init__(self):
        self.changes = dict(CHANGES)

    def find_spec(self, name, path=None, target=None):
        change = self.changes.pop(name, None)
        if change is None:
            return None
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def load_and_change(module):
            load(module)
            change(module)

        spec.loader.exec_module = load_and_change
        return spec


sys.meta_path.insert(0, _Finder())
