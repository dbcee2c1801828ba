"""Reads recipes with LlamaFactory's own parser, in the training interpreter: a number that can be trained, or raises.

<training python> parse.py RECIPE...
"""

import sys

from llamafactory.hparams import get_train_args
from llamafactory.hparams.parser import _TRAIN_ARGS
from omegaconf import OmegaConf

known = {name for group in _TRAIN_ARGS for name in group.__dataclass_fields__}
for recipe in sys.argv[1:]:
    arguments = OmegaConf.to_container(OmegaConf.load(recipe))
    unknown = set(arguments) - known
    assert not unknown, f"{recipe}: LlamaFactory has no {sorted(unknown)}"
    # What this machine lacks: GPUs and DeepSpeed.
    arguments.pop("deepspeed", None)
    model, data, training, finetuning, _ = get_train_args({**arguments, "use_cpu": True, "bf16": False})
    print(model.model_name_or_path, data.cutoff_len, training.learning_rate, finetuning.finetuning_type)
