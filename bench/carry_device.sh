#!/usr/bin/env bash
# Makes build/device: what bench/device_suite needs on a machine with a GPU, without symbols for debuggers. Builds it here.
#
# usage: bench/carry_device.sh HEADERS...      HEADERS: folders that hold TileLang's and CUTLASS's headers
#
# What backend cutedsl runs there is compiled here, by a rehearsal, and carried as a cache: KMUX_CUTEDSL_PYTHON, or the
# active virtual environment, has CuTe DSL. TileLang's modules for it are in .cache/tilelang-headers/python (kmux.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly BUILD=build/release TO=build/device
readonly EXAMPLES=(saxpy portable quickstart jit_lazy jit_eager par_compile)
readonly TARGETS=(kmux_command kmux_worker kmux_plugin_nvrtc kmux_plugin_cuda kmux_plugin_cutedsl kmux_plugin_cpu kmux_conformance
  "${EXAMPLES[@]/#/example_}" kernel_name_forms
  device_suite bars driver_rules kmux_fake_cuda_driver kmux_tvm_ffi kmux_plugin_hip hip_on_cuda
  kmux_hip_programs random_kernels)

cmake --build "$BUILD" --target "${TARGETS[@]}" >&2
rm -rf "$TO"
mkdir -p "$TO"/{bin,lib/kmux/plugins,libexec/kmux,tests/fakes/hip/rocm,bench,examples}
cp -L "$BUILD"/bin/kmux "$TO/bin/"
cp -a "$BUILD"/lib/libkmux.so* "$BUILD"/lib/lib{kmux_tvm_ffi,call_allocating_module}.so "$BUILD"/lib/kmux_python.abi3.so "$TO/lib/"
cp -L "$BUILD"/lib/kmux/plugins/kmux_{nvrtc,cuda,cutedsl,hip,cpu}.* "$BUILD"/lib/kmux/plugins/kmux_cpu_clang.so "$TO/lib/kmux/plugins/"
# Clang's own headers, those of C and of x86-64's instructions, from where backend cpu has them.
clang=$(dirname "$(clang-19 -print-file-name=include)")
mkdir -p "$TO/lib/kmux/clang/19"
others=(cuda hip opencl hlsl openmp ppc_wrappers llvm_libc_wrappers zos_wrappers)
cp -r "$clang/include" "$TO/lib/kmux/clang/19/"
(cd "$TO/lib/kmux/clang/19/include" && rm -rf "${others[@]/%/*}" ./arm* ./riscv* ./altivec.h ./hvx* ./hexagon* ./*wasm* ./lasx* ./lsx* ./s390* ./msa.h ./sanitizer ./fuzzer ./profile ./xray ./orc)
cp -L "$BUILD"/libexec/kmux/kmux-worker "$TO/libexec/kmux/"
cp -L "$BUILD"/tests/{kmux-conformance,kmux_hip_programs,random_kernels,kernel_name_forms} "$TO/tests/"
for example in "${EXAMPLES[@]}"; do cp -L "$BUILD/examples/$example" "$TO/examples/"; done
"$BUILD"/tests/random_kernels --kernels 3000 --write "$TO/tests/random_kernels.sums"
cp -L "$BUILD"/tests/fakes/hip/libhip_on_cuda.so "$TO/tests/fakes/hip/"
ln -s ../libhip_on_cuda.so "$TO/tests/fakes/hip/rocm/libamdhip64.so.7"
cp -L "$BUILD"/bench/{device_suite,bars,call_allocating,bare_start} "$TO/bench/"
cp -L "$BUILD"/tests/driver_rules "$TO/bench/"
cp -r integrations/tvm_ffi/python "$TO/python"  # with TVM-FFI for the Python there, for bench/streams/captures.py
.venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$TO/wheel" \
  --python-version "${KMUX_DEVICE_PYTHON:-3.12}" --platform manylinux_2_28_x86_64 --platform manylinux_2_24_x86_64 \
  "$(.venv/bin/python -m pip freeze | grep ^apache-tvm-ffi==)"
python3 -m zipfile -e "$TO"/wheel/*.whl "$TO/python" && rm -r "$TO/wheel"
rm -rf "$TO"/python/tvm_ffi/{include,cython,src,3rdparty}  # what only compilers read
find "$TO" -type f -perm -u+x -exec strip --strip-debug {} + -o -name '*.so*' -type f -exec strip --strip-debug {} +
xz -T0 "$TO/lib/kmux/plugins/kmux_cpu_clang.so"  # bench/device_suite unpacks it
from=()
for folder in "$@"; do from+=(--from "$folder"); done
bench/collect_headers.py --to "$TO/headers" "${from[@]}" tests/data/tilelang/*/*.kmux.json bench/kernels/*/*.kmux.json
modules=.cache/tilelang-headers/python
[[ -d $modules ]] || modules=
export KMUX_CACHE_DIR=$PWD/$TO/cutedsl_cache
driver=$PWD/$(find "$BUILD" -name libcuda.so.1 -path '*fakes*' | head -1)
# For all three: the variable is a part of what identifies the compiler of launchers, and one compiler is remembered.
export LD_LIBRARY_PATH=${driver%/*}
"$BUILD"/bench/device_suite --programs tests/data/tilelang --headers "$TO/headers" ${modules:+--modules "$modules"} \
  --driver "$driver" --gtest_filter='*CuteDsl*' >&2
"$BUILD"/bench/bars --child prepare_cutedsl
"$BUILD"/tests/kmux-conformance --plugin cutedsl --plugin-path "$BUILD/lib/kmux/plugins" --rehearse >"$BUILD/conformance_cutedsl.log"
[[ -z $modules ]] || cp -a "$modules" "$TO/modules"
git rev-parse HEAD >"$TO/COMMIT"
du -sh "$TO"
