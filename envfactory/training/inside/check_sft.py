"""Reads a training set with LlamaFactory's own parser, template and loader, and tells what it makes of it.

    <training python> check_sft.py sft.yaml report.json [--decode]

Runs in the training interpreter alone. Nothing is cut here: samples beyond the context are told, so that they can be
refused. With --decode the report also holds, for every sample, the whole text and the text that is learned.
"""

import json
import sys
from pathlib import Path

from llamafactory.data import get_dataset, get_template_and_fix_tokenizer
from llamafactory.hparams import get_train_args
from llamafactory.model import load_tokenizer
from omegaconf import OmegaConf

IGNORED = -100
NOT_TO_READ_DATA = ("deepspeed", "resume_from_checkpoint")
WHOLE = 2**24


def main(recipe: str, report: str, *, decode: bool) -> None:
    """Write the report of a recipe's data."""
    arguments = OmegaConf.to_container(OmegaConf.load(recipe))
    context = arguments["cutoff_len"]
    kept = {name: value for name, value in arguments.items() if name not in NOT_TO_READ_DATA}
    kept |= {"cutoff_len": WHOLE, "use_cpu": True, "bf16": False, "output_dir": "checked"}
    model_args, data_args, training_args, _, _ = get_train_args(kept)
    module = load_tokenizer(model_args)
    template = get_template_and_fix_tokenizer(module["tokenizer"], data_args)
    read = get_dataset(template, model_args, data_args, training_args, stage="sft", **module)
    result = {}
    for name, key in (("train", "train_dataset"), ("validation", "eval_dataset")):
        found = read.get(key)
        if isinstance(found, dict):
            (found,) = found.values()
        result[name] = _describe(found or [], context, module["tokenizer"] if decode else None)
    Path(report).write_text(json.dumps(result))


def _describe(dataset, context, tokenizer):
    """Counts of a set; given a tokenizer, its texts too."""
    described = {"samples": 0, "tokens": 0, "learned": 0, "longest": 0, "too_long": [], "nothing_learned": []}
    texts = []
    for index, sample in enumerate(dataset):
        length = len(sample["input_ids"])
        learned = [token for token in sample["labels"] if token != IGNORED]
        described["samples"] += 1
        described["tokens"] += length
        described["learned"] += len(learned)
        described["longest"] = max(described["longest"], length)
        if length > context:
            described["too_long"].append(index)
        if not learned:
            described["nothing_learned"].append(index)
        if tokenizer is not None:
            whole, part = tokenizer.decode(sample["input_ids"]), tokenizer.decode(learned)
            texts.append({"text": whole, "learned": part, "input_ids": list(sample["input_ids"])})
    return described | ({"texts": texts} if tokenizer is not None else {})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], decode="--decode" in sys.argv[3:])
