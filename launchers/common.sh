# What the setup scripts have in common; sourced by them, not run. Each builds one thing into a folder of the cache, once.

cache=${ENVFACTORY_CACHE:-$HOME/.cache/envfactory}

fail() {
    printf 'setup.sh: %s\n' "$*" >&2
    exit 1
}

# claim NAME SECONDS WORDS: the folder is this script's alone; another one that builds it is waited for, SECONDS at most.
claim() {
    command -v flock >/dev/null || fail "no 'flock' here; install util-linux"
    target=$cache/$1
    marker=$target/.ready
    mkdir -p "$cache"
    exec 9>"$cache/$1.lock"
    flock --wait "$2" 9 || fail "another setup.sh has been building $target for $3; end it and try again"
}

# is_ready WANTED: what the folder holds is what is wanted now.
is_ready() {
    [ -x "$target/bin/python" ] && [ "$(cat "$marker" 2>/dev/null)" = "$1" ]
}

# need_room NUMBER UNIT: the cache has as much free, in G or M.
need_room() {
    local free
    free=$(df --output=avail --block-size="1$2" "$cache" | tail -1)
    [ "$free" -ge "$1" ] || fail "$cache has ${free} $2B free and needs $1; make room, or set ENVFACTORY_CACHE to a folder that has it"
}

# now_ready WANTED: from now on it does.
now_ready() {
    printf '%s' "$1" >"$marker.new"
    mv "$marker.new" "$marker"
}
