# Debian's packages. Sourced by kmux.sh.

# Installs those of the named packages that are missing; `a|b` is content with b and installs a.
packages() {
  local missing=()
  missing_of "$@"
  ((${#missing[@]})) || return 0
  say "installing ${missing[*]}"
  install_packages "${missing[@]}" || fail "apt-get could not install ${missing[*]} ($(apt_error)). See $APT_LOG."
}

# The same for what tests need: a package that cannot be had is named, and its tests are skipped.
packages_of_tests() {
  local missing=() refused=() package
  missing_of "$@"
  ((${#missing[@]})) || return 0
  say "installing ${missing[*]}"
  install_packages "${missing[@]}" && return 0
  for package in "${missing[@]}"; do
    apt_get install -y --no-install-recommends "$package" || refused+=("$package")
  done
  ((!${#refused[@]})) || say "apt-get could not install ${refused[*]} ($(apt_error)). What needs these is skipped. See $APT_LOG."
}

# Sets `missing` to those of the named packages that are not there.
missing_of() {
  command -v dpkg-query >/dev/null || { say "not a Debian machine, taking what is there instead of: $*"; return 0; }
  local package
  for package in "$@"; do
    grep -qx installed < <(dpkg-query -W -f '${db:Status-Status}\n' ${package//|/ } 2>/dev/null) ||
      missing+=("${package%%|*}")
  done
}

# Installs the named packages. The lists of a fresh machine are empty or old: they are fetched only when the first attempt fails.
install_packages() {
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "packages are missing (neither root nor sudo here). Install: $*"
  fi
  rm -f "$APT_LOG"
  apt_get install -y --no-install-recommends "$@" && return 0
  apt_get update && apt_get install -y --no-install-recommends "$@"
}

# Without its words, which go to a log; it does not try for long.
apt_get() {
  if [[ ! -v root ]]; then # arm64_apt needs no root, but a configuration of its own
    local root=()
    ((EUID == 0)) || root=(sudo)
  fi
  mkdir -p "${APT_LOG%/*}"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=15 \
    -o Acquire::https::Timeout=15 "$@" >>"$APT_LOG" 2>&1
}

# The first reason of the last of them; a network that refuses is only a warning for `update`.
apt_error() {
  grep -m1 -E '^[EW]: Failed to fetch' "$APT_LOG" || grep -m1 '^E: ' "$APT_LOG" || echo "no reason given"
}
