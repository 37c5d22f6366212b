#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

// The parameters of kernels as declared in sources. Only built-in and standard types are known; types that a source
// defines, macros and template parameters are unknown, and nothing is concluded from them.
namespace kmux {

/// The declared type of one parameter.
struct DeclaredParameter {
  /// kUnknown is every type that is neither a number of the language nor a pointer.
  enum class Kind : std::uint8_t { kUnknown, kInteger, kFloat, kPointer };
  Kind kind = Kind::kUnknown;
  unsigned bytes = 0;  // of kInteger and kFloat
  std::string text = {};  // "long long"
};

/// Returns the parameters of each declaration of `kernel`, as named by a launch, in the sources and headers of
/// `variant` that has `count` parameters. In device dialects only declarations of kernels count.
std::vector<std::vector<DeclaredParameter>> declared_parameters(const Variant& variant, std::string_view kernel,
                                                                std::size_t count);

/// Returns one type per argument of `launch`, a launch of `variant`, for integers without a type in the text form:
/// int64 if the parameter is an 8-byte integer in every declaration, else int32.
std::vector<DType> untyped_integers(const Variant& variant, const Launch& launch);

/// A placeholder for the type of such an argument while a text is read.
inline constexpr DType kUntypedInteger{kDLInt, 0, 1};

/// Replaces kUntypedInteger in the arguments of `variant` by their types.
void settle_integers(Variant& variant);

/// Checks that `variant` passes numbers as its sources declare the parameters. If declarations differ, one must fit.
///
/// Errors: invalid_argument that names the kernel, the argument and both types.
Status check_declared(const Signature& signature, const Variant& variant);

}  // namespace kmux
