#!/usr/bin/env bash
# combinations.sh [NAME...] [-- ARG...]: runs './kmux.sh test ARG...' of the last commit in a bare Debian 12, once for each combination of git, PyPI, a CUDA
# toolkit and TVM-FFI that a machine may have. NAME is none, or what there is: git+pypi+toolkit+tvm_ffi, pypi+toolkit ...; without names
# all 16 run. Prints a line for each; ends with 1 if a test failed. The machine is a folder made by debootstrap, which stays:
# build/combinations, or KMUX_COMBINATIONS. Needs root, and a toolkit in /usr/local/cuda for those that have one.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
readonly FOLDER=${KMUX_COMBINATIONS:-$PWD/build/combinations} TOOLKIT=/usr/local/cuda PARTS=(git pypi toolkit tvm_ffi)
readonly ROOT=$FOLDER/root TREE=/kmux

fail() { echo "combinations.sh: $*" >&2; exit 1; }
say() { echo "combinations.sh: $*" >&2; }

# In a mount namespace, so that no mount outlives the command.
if [[ ${1:-} != --inside ]]; then
  ((EUID == 0)) || fail "only root can enter another root folder. Run it as root."
  exec unshare --mount bash "${BASH_SOURCE[0]}" --inside "$@"
fi
shift

# The names of all combinations, from none to all parts.
all_names() {
  local number part name
  for ((number = 0; number < 1 << ${#PARTS[@]}; ++number)); do
    name=''
    for part in "${!PARTS[@]}"; do (((number >> part & 1) == 0)) || name+="${name:++}${PARTS[part]}"; done
    echo "${name:-none}"
  done
}

# Whether combination $1 has part $2.
has() { [[ +$1+ == *+$2+* ]]; }

# A Debian 12 with nothing but what apt and pip need to reach their registries, as this machine does.
make_root() {
  [[ ! -e $FOLDER/complete ]] || return 0
  command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null || fail "there is no debootstrap. Install it."
  say "making a Debian 12 in $ROOT"
  rm -rf "$ROOT"
  mkdir -p "$ROOT"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$ROOT" >"$FOLDER/debootstrap.log" 2>&1 ||
    fail "debootstrap failed. See $FOLDER/debootstrap.log."
  cp -L /etc/ssl/certs/ca-certificates.crt "$ROOT/etc/ssl/certs/"
  : >"$FOLDER/complete"
}

# What a container has of its host, and its compiler's cache: most of what is compiled is the same everywhere.
mount_root() {
  local each cache
  cache=$(ccache -k cache_dir 2>/dev/null) && [[ -d $cache ]] || cache=$FOLDER/ccache
  for each in proc sys dev; do mount --rbind "/$each" "$ROOT/$each" || fail "cannot mount /$each in $ROOT."; done
  mount -t tmpfs none "$ROOT/tmp" && mkdir -p "$ROOT/ccache" "$ROOT$TREE" "$cache"
  mount --bind "$cache" "$ROOT/ccache" || fail "cannot mount $cache in $ROOT."
  cp -L /etc/resolv.conf /etc/hosts "$ROOT/etc/"
}

# Runs a command in the root, with the environment of a fresh shell, and this machine's way to PyPI or none.
inside() {
  local name=$1 pip
  shift
  mapfile -t pip < <(env | grep '^PIP_')
  has "$name" pypi || pip=(PIP_INDEX_URL=http://127.0.0.1:9/simple PIP_NO_CACHE_DIR=1)
  has "$name" tvm_ffi || pip+=(PIP_CONSTRAINT="$TREE/.no_tvm_ffi")
  chroot "$ROOT" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    CCACHE_DIR=/ccache "${pip[@]}" bash -c "cd $TREE && \"\$@\"" -- "$@"
}

# The tree of the last commit with its history, and nothing that an earlier combination left of it but what it compiled. Files that
# are as they were keep their times, so that only what a combination changes is compiled again.
lay_tree() {
  if ! git -C "$ROOT$TREE" rev-parse -q HEAD >/dev/null 2>&1; then
    rm -rf "${ROOT:?}$TREE"
    git clone -q --no-hardlinks "$PWD" "$ROOT$TREE" || fail "the tree cannot be cloned."
  fi
  { git -C "$ROOT$TREE" fetch -q "$PWD" HEAD && git -C "$ROOT$TREE" reset -q --hard FETCH_HEAD &&
    git -C "$ROOT$TREE" clean -ffdxq -e build; } || fail "the tree cannot be renewed. Remove $ROOT$TREE."
  rm -f "$ROOT$TREE"/build/*/CMakeCache.txt
  echo 'apache-tvm-ffi<0' >"$ROOT$TREE/.no_tvm_ffi"
}

lay_git() {
  rm -f "$ROOT/etc/apt/preferences.d/no_git"
  has "$1" git && return
  inside "$1" apt-get purge -y -qq git >/dev/null 2>&1
  printf 'Package: git\nPin: version *\nPin-Priority: -1\n' >"$ROOT/etc/apt/preferences.d/no_git"
}

lay_toolkit() {
  ! mountpoint -q "$ROOT$TOOLKIT" || umount "$ROOT$TOOLKIT"
  rm -rf "${ROOT:?}$TOOLKIT"
  has "$1" toolkit || return 0
  [[ -e $TOOLKIT/bin/nvcc ]] || fail "there is no toolkit in $TOOLKIT. Name combinations without 'toolkit'."
  mkdir -p "$ROOT$TOOLKIT"
  mount --bind "$(readlink -f "$TOOLKIT")" "$ROOT$TOOLKIT" || fail "cannot mount $TOOLKIT in $ROOT."
}

# TVM-FFI in .venv, from PyPI while that may still be reached.
lay_tvm_ffi() {
  has "$1" tvm_ffi || return 0
  local package
  package=$(sed -n 's/^readonly TVM_FFI=\([^ ]*\).*/\1/p' kmux.sh)
  inside "$1" apt-get install -y -qq --no-install-recommends python3-venv >/dev/null 2>&1 || inside "$1" bash -c \
    'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv' >/dev/null 2>&1
  inside pypi+tvm_ffi bash -c "/usr/bin/python3 -m venv --system-site-packages .venv && .venv/bin/pip install -q $package" ||
    fail "$package cannot be had. Name combinations without 'tvm_ffi'."
}

# Prints the name, what ctest said of it, and the time.
run_combination() {
  local name=$1 log=$FOLDER/$1.log began=$SECONDS status=0 closing
  lay_tree
  lay_git "$name"
  lay_toolkit "$name"
  lay_tvm_ffi "$name"
  inside "$name" ./kmux.sh test "${CTEST_WORDS[@]}" </dev/null >"$log" 2>&1 || status=$?
  closing=$(grep -E '^[0-9]+% tests passed' "$log" || echo "no test ran, see $log")
  printf '%-28s %s, %d skipped, %d s\n' "$name" "$closing" "$(grep -c '(Skipped)$' "$log")" $((SECONDS - began))
  return "$status"
}

main() {
  local name failed=0 names=()
  while (($#)) && [[ $1 != -- ]]; do names+=("$1") && shift; done
  readonly CTEST_WORDS=("${@:2}")
  ((${#names[@]})) || mapfile -t names < <(all_names)
  for name in "${names[@]}"; do grep -qx -- "$name" < <(all_names) || fail "there is no combination '$name'. They are: $(all_names | paste -sd ' ')."; done
  make_root
  mount_root
  for name in "${names[@]}"; do run_combination "$name" || failed=1; done
  return "$failed"
}

main "$@"
