"""Checks training on one GPU with no more than PyTorch and transformers: no trainer, no hub, no network.

    launchers/training/gpu_check.sh [--device cpu] [--tokenizer FOLDER] [--minutes 9]

Every part has its own time, and prints what it found as it goes: `verified`, `FAILED`, or `not verified` with the
reason. The exit status is 1 if something failed, and 2 if there is nothing to check on. On a CPU the same parts run
with small numbers, so that a test can run this file.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
import yaml
from gpu_check_report import Report
from gpu_check_tokens import BYTES, END, ByteTokenizer
from transformers import AutoTokenizer, Qwen3Config, Qwen3ForCausalLM

HERE = Path(__file__).resolve().parent
ROOT = next(folder for folder in HERE.parents if (folder / "envfactory").is_dir())
SAMPLES = HERE / "gpu_check_samples.json"
NEEDED = ("pydantic", "orjson", "jinja2", "docstring_parser", "typing_extensions")
"""What a rollout needs beside the standard library."""

VOCABULARY = 151936
CLAIMED_GB = 30.0
"""What conf/backbone reckons for the activations and logits of one sample as long as the context."""


@dataclass
class Line:
    """A conversation in tokens, and for each whether the model is to say it."""

    ids: list[int]
    said: list[bool]


def qwen3(
    shape: dict[str, int], device: torch.device, dtype: torch.dtype, vocabulary: int = VOCABULARY
) -> Qwen3ForCausalLM:
    """A random Qwen3."""
    torch.manual_seed(0)
    config = Qwen3Config(vocab_size=vocabulary, tie_word_embeddings=True, max_position_embeddings=40960, **shape)
    config._attn_implementation = "sdpa"  # noqa: SLF001 - what `from_config` sets, which also takes no device
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with device:
            return Qwen3ForCausalLM(config)
    finally:
        torch.set_default_dtype(before)


TINY = {
    "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16,
}  # fmt: skip
SHAPE_1_7B = {
    "hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28, "num_attention_heads": 16,
    "num_key_value_heads": 8, "head_dim": 128,
}  # fmt: skip


def log_probs(model: Qwen3ForCausalLM, line: Line) -> torch.Tensor:
    """The log-probability of each token that the model is to say; other places get no logits."""
    device = model.device
    ids = torch.tensor([line.ids], device=device)
    places = torch.tensor([place for place, said in enumerate(line.said) if said], device=device)
    logits = model(input_ids=ids, logits_to_keep=places - 1).logits[0].float()
    return -torch.nn.functional.cross_entropy(logits, ids[0, places], reduction="none")


def check_device(report: Report, device: torch.device) -> None:
    """Name the device, and multiply matrices on it."""
    print(
        f"              Python {sys.version.split()[0]}, torch {torch.__version__}, CUDA {torch.version.cuda}, ", end=""
    )
    print(f"transformers {transformers.__version__}")
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        report.verified(
            f"{torch.cuda.device_count()} GPU: {properties.name}, {properties.total_memory / 1e9:.0f} GB, compute "
            f"capability {properties.major}.{properties.minor}"
        )
        report.check(torch.cuda.is_bf16_supported(), "the GPU computes in bf16")
    size = 8192 if device.type == "cuda" else 256
    generator = torch.Generator(device).manual_seed(0)
    left, right = (torch.randn(size, size, device=device, generator=generator) for _ in range(2))
    exact = left[:64] @ right
    low = left.bfloat16(), right.bfloat16()
    found = (low[0] @ low[1])[:64].float()
    error = ((found - exact).norm() / exact.norm()).item()
    synchronize(device)
    began = time.perf_counter()
    for _ in range(10):
        low[0] @ low[1]
    synchronize(device)
    speed = 10 * 2 * size**3 / (time.perf_counter() - began) / 1e12
    report.check(error < 0.02, f"bf16 product of {size} x {size}: relative error {error:.4f}, {speed:.1f} TFLOP/s")


def synchronize(device: torch.device) -> None:
    """Wait for the device."""
    if device.type == "cuda":
        torch.cuda.synchronize()


def check_training(report: Report, model: Qwen3ForCausalLM, lines: list[Line], steps: int) -> None:
    """Train until the conversations are known by heart, with loss on what the assistant says alone."""
    learned = sum(sum(line.said) for line in lines)
    print(f"              {len(lines)} conversations, {sum(len(line.ids) for line in lines)} tokens, {learned} learned")
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.0)
    losses: list[float] = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.cat([-log_probs(model, line) for line in lines]).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if losses[-1] < 0.01:
            break
    report.check(
        losses[-1] < 0.1 * losses[0], f"loss falls from {losses[0]:.3f} to {losses[-1]:.4f} in {len(losses)} steps"
    )


def speaker(model: Qwen3ForCausalLM, end: int, temperature: float) -> Callable[[Any], list[int]]:
    """What continues a token line by the generate loop of transformers."""

    def speak(line: Any) -> list[int]:
        ids = torch.tensor([line.ids], device=model.device)
        choice = {"do_sample": True, "temperature": temperature, "top_k": 0} if temperature else {"do_sample": False}
        found = model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=min(256, line.room),
            eos_token_id=end, pad_token_id=end, **choice,
        )  # fmt: skip
        return found[0, ids.shape[1] :].tolist()

    return speak


def check_rollouts(report: Report, model: Qwen3ForCausalLM, tokenizer: Any, rows: list[Any]) -> None:
    """Let the trained model play the turns in real environments."""
    from gpu_check_rows import play

    (end,) = tokenizer.encode(END, add_special_tokens=False)
    executed, rewards = 0, []
    for row in rows:
        _, outcome = play(row, tokenizer, speaker(model, end, 0.0))
        executed += sum(call.ok for call in outcome.calls)
        rewards.append(outcome.reward)
        print(f"              {row.id}: {[(call.tool, call.ok) for call in outcome.calls]}, reward {outcome.reward}")
    report.check(executed > 0, f"{executed} calls that the model generated were executed in environments")
    report.check(all(reward is not None for reward in rewards), f"its turns were scored: {rewards}")


def check_update(report: Report, model: Qwen3ForCausalLM, tokenizer: Any, row: Any, group: int) -> None:
    """One update as GRPO makes it, by hand: a group of rollouts of one turn, one of which failed."""
    from gpu_check_rows import OVERDUE, play

    (end,) = tokenizer.encode(END, add_special_tokens=False)
    played = [play(row, tokenizer, speaker(model, end, 1.3)) for _ in range(group)]
    played.append(play(row, tokenizer, speaker(model, end, 1.3), OVERDUE))
    rewards = [outcome.reward for _, outcome in played]
    report.check(rewards[-1] is None, "a rollout whose environment took too long has no reward")
    living = [(line, reward) for (line, _), reward in zip(played, rewards, strict=True) if reward is not None]
    values = torch.tensor([reward for _, reward in living])
    print(f"              rewards {[round(value, 3) for value in values.tolist()]}")
    if values.max() == values.min():
        values[0] += 1.0
        print("              all were equal, so the first is given one more, to have an advantage")
    advantages = ((values - values.mean()) / (values.std() + 1e-6)).to(model.device)
    lines = [Line(line.ids, [False] * len(line.prompt) + [bool(mark) for mark in line.mask]) for line, _ in living]
    before = [parameter.detach().clone() for parameter in model.parameters()]

    def objective() -> torch.Tensor:
        terms = [advantage * log_probs(model, line).mean() for advantage, line in zip(advantages, lines, strict=True)]
        return torch.stack(terms).mean()

    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    optimizer.zero_grad()
    first = objective()
    (-first).backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
    optimizer.step()
    with torch.no_grad():
        second = objective()
    changed = any(not torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))
    report.check(norm > 0 and changed, f"the update has a gradient (norm {norm:.3f}) and changes the weights")
    report.check(second.item() > first.item(), f"the better rollouts became likelier: {first:.4f} to {second:.4f}")


def check_shape(report: Report, device: torch.device) -> None:
    """A forward and backward pass of the real 1.7B shape at the context of its layouts."""
    text = next(path for path in (ROOT / "conf", ROOT / "envfactory" / "conf") if path.is_dir())
    claimed = yaml.safe_load((text / "backbone" / "qwen3_1_7b.yaml").read_text(encoding="utf-8"))
    on_gpu = device.type == "cuda"
    model = qwen3(SHAPE_1_7B, device, torch.bfloat16) if on_gpu else qwen3(TINY, device, torch.bfloat16, BYTES)
    count = sum(parameter.numel() for parameter in model.parameters())
    if on_gpu:
        report.check(count == claimed["parameters"], f"the shape has {count} parameters, as conf/backbone says")
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model.train()
    pass_of(model, 128)  # so that gradients are there
    resident = torch.cuda.memory_allocated() if on_gpu else 0
    context, seconds, peak = (claimed["context"] if on_gpu else 256), 0.0, 0
    while context >= 128:
        try:
            pass_of(model, context)
            if on_gpu:
                torch.cuda.reset_peak_memory_stats()
            synchronize(device)
            began = time.perf_counter()
            pass_of(model, context)
            synchronize(device)
            seconds = time.perf_counter() - began
            peak = torch.cuda.max_memory_allocated() if on_gpu else 0
            break
        except torch.cuda.OutOfMemoryError:
            print(f"              {context} tokens do not fit, half of them are tried")
            torch.cuda.empty_cache()
            context //= 2
    report.check(seconds > 0, f"forward and backward of {context} tokens: {context / max(seconds, 1e-9):.0f} tokens/s")
    if not on_gpu:
        report.not_verified("memory and speed of the 1.7B shape: there is no GPU, so a small one was passed through")
        return
    scale = claimed["context"] / context
    working = (peak - resident) * scale / 1e9
    logits = claimed["context"] * VOCABULARY * 10 / 1e9
    print(f"              {resident / 1e9:.1f} GB of weights and gradients in bf16; logits reckoned at {logits:.1f} GB")
    if scale > 1:
        print(f"              what comes beside them was measured at {context} tokens, and is taken {scale:g} times")
    report.check(
        working <= CLAIMED_GB, f"a sample of {claimed['context']} tokens takes {working:.1f} of {CLAIMED_GB} GB"
    )
    for name, memory in (("gpu_80gb", 80), ("gpu_141gb", 141)):
        whole = 16 * count / claimed[name]["devices"] / 1e9 + working
        report.check(
            whole < memory, f"{name}: {whole:.0f} GB on each of {claimed[name]['devices']} GPUs, if states are shared"
        )


def pass_of(model: Qwen3ForCausalLM, context: int) -> None:
    """Go forward and backward once, as a trainer does."""
    ids = torch.randint(0, model.config.vocab_size, (1, context), device=model.device)
    model(input_ids=ids, labels=ids, use_cache=False).loss.backward()
    model.zero_grad(set_to_none=False)


def find_tokenizer(given: str | None, on_gpu: bool) -> Any:
    """Qwen3's tokenizer if its files are at hand and the device has time for its vocabulary, else bytes."""
    cache = Path(os.environ.get("ENVFACTORY_CACHE") or Path.home() / ".cache" / "envfactory")
    cached = sorted(cache.glob("tokenizer-qwen3-*[0-9]")) if on_gpu else []
    for folder in [Path(given)] if given else cached:
        print(f"              tokenizer of {folder}")
        return AutoTokenizer.from_pretrained(folder)
    return ByteTokenizer()


