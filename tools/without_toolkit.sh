#!/usr/bin/env bash
# without_toolkit.sh COMMAND...: runs COMMAND as on a machine without a CUDA toolkit: /usr/local/cuda is empty for it, PATH has
# no nvcc, no variable names a toolkit. Needs root or user namespaces; ends with 1 if the toolkit cannot be hidden.
set -euo pipefail

fail() { echo "without_toolkit.sh: $*" >&2; exit 1; }

path_without_nvcc() {
  local folder kept=()
  while read -r -d : folder; do [[ -x $folder/nvcc ]] || kept+=("$folder"); done <<<"$PATH:"
  (IFS=:; echo "${kept[*]}")
}

# In a mount namespace of its own: nobody else sees the empty folders.
if [[ ${1:-} != --inside ]]; then
  unset KMUX_CUDA_HOME CUDA_HOME CUDA_PATH KMUX_NVRTC_LIBRARY LD_LIBRARY_PATH
  PATH=$(path_without_nvcc)
  namespace=(unshare --mount)
  ((EUID == 0)) || namespace+=(--map-root-user)
  exec "${namespace[@]}" bash "${BASH_SOURCE[0]}" --inside "$EUID" "$(id -g)" "$@"
fi

readonly USER_ID=$2 GROUP_ID=$3
shift 3
for home in /usr/local/cuda /usr/local/cuda-*; do
  [[ ! -d $home ]] || mount -t tmpfs -o size=4k none "$(readlink -f "$home")" || fail "cannot hide $home. Run it as root."
done
! nvcc=$(command -v nvcc) || fail "$nvcc is not part of a toolkit in a folder of its own, so it cannot be hidden. Remove it."
# Who was not root is not root for COMMAND either.
((USER_ID == 0)) || exec unshare --user --map-user="$USER_ID" --map-group="$GROUP_ID" "$@"
exec "$@"
