# The suite in its two sizes, and core and backend cpu alone. Sourced by kmux.sh. cmake/kmux_test_sizes.cmake says what is in which.

# What tests of every change need: what tells of an installation, what links them, the second LLVM of tests/integration/second_llvm_test.cpp, the bitcode and the
# headers of AMD's devices, git, by which some tests look at the tree, and Doxygen, which checks the comments of public headers.
readonly TEST_PACKAGES=(git pkgconf lld-19 libclang-cpp15 libamdhip64-dev rocm-device-libs doxygen)
# What the others need: HIP's compiler, a driver of OpenCL for processors, for examples/plugins, what opens the pages of
# tests/browser.
readonly ALL_TEST_PACKAGES=("${TEST_PACKAGES[@]}" libamdhip64-5 libhiprtc-builtins5
  ocl-icd-libopencl1 pocl-opencl-icd chromium chromium-driver python3-selenium)
# What the Python package and its wheel are tested with, and what everything else is.
readonly TEST_FETCHES=(wheels) ALL_TEST_FETCHES=(tilelang_headers nvrtc cute_dsl ray_wheel wheels tvm_ffi_releases tilelang)
readonly TSAN=build/tsan
readonly THREAD_TESTS=(unit_tests cache_torture_tests kmux_fresh_test kmux_fake_cuda_test kmux_nvidia_fake_test kmux_simt_runtime_test)

# Runs the tests of the runtime, of its worker and of the fakes, under the thread sanitizer: those that have threads and are quick
# enough for every change, in their small forms. `sanitize tsan` has them all.
check_threads() {
  local log=$TSAN/tests.log
  mkdir -p "$TSAN"
  configure tsan "$TSAN"
  build_in "$TSAN" "${THREAD_TESTS[@]/#/tests/}"
  stage threads
  local programs=${THREAD_TESTS[*]}
  if ! KMUX_ALL_TESTS=0 "$PYTHON" -B tools/sanitize.py tsan "$TSAN" -R "^(${programs// /|})\\." -E 'random_program|text_roundtrip|expr_' \
    --output-on-failure --timeout 600 --repeat until-pass:2 --parallel "$JOBS" >"$log" 2>&1; then # a report counts all the same
    tail -n 60 "$log" >&2
    fail "the thread sanitizer has reports, or a test failed under it (above; the whole log is $log)."
  fi
  say "under the thread sanitizer: $(grep 'tests passed' "$log"), $(sed -n 's/^bar tsan_reports //p' "$log")"
}

# Everything that a test of any size needs is there afterwards.
prepare_all_tests() {
  packages "${BUILD_PACKAGES[@]}"
  packages_of_tests "${ALL_TEST_PACKAGES[@]}"
  use_venv
  prepare "${ALL_TEST_FETCHES[@]}"
}

# Builds and runs the tests of size `first`, `all` or `rest`; further arguments go to ctest. Ends with what was skipped for want of
# what, and with how long it took.
run_tests() {
  if [[ $PRESET == arm64 ]]; then
    arm64_tests "$@"
    return
  fi
  local size=first
  [[ ${KMUX_ALL_TESTS:-0} != 1 ]] || size=all
  case ${1:-} in --all | --rest) size=${1#--} && shift ;; esac
  trap 'end_fetching; say_durations' EXIT
  stage install
  "${size}_tests" "$@"
}

# What every change runs.
first_tests() {
  packages "${BUILD_PACKAGES[@]}"
  packages_of_tests "${TEST_PACKAGES[@]}"
  use_venv
  prepare "${TEST_FETCHES[@]}"
  build_targets
  ctest_and_skips -LE '^large$' "$@"
}

all_tests() {
  build_all_tests
  (($#)) || check_threads_and_formats
  ctest_and_skips "$@"
}

# What the small size left out, made smaller, or skipped for want of what is fetched now.
rest_tests() {
  local names
  names=$("$PYTHON" -B tools/rest_of_tests.py "$BUILD") || fail "the tests are not known (nothing is built in $BUILD). Run './kmux.sh test' first."
  build_all_tests
  check_threads_and_formats
  ctest_and_skips -R "$names" "$@"
}

build_all_tests() {
  export KMUX_ALL_TESTS=1 KMUX_TILELANG_TESTS=${KMUX_TILELANG_TESTS:-1}
  [[ ${KMUX_FUZZ:-10} =~ ^[1-9][0-9]*$ ]] || fail "KMUX_FUZZ=$KMUX_FUZZ is not known (it is the number of seconds that each fuzzer has)."
  prepare_all_tests
  build_targets all kmux_rest
}

check_threads_and_formats() {
  check_threads
  check_formats "${KMUX_FUZZ:-10}"
}

# One test more than there are processors, as many wait for processes and time-outs.
ctest_and_skips() {
  stage tests
  local status=0
  ctest --test-dir "$BUILD" --output-on-failure --no-tests=error --timeout 600 --parallel $((JOBS + 1)) "$@" || status=$?
  "$PYTHON" -B tools/skipped_tests.py "$BUILD/Testing/Temporary" | sed 's/^/kmux: /' >&2
  return "$status"
}
