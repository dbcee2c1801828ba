"""Makes a small random Qwen3 with a given tokenizer: weights, config and tokenizer in one folder.

    <training python> make_tiny.py TOKENIZER FOLDER LAYERS HIDDEN

Runs in the training interpreter alone.
"""

import sys

import torch
from transformers import AutoTokenizer, Qwen3Config, Qwen3ForCausalLM

VOCABULARY = 151936  # Qwen3's, padded beyond its 151,669 tokens


def main(tokenizer_folder: str, folder: str, layers: int, hidden: int) -> None:
    """Write the model; the same arguments give the same weights."""
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
    model = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=VOCABULARY,
            hidden_size=hidden,
            intermediate_size=2 * hidden,
            num_hidden_layers=layers,
            num_attention_heads=4,
            num_key_value_heads=2,
            # vLLM has no attention on a CPU for less.
            head_dim=max(32, hidden // 4),
            max_position_embeddings=40960,
            tie_word_embeddings=True,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
        )
    )
    model.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
