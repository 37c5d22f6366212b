#pragma once

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
/// Shapes:  `shape` has one expression a dimension (rank 0 is a scalar in memory); `strides` has as many, or is empty
///          for "contiguous" (row-major without gaps).
/// Units:   shape and strides in elements; `alignment_bytes` 0 means the natural alignment of the element type.
struct BufferParam {
  DType dtype;  // of its elements
  std::vector<Expr> shape = {};  // extents over symbols, outermost first
  std::optional<std::vector<Expr>> strides = {};  // in elements; nothing: row-major without gaps
  std::int64_t alignment_bytes = 0;  // of its address; 0: that of `dtype`
  bool nullable = false;  // a null tensor is accepted: a kernel gets a null pointer
  bool inout = false;  // a call writes it: read-only memory is refused, and frameworks have to know; an output is not
  bool operator==(const BufferParam&) const = default;
};

/// A value passed by bits. Integer scalars (and bool) may be named in expressions.
struct ScalarParam {
  DType dtype;  // what the argument must fit
  bool operator==(const ScalarParam&) const = default;
};

/// An address that the caller vouches for; nothing is checked.
struct PointerParam {
  bool operator==(const PointerParam&) const = default;
};

/// A parameter of a program.
struct Param {
  std::string name;  // a C identifier
  std::variant<BufferParam, ScalarParam, PointerParam> kind;  // what a caller passes
  bool operator==(const Param&) const = default;
};

/// An integer that the shapes and strides of the arguments carry.
struct Symbol {
  std::string name;  // a C identifier
  DType dtype = dtype::kInt64;  // int32 or int64; a value that does not fit int32 is refused at the call
  bool operator==(const Symbol&) const = default;
};

/// What a caller passes, in order; the one object from which checker, allocator and launchers are made.
struct Signature {
  std::vector<Param> params = {};  // in the order of a call
  std::vector<std::string> outputs = {};  // names of buffer params, in the order in which a call returns them
  std::vector<Symbol> symbols = {};  // in slot order: see `symbol_order`
  bool operator==(const Signature&) const = default;
};

/// The names of free symbols in slot order: those of shapes by first appearance over the parameters, then those that
/// only strides carry. A name that is an integer scalar parameter is that parameter, and takes no slot of its own.
std::vector<std::string> symbol_order(const Signature& signature);

/// What one slot of a call holds.
enum class SlotKind : std::uint8_t { kTensor, kScalar, kPointer, kSymbol };

/// A slot of a call.
struct SlotInfo {
  SlotKind kind;  // what it holds
  std::string name;  // of the parameter or symbol
  DType dtype;  // of the scalar or the symbol, or of the tensor's elements
  bool operator==(const SlotInfo&) const = default;
};

/// The slots of a call: parameters in order, then symbols in slot order.
std::vector<SlotInfo> slots_of(const Signature& signature);

/// The parameter of that name, or null.
const Param* find_param(const Signature& signature, std::string_view name);

/// The buffer that a parameter is, or null.
inline const BufferParam* as_buffer(const Param& param) { return std::get_if<BufferParam>(&param.kind); }
/// The scalar that a parameter is, or null.
inline const ScalarParam* as_scalar(const Param& param) { return std::get_if<ScalarParam>(&param.kind); }
/// Is it a bare address?
inline bool is_pointer(const Param& param) { return std::holds_alternative<PointerParam>(param.kind); }

/// "float16[m, 64]": element type and extents, for messages.
std::string describe(const BufferParam& buffer);
/// Is parameter `name` among the outputs?
bool is_output(const Signature& signature, std::string_view name);

}  // namespace kmux
