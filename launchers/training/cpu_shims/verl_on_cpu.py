"""A platform for verl that is the CPU, and what verl's worker takes for granted of an accelerator.

verl loads it as a plugin; `VERL_PLATFORM=cpu` chooses it.
"""

from __future__ import annotations

import contextlib
import types

import psutil
import torch
from verl.plugin.platform import PlatformBase, PlatformRegistry

DEVICE = torch.device("cpu")
BACKENDS = "cpu:gloo"


def _memory(*_, **__):
    return psutil.Process().memory_info().rss


def _nothing(*_, **__):
    return None


def _device_module():
    """Like `torch.cuda`: what `torch.cpu` has, and the rest as one device without streams or memory of its own."""
    module = types.ModuleType("torch_cpu_as_device")
    module.__dict__.update({name: value for name, value in vars(torch.cpu).items() if not name.startswith("__")})
    for name in (
        "empty_cache", "ipc_collect", "manual_seed", "manual_seed_all", "reset_peak_memory_stats", "set_device",
        "set_per_process_memory_fraction", "synchronize",
    ):  # fmt: skip
        setattr(module, name, _nothing)
    for name in ("max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved"):
        setattr(module, name, _memory)
    module.mem_get_info = lambda *_: (psutil.virtual_memory().available, psutil.virtual_memory().total)
    module.get_rng_state = lambda *_: torch.get_rng_state()
    module.set_rng_state = lambda state, *_: torch.set_rng_state(state)
    module.get_device_name = lambda *_: "cpu"
    module.is_available = lambda: True
    module.device_count = lambda: 1
    module.current_device = lambda: DEVICE
    return module


@PlatformRegistry.register(platform="cpu")
class CPU(PlatformBase):
    """One device, which computes with gloo and shares weights by memory."""

    device_name = "cpu"
    vendor_name = "cpu"
    device_module = _device_module()

    def is_available(self):
        return True

    def current_device(self):
        return DEVICE

    def device_count(self):
        return 1

    def set_device(self, device_index):
        pass

    def synchronize(self, device_index=None):
        pass

    def manual_seed(self, seed):
        torch.manual_seed(seed)

    def manual_seed_all(self, seed):
        torch.manual_seed(seed)

    def set_allocator_settings(self, settings):
        pass

    def empty_cache(self):
        pass

    def get_device_capability(self, device_index=0):
        return None, None

    def communication_backend_name(self):
        return "gloo"

    def visible_devices_envvar(self):
        return "CUDA_VISIBLE_DEVICES"

    @contextlib.contextmanager
    def nvtx_range(self, msg):
        yield

    def profiler_start(self):
        pass

    def profiler_stop(self):
        pass

    def ray_resource_name(self):
        # Ray is told of one GPU, which stands for the CPU.
        return "GPU"

    def ray_noset_envvars(self):
        return ["RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"]

    def is_ipc_supported(self):
        return False

    def cudart(self):
        return None


def _one_backend():
    """Let a group have one backend: verl asks for the CPU's and the device's, and torch refuses the same twice."""
    init = torch.distributed.init_process_group

    def init_process_group(backend=None, *args, **kwargs):
        return init(BACKENDS if backend == f"{BACKENDS},{BACKENDS}" else backend, *args, **kwargs)

    torch.distributed.init_process_group = init_process_group


if not torch.cuda.is_available():
    _one_backend()
    # FSDP2 offloads the reference model to pinned memory, which only an accelerator has.
    torch.Tensor.pin_memory = lambda self, *_, **__: self
