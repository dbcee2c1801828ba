"""A model behind vLLM's OpenAI-compatible server, on 127.0.0.1: started, waited for, and always stopped.

    with served(recipe, interpreter, work) as endpoint:
        ...     # endpoint.url is "http://127.0.0.1:<port>/v1", endpoint.model the name to ask for

vLLM renders prompts with the chat template that the model was trained with, and returns parsed tool calls (hermes).
A trap for who writes clients: in a history this vLLM takes a thought as `reasoning` and silently drops
`reasoning_content`; messages that carry their raw text in `content` are rendered as they are.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from envfactory.config import Config
from envfactory.serving.server import HOST, free_port, is_taken, wait_until_healthy
from envfactory.training.hub import hub_model
from envfactory.training.places import (
    VLLM_ON_CPU,
    VLLM_SEEDS,
    Hardware,
    Interpreter,
    TrainingError,
    check_devices,
    expected_python,
    find_hardware,
    find_interpreter,
)
from envfactory.training.process import log_tail, running
from envfactory.training.recipe import DEVICES, indented
from envfactory.training.tokens import TEMPLATE

__all__ = ["Endpoint", "ServeRecipe", "plan", "serve_recipe", "served"]

NAME = "envfactory"
"""What the model is called in requests, whichever it is."""

SERVED_ON_CPU = {**VLLM_ON_CPU, "VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_WORKER_MULTIPROC_METHOD": "fork"}
"""What a server finds in its environment on a CPU.

