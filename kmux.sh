#!/usr/bin/env bash
# kmux.sh: everything a person does with this tree, from a fresh Debian 12. See `./kmux.sh help`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly BUILD=build/release
readonly JOBS=${KMUX_JOBS:-$(nproc)}
readonly BUILD_PACKAGES=(
  build-essential cmake ninja-build ccache
  libboost1.81-dev libboost-context1.81-dev libboost-program-options1.81-dev nlohmann-json3-dev libssl-dev libarchive-dev libhiredis-dev
  llvm-19-dev libclang-19-dev clang-19 libpolly-19-dev libzstd-dev zlib1g-dev
  libgtest-dev libgmock-dev libbenchmark-dev redis-tools
  python3 python3-venv python3-numpy)
# The second LLVM of tests/integration/second_llvm_test.cpp; what compiles for AMD's devices in the tests of plugins/hip;
# what opens the pages of tests/browser.
readonly TEST_PACKAGES=(libclang-cpp15 lld-19 libamdhip64-5 libhiprtc-builtins5 rocm-device-libs
  chromium chromium-driver python3-selenium)
readonly LINT_PACKAGES=(git clang-format-19 clang-tidy-19)
readonly PYTHON=/usr/bin/python3 # Debian's, which sees Debian's numpy
readonly TILELANG=tilelang==0.1.15
readonly CUTE_DSL=nvidia-cutlass-dsl==4.8.1
readonly NVRTC_PACKAGES=(nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85)
readonly PYTHON_PACKAGES=(apache-tvm-ffi==0.1.15.post2 hatchling==1.33.0 tqdm==4.70.1) # what integrations/tvm_ffi takes
# What was compiled in one clone is found by the next: paths count from the root of the tree.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
readonly WHEELS=.cache/wheels # what its wheel needs in a clean environment
readonly TILELANG_HEADERS=.cache/tilelang-headers

usage() {
  cat <<'TEXT'
kmux.sh: builds, tests and shows kmux. Each command first installs what is missing from Debian's packages.

  ./kmux.sh demo           build and run the main job on real input
  ./kmux.sh test           build and run every test
  ./kmux.sh build          build into build/release: bin/kmux, lib/libkmux.so, lib/kmux/plugins/, bench/
  ./kmux.sh package        make the archive that runs wherever glibc 2.36 is: build/release/package/kmux-*.tar.gz
  ./kmux.sh wheel          make the Python package: build/release/package/kmux-*.whl
  ./kmux.sh lint           clang-format, clang-tidy and the rules of the tree; changes nothing
  ./kmux.sh format         rewrite the sources with clang-format
  ./kmux.sh bench [ARG..]  run the benchmarks (arguments go to Google Benchmark)
  ./kmux.sh bars [GROUP]   print the figures we hold ourselves to: "bar NAME VALUE UNIT"
  ./kmux.sh nightly        what takes too long for every change: 10,000 random orders of streams, tests under many seeds
  ./kmux.sh regress [--update]  compare with the baseline of this class of machines (docs/regress.md), or measure it anew
  ./kmux.sh setup          only install what is missing

KMUX_JOBS=N sets the number of parallel jobs (default: one a processor).
TEXT
}

say() { echo "kmux: $*" >&2; }
fail() { say "$*"; exit 1; }

