# The fuzzers of the formats that reach kmux from elsewhere (tests/fuzz): for as long as wanted, and each for seconds before a change
# goes in.

readonly FUZZERS=(text program expression manifest artifact entry remote bundle npy frames)
readonly FUZZ=build/fuzz # what a fuzzer found stays in its folder corpus, and is what the next run begins with

# What is kept of what the fuzzers have found, in tests/fuzz/corpus: of all formats, or of those that are named.
keep_corpus() {
  [[ -x $FUZZ/tests/fuzz_formats ]] || fail "nothing has been found yet (there are no fuzzers in $FUZZ). Run './kmux.sh fuzz 600' first."
  (($#)) || set -- "${FUZZERS[@]}"
  "$PYTHON" -B tools/fuzz_corpus.py "$FUZZ" "$@"
}

# The fuzzers, each for $1 seconds; further words name them (text, and what tests/fuzz/format_check.cpp lists). What cannot be read
# in ten seconds and 2 GiB is a failure, too.
fuzz() {
  local seconds=${1:-600} each status=0
  if [[ $seconds == keep ]]; then
    keep_corpus "${@:2}"
    return
  fi
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "'fuzz $seconds' is not known (the word is a number of seconds, or keep)."
  (($# > 1)) && local -r fuzzers=("${@:2}") || local -r fuzzers=("${FUZZERS[@]}")
  packages "${BUILD_PACKAGES[@]}"
  prepare
  build_fuzzers
  join_fetching
  stage fuzz
  for each in "${fuzzers[@]}"; do fuzz_one "$each" "$seconds" "-fork=$JOBS" || status=1; done
  return "$status"
}

# The preset compiles without optimisation: in a third of the time, which every change waits for.
build_fuzzers() {
  packages "${FUZZ_PACKAGES[@]}"
  configure fuzz "$FUZZ"
  build_in "$FUZZ" fuzz_text fuzz_formats write_seeds
}

# Each fuzzer for $1 seconds, a process each and one a processor, before a change goes in.
check_formats() {
  build_fuzzers
  stage fuzz
  local each processes=() broken=()
  for each in "${FUZZERS[@]}"; do
    rm -f "$FUZZ/$each.passed"
    (fuzz_one "$each" "$1" >"$FUZZ/$each.log" 2>&1 && : >"$FUZZ/$each.passed") &
    processes+=($!)
    ((${#processes[@]} % JOBS)) || wait "${processes[@]: -JOBS}" || true
  done
  wait "${processes[@]}" || true
  for each in "${FUZZERS[@]}"; do
    [[ -e $FUZZ/$each.passed ]] || { broken+=("$each"); tail -n 40 "$FUZZ/$each.log" >&2; }
  done
  ((${#broken[@]} == 0)) || fail "the fuzzer of ${broken[*]} found something (above; the whole log is $FUZZ/${broken[0]}.log)."
  say "${#FUZZERS[@]} fuzzers, $1 s each: nothing found"
}

# The fuzzer $1 for $2 seconds; further words are libFuzzer's.
fuzz_one() {
  local -a program=("$FUZZ/tests/fuzz_formats" "--format=$1")
  mkdir -p "$FUZZ/corpus/$1" "$FUZZ/seeds/$1"
  if [[ $1 == text ]]; then
    program=("$FUZZ/tests/fuzz_text" -dict=tests/fuzz/text.dict)
    "$FUZZ/tests/write_seeds" "$FUZZ/seeds/$1"
  else
    "${program[@]}" "--seeds=$FUZZ/seeds/$1" || fail "there is no fuzzer '$1' (${FUZZERS[*]}). Name one of these."
  fi
  say "fuzzer $1, $2 s"
  "${program[@]}" "${@:3}" -ignore_ooms=0 -ignore_timeouts=0 -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="$FUZZ/$1-" "$FUZZ/corpus/$1" "$FUZZ/seeds/$1" >&2 && return
  say "the fuzzer found something (above; the bytes are in $FUZZ/$1-crash-*, -oom-* or -timeout-*). Read one again: ${program[*]} FILE."
  return 1
}
