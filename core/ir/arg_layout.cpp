// SPDX-License-Identifier: Apache-2.0
// The layout of kernel arguments in C.
#include "arg_layout.h"

#include <algorithm>
#include <bit>

#include "kmux/plugin/rounding.h"

namespace kmux {
namespace {

using ScalarTypes = std::function<DType(const std::string&)>;

constexpr std::int64_t kAddressBytes = 8;
// Those of CUtensorMap before CUDA 13, which declares it with 128: a structure around the map can declare more.
constexpr ArgLayout kTensorMapLayout = {128, 64};

ArgLayout layout_of(DType type) {
  const std::int64_t bytes = packed_bytes(type, 1);
  return {bytes, std::bit_floor(static_cast<std::uint8_t>(std::clamp<std::int64_t>(bytes, 1, kAddressBytes)))};
}

ArgLayout layout_of(const StructArg& record, const ScalarTypes& type_of) {
  ArgLayout whole{0, std::max<std::int64_t>(record.alignment_bytes, 1)};
  for (const LaunchArg& member : record.members) append_member(whole, layout_of(member, type_of));
  whole.bytes = rounded_up(whole.bytes, whole.alignment_bytes);
  return whole;
}

}  // namespace

std::int64_t append_member(ArgLayout& whole, const ArgLayout& member) {
  const std::int64_t offset = rounded_up(whole.bytes, member.alignment_bytes);
  whole.bytes = offset + member.bytes;
  whole.alignment_bytes = std::max(whole.alignment_bytes, member.alignment_bytes);
  return offset;
}

ArgLayout layout_of(const LaunchArg& arg, const ScalarTypes& type_of) {
  if (const auto* record = std::get_if<StructArg>(&arg)) return layout_of(*record, type_of);
  if (const auto* value = std::get_if<ExprArg>(&arg)) return layout_of(value->dtype);
  if (const auto* scalar = std::get_if<ScalarArg>(&arg)) return layout_of(type_of(scalar->param));
  if (std::holds_alternative<TensorMapArg>(arg)) return kTensorMapLayout;
  return {kAddressBytes, kAddressBytes};
}

}  // namespace kmux
