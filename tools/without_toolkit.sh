#!/usr/bin/env bash
# without_toolkit.sh COMMAND...: runs COMMAND as on a machine without a CUDA toolkit: /usr/local/cuda is empty for it, so are the
# toolkit's copies in /usr/local, PATH has no nvcc, no variable names a toolkit. Needs root or user namespaces, and ends with 77
# without either; ends with 1 if a part of a toolkit stays in sight.
set -euo pipefail

fail() { echo "without_toolkit.sh: $*" >&2; exit 1; }

path_without_nvcc() {
  local folder kept=()
  while read -r -d : folder; do [[ -x $folder/nvcc && $folder != /usr/local/bin ]] || kept+=("$folder"); done <<<"$PATH:"
  (IFS=:; echo "${kept[*]}")
}

# In a mount namespace of its own: no other process sees the empty folders.
if [[ ${1:-} != --inside ]]; then
  unset KMUX_CUDA_HOME CUDA_HOME CUDA_PATH KMUX_NVRTC_LIBRARY LD_LIBRARY_PATH VIRTUAL_ENV
  PATH=$(path_without_nvcc)
  namespace=(unshare --mount)
  ((EUID == 0)) || namespace+=(--map-root-user)
  "${namespace[@]}" mount -t tmpfs none /run 2>/dev/null || { echo "needs root or user namespaces (to hide the toolkit of this machine)" >&2; exit 77; }
  exec "${namespace[@]}" bash "${BASH_SOURCE[0]}" --inside "$EUID" "$(id -g)" "$@"
fi

readonly USER_ID=$2 GROUP_ID=$3 TOOLKIT=/usr/local/cuda
shift 3

# Installers copy headers, libraries and programs to folders that every compiler searches. Folder $1 keeps what is not also in
# folder $2 of the toolkit.
hide_copies() {
  local folder=$1 own=$2 entry beside
  [[ -d $folder && ! -L $folder && -d $own ]] || return 0
  beside=/run/without_toolkit.${folder//\//.}
  mkdir -p "$beside" 2>/dev/null && mount --bind "$folder" "$beside" && mount -t tmpfs none "$folder" || fail "cannot hide $folder. Run it as root."
  for entry in "$beside"/*; do
    [[ ! -e $entry || -e $own/${entry##*/} ]] || ln -s "$entry" "$folder/"
  done
}

# The parts of a toolkit that a compiler, the loader or kmux.sh would find.
in_sight() {
  local file
  for file in nvcc ptxas nvlink fatbinary; do command -v "$file" || true; done
  for file in {/usr,/usr/local}/include/{cuda,nvrtc,cuda_runtime}.h; do [[ ! -e $file ]] || echo "$file"; done
  while read -r file; do [[ ! -e $file ]] || echo "$file"; done < <(
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -nE 's/.*lib(nvrtc|nvrtc-builtins|cudart|nvvm|nvJitLink)\.so.* => //p')
}

mount -t tmpfs none /run
for part in bin:bin include:include lib:lib64; do hide_copies "/usr/local/${part%:*}" "$TOOLKIT/${part#*:}"; done
for home in "$TOOLKIT" /usr/local/cuda-*; do
  [[ ! -d $home ]] || mount -t tmpfs -o size=4k none "$(readlink -f "$home")" || fail "cannot hide $home. Run it as root."
done
left=$(in_sight)
[[ -z $left ]] || fail "${left//$'\n'/, } would still be found (it is in no folder of a toolkit). Remove it."
# A caller who was not root is not root for COMMAND either.
((USER_ID == 0)) || exec unshare --user --map-user="$USER_ID" --map-group="$GROUP_ID" "$@"
exec "$@"
