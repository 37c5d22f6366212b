# Debian's packages. Sourced by kmux.sh.

# Installs those of the named packages that are missing; `a|b` is content with b and installs a.
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
  rm -f "$APT_LOG"
  # The lists of a fresh machine are empty or old: fetch them only when the first attempt fails.
  apt_get install -y --no-install-recommends "${missing[@]}" && return 0
  apt_get update || fail "apt-get update failed ($(apt_error)). Check the network and /etc/apt/sources.list."
  apt_get install -y --no-install-recommends "${missing[@]}" ||
    fail "apt-get could not install ${missing[*]} ($(apt_error)). See $APT_LOG."
}

# Without its words, which go to a log; it does not try for long.
apt_get() {
  mkdir -p "${APT_LOG%/*}"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=15 \
    -o Acquire::https::Timeout=15 "$@" >>"$APT_LOG" 2>&1
}

# The first reason of the last of them; a network that refuses is only a warning for `update`.
apt_error() {
  grep -m1 -E '^[EW]: Failed to fetch' "$APT_LOG" || grep -m1 '^E: ' "$APT_LOG" || echo "no reason given"
}
