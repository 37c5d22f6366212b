# Linux on AArch64 from an x86-64 machine, for `--arch arm64`. Sourced by kmux.sh.
#
# Nothing of the machine's own packages is replaced: the libraries are Debian's arm64 packages, unpacked into a folder, as
# llvm-19-dev and others of amd64 and of arm64 cannot both be installed.

readonly ARM64=.cache/arm64
readonly ARM64_SYSROOT=$ARM64/sysroot
readonly ARM64_TOOLS=(g++-aarch64-linux-gnu qemu-user-static) # installed: a compiler, and what runs its programs here
readonly BINFMT=${KMUX_BINFMT:-/proc/sys/fs/binfmt_misc} BINFMT_ENTRY=${KMUX_BINFMT_ENTRY:-/usr/lib/binfmt.d/qemu-aarch64.conf}

# What a build for AArch64 needs.
arm64_setup() {
  command -v dpkg-deb >/dev/null || fail "--arch arm64 takes Debian's packages (there is no dpkg-deb here). Build on an AArch64 machine."
  packages "${ARM64_TOOLS[@]}"
  arm64_sysroot libc6-dev libstdc++-12-dev "${LIBRARIES[@]}"
  arm64_tvm_ffi || missed+=("$TVM_FFI for arm64 (so the Python package is left out)")
}

# The named packages and what they depend on, unpacked once into $ARM64_SYSROOT.
arm64_sysroot() {
  [[ $(cat "$ARM64_SYSROOT/complete" 2>/dev/null) == "$*" ]] && return 0
  say "fetching arm64 packages into $ARM64_SYSROOT (220 MB, once; unpacked 1.6 GB)"
  local apt=$ARM64/apt new=$ARM64_SYSROOT.part
  rm -rf "$apt" "$new" "$ARM64_SYSROOT"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$new"
  arm64_apt_settings "$PWD/$apt" >"$apt/apt.conf"
  arm64_apt update || fail "the lists of arm64 packages cannot be fetched ($(apt_error)). Check the network and /etc/apt."
  arm64_apt install -y --no-install-recommends --download-only "$@" ||
    fail "arm64 packages cannot be fetched ($(apt_error)). See $APT_LOG."
  local package
  for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$new"; done
  within_sysroot "$new"
  echo "$*" >"$new/complete"
  mv "$new" "$ARM64_SYSROOT"
  rm -rf "$apt"
}

# An apt of its own, for a machine of arm64 where nothing is installed yet.
arm64_apt_settings() {
  : >"$1/status"
  cat <<SETTINGS
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$1";
Dir::State::status "$1/status";
Dir::State::lists "$1/lists";
Dir::Cache "$1";
Dir::Cache::archives "$1/archives";
SETTINGS
}

arm64_apt() {
  local root=(env APT_CONFIG="$PWD/$ARM64/apt/apt.conf") # without root
  apt_get "$@"
}

# Links that begin at the root of a machine begin at the root of the folder $1.
within_sysroot() {
  local link
  find "$1" -lname '/*' | while read -r link; do
    ln -sfnr "$1$(readlink "$link")" "$link"
  done
}

# TVM-FFI's library for arm64, which the Python package is linked with.
arm64_tvm_ffi() {
  local folder=$ARM64/tvm_ffi
  [[ $(cat "$folder/complete" 2>/dev/null) == "$TVM_FFI" ]] && return 0
  rm -rf "$folder"
  pip install --no-deps --only-binary :all: --platform manylinux_2_24_aarch64 --platform manylinux_2_28_aarch64 --upgrade \
    --target "$folder" "$TVM_FFI" && echo "$TVM_FFI" >"$folder/complete"
}

# Programs for AArch64 are run by QEMU, and so are those that they start, once the kernel knows it. A compiler that they look for
# is the cross compiler.
arm64_environment() {
  export QEMU_LD_PREFIX=$PWD/$ARM64_SYSROOT
  export PATH=$PWD/$BUILD/tests/compilers:$PATH KMUX_COMPILER_READS=$PWD/$ARM64_SYSROOT
  [[ -e $BINFMT/qemu-aarch64 ]] && return 0
  say "having the kernel run programs for AArch64 by QEMU (binfmt_misc)"
  [[ -e $BINFMT/register ]] || mount -t binfmt_misc binfmt_misc "$BINFMT" 2>/dev/null || true
  cat "$BINFMT_ENTRY" >"$BINFMT/register" 2>/dev/null ||
    fail "the kernel cannot be told to run programs for AArch64 (no access to $BINFMT/register). As root: apt-get install binfmt-support."
}

# What runs under QEMU by default: the runtime, its worker and its cache, generated code, and backend cpu. Other tests are a
# matter of arguments to ctest: the plugins for GPUs are tested over fakes that are the same on every processor (-L unit), and
# kmux_cpu_test compiles for a quarter of an hour even without QEMU (-R kmux_cpu_test).
readonly ARM64_TARGETS=(unit_tests portable_tests golden_tests kmux_simt_runtime_test kmux_simt_portable_test
  kmux_conformance kmux_plugin_null kmux_plugin_null_a kmux_plugin_cpu kmux_worker)
readonly ARM64_TESTS='^((unit|portable|golden)_tests|kmux_simt_(runtime|portable)_test)\.|^conformance\.(null|cpu)(\.isolated)?$'

# How many cases were left out since QEMU cannot do what they test; they name it so (tests/needs.h), and count as passed.
qemu_lacks() {
  local count
  count=$(grep -c '^needs errors of posix_spawn (' "$BUILD/Testing/Temporary/LastTest.log" 2>/dev/null) || true
  echo "${count:-0}"
}

# Builds and runs the tests that arguments to ctest choose, of those that need no device and no other machine, or those above. The
# last line is how many failed.
arm64_tests() {
  trap 'end_fetching; say_durations' EXIT
  prepare
  if (($#)); then
    build_targets kmux_product kmux_tests_unit kmux_tests_golden kmux_tests_conformance
  else
    build_targets "${ARM64_TARGETS[@]}"
    set -- -R "$ARM64_TESTS"
  fi
  arm64_environment
  stage tests
  local status=0 log=$BUILD/tests.log
  ctest --test-dir "$BUILD" --output-on-failure --no-tests=error --timeout 1800 --parallel "$JOBS" "$@" | tee "$log" || status=$?
  "$PYTHON" -B tools/skipped_tests.py "$BUILD/Testing/Temporary" | sed 's/^/kmux: /' >&2
  say "of these for want of what QEMU's user mode lacks: $(qemu_lacks)"
  sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed.*/bar aarch64_tests_failed \1 tests/p' "$log"
  return "$status"
}