# Installs those of the named Debian packages that are missing; `a|b` is content with b and installs a.
packages() {
  command -v dpkg-query >/dev/null || { say "not a Debian machine, taking what is there instead of: $*"; return 0; }
  local missing=() package
  for package in "$@"; do
    grep -qx installed < <(dpkg-query -W -f '${db:Status-Status}\n' ${package//|/ } 2>/dev/null) ||
      missing+=("${package%%|*}")
  done
  ((${#missing[@]})) || return 0
  local root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "packages are missing (neither root nor sudo here). Install: ${missing[*]}"
    root=(sudo)
  fi
  say "installing ${missing[*]}"
  local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get install -qq -y --no-install-recommends "${missing[@]}")
  # The lists of a fresh machine are empty or old: fetch them only when the first attempt fails.
  "${install[@]}" >/dev/null 2>&1 && return 0
  "${root[@]}" apt-get update -qq >&2 || fail "apt-get update failed. Check the network and /etc/apt/sources.list."
  "${install[@]}" >/dev/null || fail "apt-get could not install ${missing[*]}. It says why above."
}

# Puts the named PyPI packages into .venv; quiet, and only when missing.
venv() {
  [[ -x .venv/bin/python ]] || $PYTHON -m venv --system-site-packages .venv
  local package
  for package in "$@"; do
    .venv/bin/python -m pip show --quiet "${package%%[=<>]*}" >/dev/null 2>&1 ||
      .venv/bin/python -m pip install --quiet --disable-pip-version-check "$package" >&2
  done
}

# The headers that TileLang's generated code includes, CUTLASS's among them, out of its wheel. Tests that need them skip
# without them.
tilelang_headers() {
  [[ -d $TILELANG_HEADERS/tl_templates && -d $TILELANG_HEADERS/cutlass && -d $TILELANG_HEADERS/python ]] && return 0
  say "fetching TileLang's headers ($TILELANG, 50 MB, once)"
  local wheel
  wheel=$(mktemp -d)
  if venv && .venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
    --only-binary :all: --dest "$wheel" "$TILELANG" >&2 &&
    .venv/bin/python tools/unpack_wheel.py "$wheel"/*.whl tilelang/src/tl_templates "$TILELANG_HEADERS/tl_templates" &&
    .venv/bin/python tools/unpack_wheel.py "$wheel"/*.whl tilelang/3rdparty/cutlass/include "$TILELANG_HEADERS/cutlass" &&
    .venv/bin/python tools/unpack_wheel.py "$wheel"/*.whl tilelang/contrib/cutedsl \
      "$TILELANG_HEADERS/python/tilelang/contrib/cutedsl"; then
    :
  else
    say "TileLang's headers cannot be had; what needs them is skipped"
  fi
  rm -rf "$wheel"
}

# NVRTC comes from PyPI where there is no CUDA toolkit; plugins look into the virtual environment that is active.
nvrtc() {
  local home
  for home in "${KMUX_CUDA_HOME:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
    [[ -n $home && -e $home/lib64/libnvrtc.so ]] && return 0
  done
  say "no CUDA toolkit here: taking NVRTC and its headers from PyPI; what needs nvcc is left out"
  venv "${NVRTC_PACKAGES[@]}" || say "NVRTC cannot be had; what needs it is skipped"
  export VIRTUAL_ENV=$PWD/.venv
}

# The wheels that the Python package is installed with in a clean environment, for its test.
wheels() {
  compgen -G "$WHEELS/apache_tvm_ffi-*.whl" >/dev/null && return 0
  say "fetching what the Python package depends on (20 MB, once)"
  venv && .venv/bin/python -m pip download --quiet --disable-pip-version-check --only-binary :all: --dest "$WHEELS" \
    "${PYTHON_PACKAGES[0]}" typing_extensions numpy >&2 || say "wheels cannot be had; the test of ours is skipped"
}

# CuTe DSL comes from PyPI (110 MB), unless a Python that has it is named; what needs it is skipped without it.
cute_dsl() {
  [[ -z ${KMUX_CUTEDSL_PYTHON:-} ]] || return 0
  venv "$CUTE_DSL" || say "CuTe DSL cannot be had; what needs it is skipped"
  export KMUX_CUTEDSL_PYTHON=$PWD/.venv/bin/python
}

# Configures preset $1 (default: release) into its folder below build.
configure() {
  packages "${BUILD_PACKAGES[@]}"
  venv "${PYTHON_PACKAGES[@]}" || say "${PYTHON_PACKAGES[*]} cannot be had; the Python package is left out"
  local log
  log=$(mktemp)
  if ! cmake --preset "${1:-release}" -DPython3_EXECUTABLE="$PYTHON" \
    -DKMUX_TILELANG_HEADERS="$PWD/$TILELANG_HEADERS" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "configuring failed. It says why above."
  fi
  grep '^-- kmux:' "$log" >&2 || true
  rm -f "$log"
}

# Builds the named targets, or everything. What it prints goes to stderr: stdout belongs to the commands.
build() {
  configure
  cmake --build --preset release --parallel "$JOBS" ${1:+--target "$@"} >&2
}

sources() {
  git ls-files --cached --others --exclude-standard -- '*.h' '*.hpp' '*.cpp' '*.c' '*.inc' ':!:**/data/**'
}

demo() {
  packages "${BUILD_PACKAGES[@]}"
  tilelang_headers
  build kmux_demo
  [[ -f examples/demo/run.sh ]] || fail "examples/demo/run.sh is not there yet"
  exec bash examples/demo/run.sh "$BUILD"
}

# Runs every test; arguments go to ctest. Skipped cases are counted and named.
run_tests() {
  packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
  tilelang_headers
  nvrtc
  cute_dsl
  wheels
  build
  local status=0 skipped
  ctest --preset release --parallel "$JOBS" "$@" || status=$?
  skipped=$(sed -n 's/^\[  SKIPPED \] \([^ ]*\)$/\1/p' "$BUILD/Testing/Temporary/LastTest.log" | sort -u)
  [[ -z $skipped ]] || say "skipped test cases: $(wc -l <<<"$skipped") ($(paste -sd ' ' <<<"$skipped"))"
  return "$status"
}

package() {
  build kmux_product
  cpack --preset device >&2 || fail "packaging failed. It says why above."
  ls "$BUILD"/package/*.tar.gz
}

wheel() {
  build kmux_product
  .venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    --wheel-dir "$BUILD/package" integrations/tvm_ffi >&2 || fail "the wheel cannot be made. It says why above."
  ls "$BUILD"/package/*.whl
}

lint() {
  packages "${LINT_PACKAGES[@]}"
  configure lint # where each source is compiled by itself
  local status=0
  sources | xargs -r clang-format-19 --dry-run -Werror || status=1
  "$PYTHON" tools/check_tree.py || status=1
  "$PYTHON" tools/tidy.py --jobs "$JOBS" build/lint core plugins cli integrations || status=1
  return "$status"
}

format() {
  packages "${LINT_PACKAGES[@]}"
  sources | xargs -r clang-format-19 -i
}

bench() {
  build
  local program found=0
  for program in "$BUILD"/bench/bench_*; do
    [[ -x $program ]] || continue
    found=1
    "$program" "$@"
  done
  ((found)) || fail "no benchmark in $BUILD/bench"
}

bars() {
  tilelang_headers
  nvrtc
  cute_dsl
  if [[ ${1:-} == fresh ]]; then # builds in a clone; half an hour, so never without being named
    packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
    wheels
    exec "$PYTHON" -B bench/bars_fresh --jobs "$JOBS"
  fi
  build
  local programs=("$BUILD"/bench/bars_*) program status=0
  [[ -x ${programs[0]} ]] || fail "no bars in $BUILD/bench"
  if [[ $# -gt 0 ]]; then
    if [[ ! -x $BUILD/bench/bars_$1 ]]; then
      say "no group '$1'. Groups: ${programs[*]##*/bars_}"
      exit 2
    fi
    programs=("$BUILD/bench/bars_$1")
  fi
  for program in "${programs[@]}"; do "$program" || status=1; done
  return "$status"
}

# Everything over the fake CUDA driver, in as many orders of streams as a night has time for.
nightly() {
  nvrtc
  build
  export KMUX_DISABLE_CACHE=1
  local status=0 each
  "$BUILD/bench/bars_order" --seeds 10000 reorder_seeds_failed || status=1
  for each in kmux_nvidia_fake_test:10000 kmux_nvidia_test:1000 kmux_nvrtc_test:50 kmux_cuda_test:50 \
    kmux_nvidia_plugins_test:20; do
    say "${each#*:} seeds of ${each%:*}"
    "$PYTHON" -B tests/order/seeds.py --seeds 1 "${each#*:}" "$BUILD/tests/${each%:*}" || status=1
  done
  return "$status"
}

# Arguments go to kmux_regress. Ends with 1 if something is slower, with 3 if there is nothing to compare with.
regress() {
  build kmux_regress
  exec "$BUILD/bench/kmux_regress" "$@"
}

command=${1:-help}
shift || true
case $command in
  demo | build | package | wheel | lint | format | bench | bars | nightly | regress) "$command" "$@" ;;
  test) run_tests "$@" ;;
  setup) packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}" "${LINT_PACKAGES[@]}" ;;
  help | -h | --help) usage ;;
  *)
    say "no command '$command'"
    usage >&2
    exit 2
    ;;
esac
