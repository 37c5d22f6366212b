#include "parameter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kmux/plugin/driver.h"
#include "kmux/plugin/rounding.h"

namespace kmux::cutedsl {
namespace {

std::size_t tensor_size(const TensorParameter& tensor) {
  std::size_t bytes = sizeof(void*) + count_dynamic(tensor.shape) * sizeof(std::int32_t);
  if (const std::size_t strides = count_dynamic(tensor.strides)) {
    bytes = rounded_up(bytes, sizeof(std::int64_t)) + strides * sizeof(std::int64_t);
  }
  return rounded_up(bytes, sizeof(void*));
}

}  // namespace

std::size_t count_dynamic(const std::vector<std::optional<std::int64_t>>& values) {
  return static_cast<std::size_t>(std::ranges::count_if(values, [](const auto& value) { return !value; }));
}

Layout layout_of(const BufferParam& buffer) {
  Layout layout{{}, {}};
  for (const Expr& extent : buffer.shape) layout.shape.push_back(simplify(extent));
  if (buffer.strides) {
    for (const Expr& stride : *buffer.strides) layout.strides.push_back(simplify(stride));
    return layout;
  }
  Expr stride = 1;
  for (auto extent = layout.shape.rbegin(); extent != layout.shape.rend(); ++extent) {
    layout.strides.insert(layout.strides.begin(), stride);
    stride = simplify(stride * *extent);
  }
  return layout;
}

std::size_t size_of(const Parameter& parameter) {
  if (const auto* tensor = std::get_if<TensorParameter>(&parameter)) return tensor_size(*tensor);
  if (const auto* value = std::get_if<ValueParameter>(&parameter)) {
    return static_cast<std::size_t>(packed_bytes(value->dtype, 1));
  }
  return std::holds_alternative<MapParameter>(parameter) ? sizeof(kmux_tensor_map) : sizeof(void*);
}

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
