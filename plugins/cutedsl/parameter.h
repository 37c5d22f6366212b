#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "kmux/dtype.h"
#include "kmux/expr.h"
#include "kmux/signature.h"

namespace kmux::cutedsl {

/// Extents and strides of a buffer, in elements; strides of a contiguous buffer are computed.
struct Layout {
  std::vector<Expr> shape;
  std::vector<Expr> strides;
};
Layout layout_of(const BufferParam& buffer);

/// A `cute.Tensor`. Constant extents and strides belong to its type, for which the kernel is compiled. Dynamic ones are
/// empty here and passed by the launch.
struct TensorParameter {
  DType dtype;
  std::vector<std::optional<std::int64_t>> shape = {};  // passed as int32
  std::vector<std::optional<std::int64_t>> strides = {};  // passed as int64
  std::int64_t alignment_bytes = 1;  // of the first element
  bool operator==(const TensorParameter&) const = default;
};
/// A `cute.Pointer` to bytes in global memory.
struct PointerParameter {
  std::int64_t alignment_bytes = 1;
  bool operator==(const PointerParameter&) const = default;
};
/// A number of one of CuTe DSL's types.
struct ValueParameter {
  DType dtype;
  bool operator==(const ValueParameter&) const = default;
};
/// A `cutlass.GridConstant[TensorMap]`: map number `map` of the plan.
struct MapParameter {
  std::size_t map = 0;
  bool operator==(const MapParameter&) const = default;
};
/// Returns the number of dynamic values among `values`, extents or strides.
std::size_t count_dynamic(const std::vector<std::optional<std::int64_t>>& values);
/// The parameter that a kernel declares for one argument of a launch.
using Parameter = std::variant<TensorParameter, PointerParameter, ValueParameter, MapParameter>;

/// Returns the bytes of a parameter. A tensor is a struct of its address, its dynamic extents and its dynamic strides.
std::size_t size_of(const Parameter& parameter);

/// Returns CuTe DSL's name of an element type ("Float16"), or nothing for a type that it lacks. Both spellings of
/// float8 e4m3 have one name. CuTe DSL lacks FNUZ types, which have another exponent bias.
std::optional<std::string_view> cute_type(DType type);

}  // namespace kmux::cutedsl
