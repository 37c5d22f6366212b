#!/usr/bin/env bash
# export_all.sh DIR: exports every kernel of this folder to DIR/<name>/, in one Python environment that has TileLang.
set -euo pipefail
output=$(realpath -m "${1:?usage: export_all.sh DIR}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for kernel in gemm:gemm gemm:gemm_dynamic elementwise:scale elementwise:affine elementwise:add_half reduction:row_sum \
  reduction:softmax reduction:extremes reduction:normalize_columns layout:unpack_bytes layout:pack_rows \
  layout:copy_without_bias; do
  "${PYTHON:-python3}" -m kmux_tilelang export "kernels/${kernel%:*}.py:${kernel#*:}" --target c -o "$output/${kernel#*:}"
done
