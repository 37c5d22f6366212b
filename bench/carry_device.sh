#!/usr/bin/env bash
# Makes build/device: what bench/device_suite needs on a machine with a GPU, without symbols for debuggers. Builds it here.
#
# usage: bench/carry_device.sh HEADERS...      HEADERS: folders that hold TileLang's and CUTLASS's headers
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly BUILD=build/release TO=build/device
readonly TARGETS=(kmux_command kmux_worker kmux_plugin_nvrtc kmux_plugin_cuda kmux_conformance device_suite bars_nvidia
  kmux_tvm_ffi kmux_plugin_hip hip_on_cuda kmux_hip_programs bars_hip_metal)

cmake --build "$BUILD" --target "${TARGETS[@]}" >&2
rm -rf "$TO"
mkdir -p "$TO"/{bin,lib/kmux/plugins,libexec/kmux,tests/fakes/hip/rocm,bench}
cp -L "$BUILD"/bin/kmux "$TO/bin/"
cp -a "$BUILD"/lib/libkmux.so* "$BUILD"/lib/libkmux_tvm_ffi.so "$TO/lib/"
cp -L "$BUILD"/lib/kmux/plugins/kmux_{nvrtc,cuda,hip}.* "$TO/lib/kmux/plugins/"
cp -L "$BUILD"/libexec/kmux/kmux-worker "$TO/libexec/kmux/"
cp -L "$BUILD"/tests/{kmux_conformance,kmux_hip_programs} "$TO/tests/"
cp -L "$BUILD"/tests/fakes/hip/libhip_on_cuda.so "$TO/tests/fakes/hip/"
ln -s ../libhip_on_cuda.so "$TO/tests/fakes/hip/rocm/libamdhip64.so.7"
cp -L "$BUILD"/bench/{device_suite,bars_nvidia,bare_start,bars_hip_metal} "$TO/bench/"
find "$TO" -type f -perm -u+x -exec strip --strip-debug {} + -o -name '*.so*' -type f -exec strip --strip-debug {} +
for plugin in "$TO"/lib/kmux/plugins/*.so; do  # a plugin whose size is not that of its manifest is refused
  sed -i "s/\"size\" : [0-9]*/\"size\" : $(stat -c %s "$plugin")/" "${plugin%.so}.plugin.json"
done
from=()
for folder in "$@"; do from+=(--from "$folder"); done
bench/collect_headers.py --to "$TO/headers" "${from[@]}" tests/data/tilelang/*/*.kmux.json bench/kernels/*/*.kmux.json
git rev-parse HEAD >"$TO/COMMIT"
du -sh "$TO"
