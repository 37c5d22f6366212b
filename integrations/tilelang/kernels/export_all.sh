#!/usr/bin/env bash
# export_all.sh DIR: exports every kernel of this folder to DIR/<name>/, in one Python environment that has TileLang
# (and CuTe DSL: pip install nvidia-cutlass-dsl).
set -euo pipefail
output=$(realpath -m "${1:?usage: export_all.sh DIR}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# export_to TARGET.. -- FILE:KERNEL..
export_to() {
  local options=() kernel
  while [[ $1 != -- ]]; do
    options+=(--target "$1")
    shift
  done
  for kernel in "${@:2}"; do
    "${PYTHON:-python3}" -m kmux_tilelang export "kernels/${kernel%:*}.py:${kernel#*:}" "${options[@]}" \
      -o "$output/${kernel#*:}"
  done
}

export_to c -- gemm:gemm gemm:gemm_dynamic elementwise:scale elementwise:affine elementwise:add_half reduction:row_sum \
  reduction:softmax reduction:extremes reduction:normalize_columns layout:unpack_bytes layout:pack_rows \
  layout:copy_without_bias
export_to cuda:sm_90a -- pointwise:add_tiles pointwise:affine_tiles tensor_core:gemm_f16 tensor_core:gemm_f16_dynamic \
  tensor_core:gemm_f16_cluster tensor_core:gemm_f16_split attention:flash_attention convolution:conv2d \
  launches:look_up launches:overlap launches:grid_barrier
export_to c cuda:sm_90a hip:gfx942 metal cutedsl:sm_90a -- pointwise:add_anywhere
