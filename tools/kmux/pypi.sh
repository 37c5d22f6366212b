# What comes from PyPI: .venv, and what is fetched side by side with the build. Sourced by kmux.sh.

missed=()    # what cannot be had, told in one line
refusal=''   # how the network refused
fetching=''  # the process that fetches

# pip of .venv, or of the Python in PIP_PYTHON, without its words, which go to a log. A network that has refused once is not
# tried again.
pip() {
  [[ -z $refusal ]] || return 1
  local output
  output=$("${PIP_PYTHON:-.venv/bin/python}" -m pip "$1" --disable-pip-version-check --no-input --retries 1 --timeout 15 "${@:2}" 2>&1) &&
    return 0
  printf 'pip %s\n%s\n' "$*" "$output" >>"$FETCH_LOG"
  refusal=$(refusal_in "$output")
  return 1
}

# The words with which pip reports an index out of reach; nothing where the index answered.
refusal_in() {
  local signs='certificate verify failed|Cannot connect to proxy|Connection refused|Connection reset by peer'
  signs+='|Name or service not known|Temporary failure in name resolution|No route to host|Network is unreachable'
  signs+='|timed out|40[137] Client Error|Tunnel connection failed: [0-9]+|SSL: [A-Z_]+'
  grep -oiE -m1 "$signs" <<<"$1" | head -n1 || true
}

# Puts the named PyPI packages into .venv; only when missing.
venv() {
  [[ -x .venv/bin/python ]] || "$PYTHON" -m venv --system-site-packages .venv
  local package
  for package in "$@"; do
    .venv/bin/python -m pip show --quiet "${package%%[=<>]*}" >/dev/null 2>&1 || pip install "$package" || return 1
  done
}

# The headers that TileLang's generated code includes, CUTLASS's among them, out of its wheel (50 MB, once).
tilelang_headers() {
  [[ -d $TILELANG_HEADERS/tl_templates && -d $TILELANG_HEADERS/cutlass && -d $TILELANG_HEADERS/python ]] && return 0
  local folder status=0
  folder=$(mktemp -d)
  pip download --no-deps --only-binary :all: --dest "$folder" "$TILELANG" &&
    unpack "$folder" tilelang/src/tl_templates "$TILELANG_HEADERS/tl_templates" &&
    unpack "$folder" tilelang/3rdparty/cutlass/include "$TILELANG_HEADERS/cutlass" &&
    unpack "$folder" tilelang/contrib/cutedsl "$TILELANG_HEADERS/python/tilelang/contrib/cutedsl" || status=1
  rm -rf "$folder"
  return "$status"
}

# TileLang itself, where its tests are asked for, in an environment of its own (3 GB with torch, once): it wants another TVM-FFI than
# .venv has. Its older releases are folders that stand before it on a path, see integrations/tilelang/tests/with_tilelang.py.
tilelang() {
  [[ ${KMUX_TILELANG_TESTS:-0} == 1 ]] || return 0
  local release needs="$TILELANG ${TILELANG_NEEDS[*]} $CUTE_DSL"
  for release in "${TILELANG_OLDER[@]}"; do older_tilelang "$release" || return 1; done
  [[ $(cat "$TILELANG_VENV/complete" 2>/dev/null) == "$needs" ]] && return 0
  [[ -x $TILELANG_VENV/bin/python ]] || "$PYTHON" -m venv "$TILELANG_VENV" || return 1
  PIP_PYTHON=$TILELANG_VENV/bin/python pip install --only-binary :all: "$TILELANG" "${TILELANG_NEEDS[@]}" "$CUTE_DSL" &&
    printf '%s\n' "$needs" >"$TILELANG_VENV/complete"
}

# One older release, in a folder that has its name once it is whole.
older_tilelang() {
  local folder=$TILELANG_RELEASES/$1
  [[ -d $folder ]] && return 0
  rm -rf "$folder.part"
  pip install --no-deps --only-binary :all: --target "$folder.part" "tilelang==$1" && mv "$folder.part" "$folder"
}

