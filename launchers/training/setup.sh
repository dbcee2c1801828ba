#!/usr/bin/env bash
# Builds the interpreter that training runs in, apart from the light main package:
#
#   launchers/training/setup.sh cpu     the set the tests train with: no GPU needed, about 4.5 GB, 3 to 8 minutes
#   launchers/training/setup.sh gpu     verl's own pins of vLLM and torch, LlamaFactory and DeepSpeed
#
# It goes to ${ENVFACTORY_CACHE:-~/.cache/envfactory}/training-<cpu|gpu>, outside the checkout, and training.python=auto
# finds it there. Run again it does nothing, unless what is to be installed has changed. Two that run at once build once.
# PYTHON names the Python to build from (3.11 or 3.12).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
kind=${1:-}
python=${PYTHON:-python3}

case "$kind" in
cpu | gpu) ;;
*) fail "expected 'cpu' or 'gpu', got '${kind}'; say: launchers/training/setup.sh cpu" ;;
esac

command -v "$python" >/dev/null || fail "no '$python' here; install Python 3.11 or 3.12, or name one: PYTHON=/path/to/python3.11 $0 $kind"
"$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' ||
    fail "$("$python" -V 2>&1) is not what training runs with; name a Python 3.11 or 3.12: PYTHON=/path/to/python3.11 $0 $kind"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python cannot create virtual environments; on Debian and Ubuntu: apt-get install python3-venv"
command -v c++ >/dev/null || fail "no C++ compiler here, and vLLM and torch compile kernels as they run; on Debian and Ubuntu: apt-get install g++"

# What is installed is named by how it is built, a number raised with every change below, and its requirements.
wanted="$kind 1 $(sha256sum <"$here/requirements-$kind.txt" | cut -c1-16)"

claim "training-$kind" 3600 "an hour"
if is_ready "$wanted"; then
    echo "$target/bin/python"
    exit 0
fi

need=8
[ "$kind" = gpu ] && need=25
need_room "$need" G

rm -rf "$target"
"$python" -m venv "$target"
pip() {
    "$target/bin/python" -m pip install --disable-pip-version-check --quiet --no-input "$@" ||
        fail "pip could not install ($*); is the package index reachable (pip config list)? Run $0 $kind again when it is"
}

if [ "$kind" = cpu ]; then
    # The programs disagree about what they need on paper; the pins are the set that was seen to work together.
    pip torch==2.13.0
    pip --no-deps --requirement "$here/requirements-cpu.txt"
else
    pip --requirement "$here/requirements-gpu.txt"
fi
"$target/bin/python" -c 'import torch, transformers, peft, datasets' || fail "what was installed into $target does not import"

now_ready "$wanted"
echo "$target/bin/python"
