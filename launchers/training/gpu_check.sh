#!/usr/bin/env bash
# Checks training on one GPU, in at most ten minutes, with no more than a Python that has PyTorch and transformers: no
# trainer, no vLLM, no model hub, no network.
#
#   launchers/training/gpu_check.sh                    on the first GPU
#   launchers/training/gpu_check.sh --device cpu       the same parts with small numbers, where there is none
#   launchers/training/gpu_check.sh --tokenizer DIR    with Qwen3's tokenizer files, if they are not in the cache
#
# PYTHON names the interpreter; else it is what setup.sh built, else python3. pydantic, orjson, jinja2 and
# docstring_parser are needed to play in environments; without them that part is left out and told so.
# Exit status: 0 all that was looked at holds, 1 something does not, 2 there is nothing to check on.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${ENVFACTORY_CACHE:-$HOME/.cache/envfactory}

kind=gpu
case " $* " in *" --device cpu "* | *" --device=cpu "*) kind=cpu ;; esac

python=${PYTHON:-}
if [ -z "$python" ]; then
    python=$cache/training-$kind/bin/python
    [ -x "$python" ] || python=python3
fi
if ! command -v "$python" >/dev/null || ! "$python" -c 'import torch, transformers' 2>/dev/null; then
    printf 'gpu_check.sh: %s has no torch and transformers; name a Python that has: PYTHON=/path/to/python %s, or build one: %s/setup.sh %s\n' \
        "$python" "$0" "$here" "$kind" >&2
    exit 2
fi
[ "$kind" = gpu ] || export CUDA_VISIBLE_DEVICES=""
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 TOKENIZERS_PARALLELISM=false PYTHONNOUSERSITE=1
exec timeout --signal=INT --kill-after=15 600 "$python" "$here/gpu_check.py" "$@"