def committed_lines(tokenizer: Any) -> list[Line]:
    """The conversations beside this file."""
    lines: list[Line] = []
    for pieces in json.loads(SAMPLES.read_text(encoding="utf-8")):
        line = Line([], [])
        for place, piece in enumerate(pieces):
            ids = tokenizer.encode(piece, add_special_tokens=False)
            line.ids += ids
            line.said += [place % 2 == 1] * len(ids)
        lines.append(line)
    return lines


def main() -> int:
    """Run every part; see the module docstring."""
    parser = argparse.ArgumentParser(description="Check training on one GPU.")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--tokenizer", help="folder with Qwen3's tokenizer files")
    parser.add_argument("--minutes", type=float, default=9.0)
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        print("gpu_check: torch finds no GPU here; to run the same parts on the CPU: --device cpu", file=sys.stderr)
        return 2
    device, on_gpu = torch.device(options.device), options.device == "cuda"
    if not on_gpu:
        torch.set_num_threads(1)  # so small a model waits for its threads more than it computes
    deadline = time.monotonic() + options.minutes * 60
    report = Report()

    def run(name: str, seconds: float, act: Callable[[], None]) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            report.not_verified(f"{name}: no time was left")
            return
        try:
            with report.part(name, min(seconds, left)):
                act()
        except Exception as error:  # noqa: BLE001 - a part that breaks leaves the others to be looked at
            report.check(False, f"{name}: {type(error).__name__}: {error}")

    run("the device", 60, lambda: check_device(report, device))
    tokenizer = find_tokenizer(options.tokenizer, on_gpu)
    vocabulary = VOCABULARY
    if isinstance(tokenizer, ByteTokenizer):
        report.not_verified("Qwen3's tokenizer: bytes stand in for tokens, for the real one say --tokenizer FOLDER")
        vocabulary = VOCABULARY if on_gpu else BYTES
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    rows: list[Any] = []
    lines: list[Line] = []

    def make_lines() -> None:
        if missing:
            report.not_verified(f"rollouts in environments: {', '.join(missing)} not installed")
            lines.extend(committed_lines(tokenizer))
            return
        sys.path.insert(0, str(ROOT))
        from gpu_check_rows import by_heart, made_turns

        for row, words in made_turns(2, 3) if on_gpu else made_turns(1, 1):
            line = by_heart(row, words, tokenizer)
            rows.append(row)
            lines.append(Line(line.ids, [False] * len(line.prompt) + [bool(mark) for mark in line.mask]))

    model = qwen3(TINY, device, torch.float32, vocabulary)
    run("conversations", 60, make_lines)
    run("training a small model", 150, lambda: check_training(report, model, lines, 400 if on_gpu else 150))
    if rows:
        run("rollouts", 90, lambda: check_rollouts(report, model, tokenizer, rows))
        run("one update", 90, lambda: check_update(report, model, tokenizer, rows[0], 8 if on_gpu else 3))
    run("the 1.7B shape", 180, lambda: check_shape(report, device))
    report.not_verified("verl, vLLM, LlamaFactory and DeepSpeed: they are not used here")
    report.not_verified("more than one GPU, and how ZeRO-3 and FSDP2 share states among them")
    report.not_verified("published weights, and the 4B and 8B layouts")
    print(f"\n{len(report.failed)} failed, {len(report.unverified)} not verified, on {options.device}")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
