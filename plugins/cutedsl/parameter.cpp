#include "parameter.h"

#include <algorithm>

#include "kmux/plugin/driver.h"

namespace kmux::cutedsl {
namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::size_t size_of_tensor(const TensorParameter& tensor) {
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
  if (const auto* tensor = std::get_if<TensorParameter>(&parameter)) return size_of_tensor(*tensor);
  if (const auto* value = std::get_if<ValueParameter>(&parameter)) {
    return static_cast<std::size_t>(packed_bytes(value->dtype, 1));
  }
  return std::holds_alternative<MapParameter>(parameter) ? sizeof(kmux_tensor_map) : sizeof(void*);
}

}  // namespace kmux::cutedsl
