#include "cute_type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kmux::cutedsl {

std::optional<std::string_view> cute_type(DType type) {
  using Row = std::pair<DType, std::string_view>;
  static constexpr std::array<Row, 16> kTypes = {{
      {dtype::kFloat16, "Float16"},
      {dtype::kBFloat16, "BFloat16"},
      {dtype::kFloat32, "Float32"},
      {dtype::kFloat64, "Float64"},
      {dtype::kInt8, "Int8"},
      {dtype::kInt16, "Int16"},
      {dtype::kInt32, "Int32"},
      {dtype::kInt64, "Int64"},
      {dtype::kUInt8, "Uint8"},
      {dtype::kUInt16, "Uint16"},
      {dtype::kUInt32, "Uint32"},
      {dtype::kUInt64, "Uint64"},
      {dtype::kBool, "Boolean"},
      {dtype::kFloat8E4M3, "Float8E4M3FN"},
      {dtype::kFloat8E4M3FN, "Float8E4M3FN"},
      {dtype::kFloat8E5M2, "Float8E5M2"},
  }};
  const auto* const found = std::ranges::find(kTypes, type, &Row::first);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace kmux::cutedsl