unpack() { "$PYTHON" -B tools/unpack_wheel.py "$1"/*.whl "$2" "$3" >>"$FETCH_LOG" 2>&1; }

has_toolkit() {
  local home
  for home in "${KMUX_CUDA_HOME:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
    [[ -n $home && -e $home/lib64/libnvrtc.so ]] && return 0
  done
  return 1
}

# NVRTC comes from PyPI where there is no CUDA toolkit.
nvrtc() { has_toolkit || venv "${NVRTC_PACKAGES[@]}"; }

# CuTe DSL comes from PyPI (110 MB), unless a Python that has it is named.
cute_dsl() { [[ -n ${KMUX_CUTEDSL_PYTHON:-} && $KMUX_CUTEDSL_PYTHON != "$PWD/.venv/bin/python" ]] || venv "$CUTE_DSL"; }

# What distributes the tasks of kmux.fleet (75 MB).
ray_wheel() { venv "$RAY"; }

# The wheels that the Python package is installed with in a clean environment (20 MB, once), for its test.
wheels() {
  compgen -G "$WHEELS/apache_tvm_ffi-*.whl" >/dev/null && return 0
  pip download --only-binary :all: --dest "$WHEELS" "$TVM_FFI" typing_extensions numpy
}

# Every release of TVM-FFI that TileLang or torch's users have (10 MB each, once), in a folder that has its name once it is whole.
tvm_ffi_releases() {
  local release folder
  for release in "${TVM_FFI_RELEASES[@]}"; do
    folder=$TVM_FFI_FOLDER/$release
    [[ -d $folder ]] && continue
    rm -rf "$folder.part"
    pip install --no-deps --only-binary :all: --target "$folder.part" "apache-tvm-ffi==$release" && mv "$folder.part" "$folder" ||
      return 1
  done
}

# What makes our wheel, what our Python package shows progress with, and what checks its types.
wheel_tools() { venv "${WHEEL_TOOLS[@]}"; }

# Plugins look into the virtual environment that is active, and for the Python that has CuTe DSL.
use_venv() {
  if ! has_toolkit; then
    say "no CUDA toolkit here: NVRTC and its headers are PyPI's, what needs nvcc is left out"
    export VIRTUAL_ENV=$PWD/.venv
  fi
  export KMUX_CUTEDSL_PYTHON=${KMUX_CUTEDSL_PYTHON:-$PWD/.venv/bin/python}
}

# Runs the named functions one after the other: two pips in one environment at a time are not safe.
fetch_all() {
  local each
  for each in "$@"; do "$each" || missed+=("${FETCHED[$each]}"); done
  say_missed
}

say_missed() {
  ((${#missed[@]})) || return 0
  local list why='PyPI lacks something'
  list=$(printf '%s, ' "${missed[@]}")
  [[ -z $refusal ]] || why="PyPI cannot be reached ($refusal)"
  say "$why. What needs these is skipped: ${list%, }. Log: $FETCH_LOG"
}

# Fetches beside what follows, in a process group of its own, which ends with kmux.sh.
begin_fetching() {
  set -m
  fetch_all "$@" </dev/null 2>"$FETCH_LOG.told" &
  fetching=$!
  set +m
}

# Waits for it, and reports what it could not have.
join_fetching() {
  [[ -n $fetching ]] || return 0
  if is_fetching_after 2; then say "waiting for what PyPI has (log: $FETCH_LOG)"; fi
  wait "$fetching" || true
  fetching=''
  cat "$FETCH_LOG.told" >&2
}

# Whether it still runs after so many seconds; returns as soon as it does not.
is_fetching_after() {
  local tenth
  for ((tenth = 0; tenth < 10 * $1; ++tenth)); do
    kill -0 "$fetching" 2>/dev/null || return 1
    sleep 0.1
  done
}

# Nothing of it runs on: what it had started has ended, too, or is ended after two seconds.
end_fetching() {
  [[ -n $fetching ]] || return 0
  kill -- "-$fetching" 2>/dev/null || true
  wait "$fetching" 2>/dev/null || true
  local tenth
  for ((tenth = 0; tenth < 20; ++tenth)); do
    kill -0 -- "-$fetching" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$fetching" 2>/dev/null || true
}
