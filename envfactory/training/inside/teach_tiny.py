"""Teaches a small random Qwen3 to call tools: goes through lessons in their order, and learns the answers alone.

    <training python> teach_tiny.py MODEL LESSONS FOLDER BATCH

Runs in the training interpreter alone. LESSONS holds a JSON list a line: prompt and answer; BATCH lines are a step.

Of the 152 thousand tokens the lessons use less than a thousand. Those are learned, as inputs and as outputs; the rest
stay as they are, and stand in the loss by a sample that counts for all of them. So a step costs what the two layers
cost, and not what the vocabulary would.
"""

import json
import math
import sys
from functools import cache
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy, embedding
from transformers import AutoTokenizer, Qwen3ForCausalLM

RATE = 5e-3
WARMUP = 10
SAMPLED = 1024
"""Tokens that stand for all those that no lesson uses."""


def main(model_folder: str, lessons: str, folder: str, batch: int) -> None:
    """Write the taught model; the same arguments give, on one machine, the same weights."""
    torch.manual_seed(0)
    # Two threads wait for each other on a busy machine; one does not.
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    model = Qwen3ForCausalLM.from_pretrained(model_folder, dtype=torch.float32)
    encode = cache(lambda text: tuple(tokenizer.encode(text, add_special_tokens=False)))
    texts = [json.loads(line) for line in Path(lessons).read_bytes().splitlines()]
    # Ids of a lesson, and where what is learned begins.
    rows = [(encode(prompt) + encode(answer), len(encode(prompt))) for prompt, answer in texts]
    steps = len(rows) // batch
    whole = model.model.embed_tokens.weight
    used = sorted({token for ids, _ in rows for token in ids})
    place = {token: index for index, token in enumerate(used)}
    unused = torch.tensor(sorted(set(range(len(whole))) - set(used)))
    learned = torch.nn.Parameter(whole.detach()[used].clone())
    layers = [weight for name, weight in model.named_parameters() if weight is not whole and "lm_head" not in name]
    optimizer = torch.optim.AdamW([*layers, learned], lr=RATE, betas=(0.9, 0.98), weight_decay=0)
    rises_and_falls = lambda step: min(1, (step + 1) / WARMUP) * max(0.05, 1 - step / steps)  # noqa: E731
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rises_and_falls)
    for step in range(steps):
        lessons_now = rows[step * batch : (step + 1) * batch]
        chosen = [([place[token] for token in ids], start) for ids, start in lessons_now]
        longest = max(len(ids) for ids, _ in chosen)
        # What stands behind the end of a row cannot be seen from it, so the padding needs no mask.
        inputs = torch.tensor([ids + [0] * (longest - len(ids)) for ids, _ in chosen])
        hidden = model.model(inputs_embeds=embedding(inputs, learned), use_cache=False).last_hidden_state
        # A token is predicted at the position before it.
        places = [(row, at) for row, (ids, start) in enumerate(chosen) for at in range(start - 1, len(ids) - 1)]
        row, at = (torch.tensor(numbers) for numbers in zip(*places, strict=True))
        sample = whole.detach()[unused[torch.randint(len(unused), (SAMPLED,))]]
        stands_for = math.log(len(unused) / SAMPLED)
        scores = torch.cat([hidden[row, at] @ learned.T, hidden[row, at] @ sample.T + stands_for], dim=1)
        loss = cross_entropy(scores, inputs[row, at + 1])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*layers, learned], 1.0)
        optimizer.step()
        schedule.step()
        if step % 10 == 0 or step == steps - 1:
            print(f"step {step} loss {loss.item():.3f}", flush=True)
    with torch.no_grad():
        whole[used] = learned
    model.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
