# Messages, and how long stages take. Sourced by kmux.sh.

say() { echo "kmux: $*" >&2; }
fail() { say "$*"; exit 1; }

declare -A stage_seconds=()
stage_name='' stage_begin=0

# Begins a stage: install, build, threads, fuzz or tests. The one before it ends; one that begins again goes on.
stage() {
  [[ -z $stage_name ]] || stage_seconds[$stage_name]=$((${stage_seconds[$stage_name]:-0} + SECONDS - stage_begin))
  stage_name=$1 stage_begin=$SECONDS
}

duration() { if (($1 < 60)); then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi; }

# "install 12 s, build 4 min 2 s, tests 40 s": of the stages that there were.
say_durations() {
  stage ''
  local name text=''
  for name in install build threads fuzz tests; do
    [[ -z ${stage_seconds[$name]:-} ]] || text+="${text:+, }$name $(duration "${stage_seconds[$name]}")"
  done
  [[ -z $text ]] || say "$text"
}
