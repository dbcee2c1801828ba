#!/usr/bin/env bash
# Builds the interpreter that the tests embed texts in, apart from the light main package:
#
#   launchers/embedding/setup.sh     sentence-transformers and the weights of all-MiniLM-L6-v2, 200 MB, half a minute
#
# torch and transformers are those of the interpreter for training, which must be there (launchers/training/setup.sh
# cpu); it is read and not changed. All goes to ${ENVFACTORY_CACHE:-~/.cache/envfactory}/embedding-cpu, outside the
# checkout. Run again it does nothing, unless what is to be installed has changed. Two that run at once build once.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"

[ $# -eq 0 ] || fail "expected no arguments, got '$*'; say: launchers/embedding/setup.sh"

training=$cache/training-cpu
[ -f "$training/.ready" ] || fail "there is no training interpreter in $training, whose torch is used; build it with: launchers/training/setup.sh cpu"

# What is installed is named by how it is built, a number raised with every change below, its requirements and torch's.
wanted="1 $(cat "$here/requirements.txt" "$training/.ready" | sha256sum | cut -c1-16)"

claim embedding-cpu 900 "a quarter of an hour"
if is_ready "$wanted"; then
    echo "$target/bin/python"
    exit 0
fi

need_room 500 M

rm -rf "$target"
"$training/bin/python" -m venv "$target"
packages() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
# What is installed here comes first; what is not, is looked for there.
packages "$training" >"$(packages "$target")/training.pth"
timeout 600 "$target/bin/python" -m pip install --disable-pip-version-check --quiet --no-input --no-compile --no-deps \
    --requirement "$here/requirements.txt" ||
    fail "pip could not install $here/requirements.txt within 10 minutes; is the package index reachable (pip config list)? Run $0 again when it is"
"$target/bin/python" -c 'import sentence_transformers, sklearn, rustworkx' || fail "what was installed into $target does not import"

now_ready "$wanted"
echo "$target/bin/python"
