#!/usr/bin/env bash
# run.sh BUILD: runs the demo of the build folder BUILD; `./kmux.sh demo` builds it and fetches TileLang's headers first.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD}" && pwd)
exec "$build/examples/demo" "$root" "${KMUX_TILELANG_HEADERS:-$root/.cache/tilelang-headers}" "$build/demo"
