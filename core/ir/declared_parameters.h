#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

// What sources say of the kernels in them. Only types of the language itself are known: a name that the source defines, a
// macro or a parameter of a template is not, and then nothing follows.
namespace kmux {

/// The type of one parameter as its declaration has it.
struct DeclaredParameter {
  /// kUnknown is every type that is none of the language's numbers.
  enum class Kind : std::uint8_t { kUnknown, kInteger, kFloat, kPointer };
  Kind kind = Kind::kUnknown;
  unsigned bytes = 0;  // of kInteger and kFloat
  std::string text = {};  // "long long"
};

/// The parameters of each declaration of `kernel`, as a launch names it, in the sources and headers of `variant` that has
/// `count` of them. In dialects of devices only kernels count.
std::vector<std::vector<DeclaredParameter>> declared_parameters(const Variant& variant, std::string_view kernel,
                                                                std::size_t count);

/// The types of the arguments of `launch`, one of `variant`, that are integers without a type in the text form: int64 where
/// the parameter is an integer of 8 bytes in every declaration, else int32. One for each argument.
std::vector<DType> untyped_integers(const Variant& variant, const Launch& launch);

/// Stands for the type of such an argument while a text is read.
inline constexpr DType kUntypedInteger{kDLInt, 0, 1};

/// Gives the arguments of `variant` that have kUntypedInteger their types.
void settle_integers(Variant& variant);

/// Does `variant` pass numbers as its sources declare the parameters? Where declarations differ, one that fits will do.
///
/// Errors: invalid_argument that names the kernel, the argument and both types.
Status check_declared(const Signature& signature, const Variant& variant);

}  // namespace kmux
