#include "buffer_span.h"

namespace kmux {
namespace {

Expr dense_elements(const std::vector<Expr>& extents) {
  Expr product = 1;
  for (const Expr& extent : extents) product = product * extent;
  return product;
}

Expr any_is_zero(const std::vector<Expr>& extents) {
  Expr any = 0;
  for (const Expr& extent : extents) any = logical_or(any, eq(extent, 0));
  return any;
}

// How far the last element of a dimension is from its first one. The stride of an extent of 1 may have any value.
Expr reach(const Expr& extent, const Expr& stride) {
  const Expr forwards = stride.is_constant() ? stride : max(stride, 0);
  return extent.is_constant() ? (extent - 1) * forwards : select(extent > 1, (extent - 1) * forwards, 0);
}

Expr strided_elements(const std::vector<Expr>& extents, const std::vector<Expr>& strides) {
  Expr last = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (!extents[i].is_constant(1)) last = last + reach(extents[i], strides[i]);
  }
  return select(any_is_zero(extents), 0, last + 1);
}

}  // namespace

std::optional<Expr> span_bytes(const BufferParam& buffer) {
  if (buffer.strides && buffer.strides->size() != buffer.shape.size()) return std::nullopt;
  const Expr elements = buffer.strides ? strided_elements(buffer.shape, *buffer.strides) : dense_elements(buffer.shape);
  const std::int64_t bits = total_bits(buffer.dtype);
  if (bits % 8 == 0) return simplify(elements * (bits / 8));
  return simplify(bits > 0 && 8 % bits == 0 ? ceildiv(elements, 8 / bits) : ceildiv(elements * bits, 8));
}

}  // namespace kmux