What takes the time of a start is importing, which each of vLLM's processes does for itself. So its worker is to be in
the engine's process, which vLLM allows to who says so here, and the engine is to be forked.
"""

CPU_REQUESTS = 8
"""Requests that a CPU works on at once."""


@dataclass(frozen=True)
class Endpoint:
    """A model that answers.

    Attributes:
        url: of the API, up to and including ``/v1``.
        model: its name there.
        look: looks at the server for a moment, and tells whether it still runs.
    """

    url: str
    model: str
    look: Callable[[], bool]

    def wait(self) -> None:
        """Wait until the server ends by itself.

        Raises:
            TrainingError: it ended; the message ends with the last lines of its output.
        """
        while self.look():
            pass

    def curl(self) -> str:
        """Return a command that asks it something."""
        body = json.dumps({"model": self.model, "messages": [{"role": "user", "content": "Hello"}]})
        return f"curl {self.url}/chat/completions -H 'Content-Type: application/json' -d {shlex.quote(body)}"


@dataclass(frozen=True)
class ServeRecipe:
    """How a model is served.

    Attributes:
        model: its folder, or its repository.
        arguments: of ``vllm serve`` behind the model, but for the port.
        hardware: what it runs on.
        start_timeout_s: seconds within which it must be healthy.
        devices: accelerators that hold it together.
    """

    model: str
    arguments: tuple[str, ...]
    hardware: Hardware
    start_timeout_s: float
    devices: int = 1

    def command(self, python: Path | str, port: int) -> list[str]:
        """Return the command."""
        serve = [str(python), "-m", "vllm.entrypoints.cli.main", "serve", self.model]
        return [*serve, "--host", HOST, "--port", str(port), *self.arguments]

    def variables(self) -> dict[str, str]:
        """Return what the command finds in its environment because of the hardware."""
        return {"VLLM_NO_USAGE_STATS": "1", **(SERVED_ON_CPU if self.hardware == "cpu" else {})}


def serve_recipe(config: Config, model: Path | str, *, parsed: bool = True, context: int | None = None) -> ServeRecipe:
    """Return how a model of a configuration's backbone is served.

    Args:
        config: groups `backbone`, `training`, `vllm`, `rl.thinking` and the seed are read.
        model: a folder, or the backbone's repository.
        parsed: whether answers are taken apart into thought, words and calls; if not, they are the model's raw text.
        context: tokens that a conversation may have; None: `vllm.context`, or the backbone's.

    Raises:
        TrainingError: the backbone has no layout for the hardware.
    """
    backbone, settings = config.backbone, config.vllm
    hardware = find_hardware(config.training.hardware)
    if hardware == "cpu" and backbone.cpu is None:
        raise TrainingError(
            "the backbone has no layout for cpu; serve it on GPUs, look at what would be started with dry_run=true "
            "training.hardware=gpu_80gb, or choose backbone=tiny"
        )
    arguments = ["--served-model-name", NAME, "--max-model-len", str(context or settings.context or backbone.context)]
    if backbone.kind == "hub":
        name, revision = hub_model(backbone)
        arguments += ["--revision", revision] if revision and str(model) == name else []
    if config.training.preserve_thinking:
        arguments += ["--chat-template", str(TEMPLATE)]
    arguments += ["--default-chat-template-kwargs", json.dumps({"enable_thinking": config.rl.thinking})]
    if parsed:
        arguments += ["--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--reasoning-parser", "qwen3"]
    # The sampling that a request does not name is vLLM's own, not what the model's folder suggests.
    arguments += ["--generation-config", "vllm", "--seed", str(config.seed % VLLM_SEEDS)]
    if hardware == "cpu":
        arguments += ["--dtype", "bfloat16", "--enforce-eager", "--max-num-seqs", str(CPU_REQUESTS)]
        arguments += ["--distributed-executor-backend", "uni"]
    else:
        arguments += ["--tensor-parallel-size", str(settings.devices)]
        arguments += ["--gpu-memory-utilization", f"{settings.gpu_memory:g}"]
    return ServeRecipe(str(model), tuple(arguments), hardware, settings.start_timeout_s, settings.devices)


def find_server(config: Config) -> Interpreter:
    """Return the interpreter that serves the backbone.

    Raises:
        TrainingError: the backbone has no layout for the hardware, more GPUs are wanted than there are, its folder
            holds no model, or there is no interpreter.
    """
    recipe = serve_recipe(config, "")
    check_devices(recipe.hardware, recipe.devices, "vllm.devices")
    return find_interpreter(config.training.python, recipe.hardware)


@contextmanager
def served(
    recipe: ServeRecipe, interpreter: Interpreter, work: Path, *, port: int = 0, timeout_s: float = 7 * 86400.0
) -> Generator[Endpoint]:
    """Serve a model for the length of a ``with`` block.

    However the block ends, nothing of the server is left running; see `envfactory.training.process`.

    Args:
        recipe: what, and how.
        interpreter: that has vLLM.
        work: an existing folder; takes the server's output, `vllm.txt`. One server at a time works in a folder.
        port: to listen on; 0: a free one.
        timeout_s: seconds after which it counts as forgotten.

    Raises:
        TrainingError: it ended or was not healthy in time; the message ends with the last lines of its output. Or
            somebody listens on the port.
    """
    if port and is_taken(port):
        raise TrainingError(f"serving.port={port}: in use; choose another, or 0 for a free one")
    check_devices(recipe.hardware, recipe.devices, "vllm.devices")
    port = port or free_port()
    log = work / "vllm.txt"
    looks = running(
        recipe.command(interpreter.python, port),
        folder=work,
        log=log,
        variables={**interpreter.variables(), **recipe.variables()},
        timeout_s=timeout_s,
    )
    with closing(looks):
        state = wait_until_healthy(looks, port, recipe.start_timeout_s)
        if state == "late":
            raise TrainingError(f"vLLM was not ready within {recipe.start_timeout_s:g} s{log_tail(log)}")
        if state == "ended":
            raise TrainingError(f"vLLM ended before it was ready{log_tail(log)}")
        yield Endpoint(f"http://{HOST}:{port}/v1", NAME, lambda: next(looks, looks) is None)


def plan(
    config: Config, models: Mapping[str, str], *, parsed: bool = True, port: int = 0, context: int | None = None
) -> str:
    """Return what would be served and what that needs, for people to read.

    Args:
        config: see `serve_recipe`.
        models: name to folder or repository.
        parsed: see `serve_recipe`.
        port: to listen on; 0: a free one.
        context: see `serve_recipe`.

    Raises:
        TrainingError: see `serve_recipe`.
    """
    shown = f"{port}" if port else "<a free port>"
    parts: list[str] = []
    needs = ""
    for name, model in models.items():
        recipe = serve_recipe(config, model, parsed=parsed, context=context)
        needs = _needs(config, recipe, context or config.vllm.context or config.backbone.context)
        python = expected_python(config.training.python, recipe.hardware)
        command = shlex.join(recipe.command(python, port)).replace("--port 0 ", f"--port {shown} ")
        words = [*(f"{key}={value}" for key, value in recipe.variables().items()), command]
        parts.append(f"model {name}\n  {' '.join(words)}")
    return "\n\n".join(parts) + f"\n\nneeds\n{indented(needs)}"


def _needs(config: Config, recipe: ServeRecipe, context: int) -> str:
    """What a model needs, reckoned from its count of parameters; not measured."""
    weights = 2 * config.backbone.parameters / 1e9
    if recipe.hardware == "cpu":
        return f"1 x {DEVICES[recipe.hardware]}: {weights:.1f} GB for weights, 1 GB for the keys and values of requests"
    devices, share = config.vllm.devices, config.vllm.gpu_memory
    return (
        f"{devices} x {DEVICES[recipe.hardware]}, each: {weights / devices:.1f} GB for weights; the rest of "
        f"{share:.0%} of its memory for the keys and values of conversations of up to {context} tokens"
    )
