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
kind=${1:-}
python=${PYTHON:-python3}

fail() {
    printf 'setup.sh: %s\n' "$*" >&2
    exit 1
}

case "$kind" in
cpu | gpu) ;;
*) fail "expected 'cpu' or 'gpu', got '${kind}'; say: launchers/training/setup.sh cpu" ;;
esac

command -v "$python" >/dev/null || fail "no '$python' here; install Python 3.11 or 3.12, or name one: PYTHON=/path/to/python3.11 $0 $kind"
"$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' ||
    fail "$("$python" -V 2>&1) is not what training runs with; name a Python 3.11 or 3.12: PYTHON=/path/to/python3.11 $0 $kind"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python cannot create virtual environments; on Debian and Ubuntu: apt-get install python3-venv"
command -v flock >/dev/null || fail "no 'flock' here; install util-linux"
command -v c++ >/dev/null || fail "no C++ compiler here, and vLLM and torch compile kernels as they run; on Debian and Ubuntu: apt-get install g++"

cache=${ENVFACTORY_CACHE:-$HOME/.cache/envfactory}
target=$cache/training-$kind
marker=$target/.ready
mkdir -p "$cache"

# What is installed is named by how it is built, a number raised with every change below, and its requirements.
wanted="$kind 1 $(sha256sum <"$here/requirements-$kind.txt" | cut -c1-16)"

exec 9>"$cache/training-$kind.lock"
flock --wait 3600 9 || fail "another setup.sh has been building $target for an hour; end it and try again"
if [ -x "$target/bin/python" ] && [ "$(cat "$marker" 2>/dev/null)" = "$wanted" ]; then
    echo "$target/bin/python"
    exit 0
fi

free=$(df --output=avail --block-size=1G "$cache" | tail -1)
need=8
[ "$kind" = gpu ] && need=25
[ "$free" -ge "$need" ] || fail "$cache has ${free} GB free and needs $need; make room, or set ENVFACTORY_CACHE to a folder that has it"

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

printf '%s' "$wanted" >"$marker.new"
mv "$marker.new" "$marker"
echo "$target/bin/python"
