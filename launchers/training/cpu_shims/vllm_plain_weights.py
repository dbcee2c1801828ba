"""Keeps vLLM's linear weights as they are, so that they can be replaced while it runs.

On a CPU vLLM packs them for speed and forgets the plain ones; the weights of the next training step then have no place
to go. vLLM calls `register` as a plugin in each of its processes.
"""

from __future__ import annotations

import torch
from vllm.model_executor.layers import utils


def register() -> None:
    """Let linear layers on the CPU use torch's own function on plain weights."""

    def plain(layer, remove_weight=False):
        layer.cpu_linear = torch.nn.functional.linear

    utils.dispatch_cpu_unquantized_gemm = plain
