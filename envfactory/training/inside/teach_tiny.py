"""Teaches a small random Qwen3 to call tools: goes through lessons in their order, and learns the answers alone.

    <training python> teach_tiny.py MODEL LESSONS FOLDER BATCH LAST

Runs in the training interpreter alone. LESSONS holds a JSON list a line: prompt and answer; BATCH lines are a step.
Numbers differ a little from machine to machine, so it is the loss that tells whether a model has learned: it has if the
mean over the last LAST steps is low enough. If it is not, they are taken again, a few times at most, and then it fails.

Of the 152 thousand tokens the lessons use less than a thousand. Those are learned, as inputs and as outputs; the rest
stay as they are, and stand in the loss by a sample that counts for all of them. Of the last layer only what predicts an
answer is reckoned, since nobody reads the rest. So a step costs little more than the other layer does.
"""

import json
import math
import sys
from functools import cache
from pathlib import Path
from statistics import mean

import torch
from torch.nn.functional import cross_entropy, embedding, scaled_dot_product_attention
from transformers import AutoTokenizer, Qwen3ForCausalLM
from transformers.models.qwen3.modeling_qwen3 import apply_rotary_pos_emb

RATE = 5e-3
WARMUP = 20
LEARNED = 0.5
"""Mean loss, in nats a token, at which a model calls as it was taught: 0.24 is what was seen, and 0.41 still called."""
REPEATS = 2
"""How often the last steps are taken again, at most."""
SAMPLED = 4096
"""Tokens that stand for all those that no lesson uses."""


def states(model, inputs: torch.Tensor, start: int) -> torch.Tensor:
    """Return a model's last hidden states from a position on, (positions, hidden), for the inputs of one row."""
    hidden = inputs[None]
    cos, sin = model.rotary_emb(hidden, torch.arange(len(inputs))[None])
    *others, last = model.layers
    for layer in others:
        hidden = layer(hidden, position_embeddings=(cos, sin))
    attention, normed = last.self_attn, last.input_layernorm(hidden)
    shape = (1, -1, attention.config.num_attention_heads, attention.head_dim)
    fewer = (1, -1, attention.config.num_key_value_heads, attention.head_dim)
    queries = attention.q_norm(attention.q_proj(normed[:, start:]).view(shape)).transpose(1, 2)
    keys = attention.k_norm(attention.k_proj(normed).view(fewer)).transpose(1, 2)
    values = attention.v_proj(normed).view(fewer).transpose(1, 2)
    queries, _ = apply_rotary_pos_emb(queries, queries, cos[:, start:], sin[:, start:])
    _, keys = apply_rotary_pos_emb(keys, keys, cos, sin)
    seen = torch.ones(len(inputs) - start, len(inputs), dtype=torch.bool).tril(start)
    read = scaled_dot_product_attention(queries, keys, values, attn_mask=seen, scale=attention.scaling, enable_gqa=True)
    hidden = hidden[:, start:] + attention.o_proj(read.transpose(1, 2).flatten(2))
    return model.norm(hidden + last.mlp(last.post_attention_layernorm(hidden)))[0]


def main(model_folder: str, lessons: str, folder: str, batch: int, last: int) -> None:
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
    losses = []
    for step in range(steps + REPEATS * last):
        if step >= steps and (step - steps) % last == 0 and mean(losses[-last:]) <= LEARNED:
            break
        number = step if step < steps else steps - last + (step - steps) % last
        lessons_now = rows[number * batch : (number + 1) * batch]
        chosen = [(torch.tensor([place[token] for token in ids]), start) for ids, start in lessons_now]
        # A token is predicted at the position before it.
        hidden = torch.cat([states(model.model, embedding(ids, learned)[:-1], start - 1) for ids, start in chosen])
        sample = whole.detach()[unused[torch.randint(len(unused), (SAMPLED,))]]
        stands_for = math.log(len(unused) / SAMPLED)
        scores = torch.cat([hidden @ learned.T, hidden @ sample.T + stands_for], dim=1)
        loss = cross_entropy(scores, torch.cat([ids[start:] for ids, start in chosen]))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*layers, learned], 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 10 == 0:
            print(f"step {step} loss {losses[-1]:.3f}", flush=True)
    reached = mean(losses[-last:])
    print(f"{len(losses)} steps, mean loss of the last {last}: {reached:.3f}", flush=True)
    if reached > LEARNED:
        sys.exit(f"the lessons were not learned: the mean loss of the last {last} steps is above {LEARNED}")
    with torch.no_grad():
        whole[used] = learned
    model.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
