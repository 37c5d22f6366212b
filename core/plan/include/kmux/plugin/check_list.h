#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dtype.h"
#include "kmux/error.h"
#include "kmux/expr.h"
#include "kmux/plugin/carrier.h"
#include "kmux/plugin/expr_code.h"
#include "kmux/signature.h"

namespace kmux {

/// The kind of a check of a call, or of a step that fills its slots and values. `param` is a position; extents and
/// strides are those of its tensor.
enum class CheckKind : std::uint8_t {
  kTensor,          // a tensor of `dtype` and rank `index` on the kernel's device, its address a multiple of `value`
  // bytes and not null unless it has no elements; if `nullable`, a null tensor skips `count` checks;
                    // if `written`, its memory must not be read-only
  kScalar,  // a number that `dtype` can hold
  kPointer,  // a pointer, or a tensor for its address
  kScalarValue,  // values[index] = the integer scalar, whose type is `dtype`
  kExtent,  // shape[dim] == value
  kStride,  // strides[dim] == value
  kContiguous,  // row-major without gaps
  kSymbol,  // values[index] from carriers[value, value + count): the first live one determines the value, the others
            // must agree; `narrow`: the value must fit int32
  kComputedExtent,  // shape[dim] == expressions[index], also if `nullable` and null
  kComputedStride,  // strides[dim] == expressions[index], likewise
};

/// A check as data.
///
/// Strides are not compared if the extent is 1 or the tensor has no elements. Absent strides mean contiguous. Extents
/// are never negative.
/// Sub-byte types: DLPack counts elements, and so do the checks. Frameworks without such a type pass its storage:
/// bytes, or vectors of one byte, each of which holds `packing` elements (1 for all other types). For a tensor of such
/// storage, the checks multiply its innermost extent and its strides by that factor.
struct Check {
  CheckKind kind = CheckKind::kPointer;  // selects the check
  bool nullable = false;  // a null tensor is allowed
  bool narrow = false;  // the value must fit int32
  bool plain = false;  // every carrier of the symbol is an extent, unchanged
  bool written = false;  // the kernel writes to it
  std::uint8_t packing = 1;  // elements in one storage element
  DType dtype = {};  // of the elements or the scalar
  std::uint16_t param = 0;  // index of the parameter
  std::uint16_t dim = 0;  // of its shape or strides
  std::uint32_t count = 0;  // of carriers, or of checks to skip
  std::uint32_t index = 0;  // of the value or expression, or the rank
  std::int64_t value = 0;  // to compare with, or the first carrier
  bool operator==(const Check&) const = default;
};

/// The checks of a call. Executed in order, they fill slots[param] and the values: first the symbols in slot order,
/// then the integer scalars that expressions use.
///
/// The runtime interprets them; export prints them as C.
struct CheckList {
  std::vector<Check> checks;  // in the order of execution
  std::vector<Carrier> carriers;  // of all symbols
  std::vector<Expr> expressions;  // of computed extents and strides
  std::vector<ExprCode> codes;  // of the expressions, over the values
  std::vector<std::string> value_names;  // symbols, then scalars

  /// Returns the index of the value of a symbol or integer scalar; nothing for other names.
  std::optional<std::size_t> value_index(std::string_view name) const;
};

/// The parameters that a list covers: a call that allocates its outputs first checks the inputs alone.
enum class CheckScope : std::uint8_t { kAll, kInputs };

/// Compiles the checks of `signature`.
///
/// Errors: invalid_argument for a symbol without a carrier that can be solved (in scope kInputs the call fails instead),
///         a name in an expression that is not a symbol or integer scalar, an alignment that is not a power of two, more than
///         65535 parameters or dimensions.
Result<CheckList> compile_checks(const Signature& signature, CheckScope scope = CheckScope::kAll);

/// Returns the alignment that the memory of `buffer` must have: the declared one, else the natural one of its element
/// type (16 at most).
///
/// Units: bytes.
std::int64_t required_alignment(const BufferParam& buffer);

/// Returns the number of elements of `type` in a byte if it is a sub-byte type that fills bytes, else 1.
std::uint8_t packing_of(DType type);

/// Returns true if `actual` (a byte, or a vector of one byte) can store elements of the sub-byte type `expected`.
bool is_storage_of(DType expected, DType actual);

}  // namespace kmux
