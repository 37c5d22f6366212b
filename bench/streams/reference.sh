#!/usr/bin/env bash
# Makes what call_allocating compares with: the module of call_allocating_module.cpp and libkmux as another commit has them.
#
# usage: bench/streams/reference.sh COMMIT TO
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly COMMIT=$1 TO=$2
tree=$(mktemp -d)
trap 'git worktree remove --force "$tree"' EXIT
git worktree add --quiet --detach "$tree" "$COMMIT"
mkdir -p "$tree/bench/streams"
cp bench/bursts.h bench/timing.h "$tree/bench/"
cp bench/streams/call_allocating_module.* "$tree/bench/streams/"
grep -q call_allocating_module "$tree/bench/CMakeLists.txt" || cat >>"$tree/bench/CMakeLists.txt" <<'TEXT'
add_library(call_allocating_module MODULE streams/call_allocating_module.cpp)
target_include_directories(call_allocating_module PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(call_allocating_module PRIVATE kmux_options kmux::runtime)
TEXT
(
  cd "$tree"
  export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1
  cmake --preset release -DPython3_EXECUTABLE=/usr/bin/python3 >&2
  cmake --build --preset release --target call_allocating_module kmux_plugin_nvrtc >&2
)
mkdir -p "$TO/lib/kmux/plugins"
cp -L "$tree"/build/release/lib/libcall_allocating_module.so "$TO/lib/"
cp -L "$tree"/build/release/lib/libkmux.so.0 "$TO/lib/libkmuy.so.0"
cp -L "$tree"/build/release/lib/kmux/plugins/kmux_nvrtc.* "$TO/lib/kmux/plugins/"
# Two libraries of one name cannot be in one process.
sed -i 's/libkmux\.so\.0/libkmuy.so.0/g' "$TO/lib/libcall_allocating_module.so" "$TO/lib/libkmuy.so.0"
