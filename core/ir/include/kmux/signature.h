#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kmux/dtype.h"
#include "kmux/expr.h"

namespace kmux {

/// A tensor parameter.
///
/// Shapes:  `shape` has one expression per dimension (rank 0 is a scalar in memory); `strides` has as many, or no value
///          for contiguous (row-major without gaps).
/// Units:   shape and strides in elements; `alignment_bytes` 0 means the natural alignment of the element type.
struct BufferParam {
  DType dtype;  // of its elements
  std::vector<Expr> shape = {};  // extents over symbols, outermost first
  std::optional<std::vector<Expr>> strides = {};  // in elements; nothing: row-major without gaps
  std::int64_t alignment_bytes = 0;  // of its address; 0: that of `dtype`
  bool nullable = false;  // a null tensor is valid: the kernel gets a null pointer
  bool inout = false;  // a call writes it: read-only memory is refused and frameworks must know; false for an output
  bool operator==(const BufferParam&) const = default;
};

/// A value passed by bits. Integer scalars (and bool) may be named in expressions.
struct ScalarParam {
  DType dtype;  // the argument must fit it
  bool operator==(const ScalarParam&) const = default;
};

/// An address that is not checked: the caller must ensure that it is valid.
struct PointerParam {
  bool operator==(const PointerParam&) const = default;
};

/// A parameter of a program.
struct Param {
  std::string name;  // a C identifier
  std::variant<BufferParam, ScalarParam, PointerParam> kind;  // tensor, scalar or address
  bool operator==(const Param&) const = default;
};

/// An integer that the shapes and strides of the arguments carry.
struct Symbol {
  std::string name;  // a C identifier
  DType dtype = dtype::kInt64;  // int32 or int64; a value that does not fit int32 is refused at the call
  bool operator==(const Symbol&) const = default;
};

/// The parameters of a call, in order; checker, allocator and launchers are all derived from this object.
struct Signature {
  std::vector<Param> params = {};  // in the order of a call
  std::vector<std::string> outputs = {};  // names of buffer parameters, in the order in which a call returns them
  std::vector<Symbol> symbols = {};  // in slot order: see `symbol_order`
  bool operator==(const Signature&) const = default;
};

/// Returns the names of free symbols in slot order: those of shapes by first appearance over the parameters, then those
/// that only strides carry. The name of an integer scalar parameter refers to that parameter and takes no further slot.
std::vector<std::string> symbol_order(const Signature& signature);

/// The kind of value in a slot of a call.
enum class SlotKind : std::uint8_t { kTensor, kScalar, kPointer, kSymbol };

/// A slot of a call.
struct SlotInfo {
  SlotKind kind;  // of its value
  std::string name;  // of the parameter or symbol
  DType dtype;  // of the scalar or the symbol, or of the tensor's elements
  bool operator==(const SlotInfo&) const = default;
};

/// Returns the slots of a call: parameters in order, then symbols in slot order.
std::vector<SlotInfo> slots_of(const Signature& signature);

/// Returns the parameter of that name, or null.
const Param* find_param(const Signature& signature, std::string_view name);

/// Returns the names of the two scalars that a complex scalar of the text form becomes: its real part, its imaginary
/// part.
inline std::array<std::string, 2> complex_parts(const std::string& name) { return {name + "_re", name + "_im"}; }

/// Returns `param` as a buffer, or null.
inline const BufferParam* as_buffer(const Param& param) { return std::get_if<BufferParam>(&param.kind); }
/// Returns `param` as a scalar, or null.
inline const ScalarParam* as_scalar(const Param& param) { return std::get_if<ScalarParam>(&param.kind); }
/// Returns true if `param` is a bare address.
inline bool is_pointer(const Param& param) { return std::holds_alternative<PointerParam>(param.kind); }

/// Returns element type and extents for messages: "float16[m, 64]".
std::string describe(const BufferParam& buffer);
/// Returns true if parameter `name` is among the outputs.
bool is_output(const Signature& signature, std::string_view name);

}  // namespace kmux
