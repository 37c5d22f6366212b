#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// "void ns::scale<float>(float*)" of "_ZN2ns5scaleIfEEvPT_"; a symbol that is not mangled as it is.
///
/// Threads: any.   Source: Itanium C++ ABI, 5.1.
std::string demangled(const std::string& symbol);

/// The same without the result and the parameters: "ns::scale<float>".
///
/// Threads: any.
std::string function_name(const std::string& symbol);

/// The types of the parameters as C++ writes them, of a symbol that is mangled: "float*" and "int" of "_Z1kPfi". Nothing for
/// one that is not, as C's are: it does not have them.
///
/// Threads: any.
std::optional<std::vector<std::string>> parameter_types(const std::string& symbol);

/// The name of a kernel in a program, in its parts: "ns::scale<float>" and "float*, int" of "ns::scale<float>(float*, int)".
struct KernelName {
  std::string function;  // with its scopes and template arguments
  std::optional<std::string> parameters;  // of an overload that is chosen by them
};

/// Divides the name of a kernel at the bracket of its parameters.
///
/// Threads: any.
KernelName split_kernel_name(std::string_view kernel);

/// Is `kernel` more than one word: an instantiation ("scale<float>"), in a namespace ("ns::scale"), or an overload
/// ("scale(float*)")? Such a name is C++ that a compiler must look up.
bool is_name_expression(std::string_view kernel);

/// Those of `kernels` that are name expressions, in their order.
std::vector<std::string> name_expressions(const std::vector<std::string>& kernels);

/// The C++ expression of the kernel's address: "&ns::scale<float>"; of an overload a cast that chooses it,
/// "static_cast<void (*)(float*, int)>(&gelu)".
std::string kernel_address(const std::string& kernel);

/// The places in `symbols` that a program's `kernel` can mean: the symbol itself, or else those of the functions that C++
/// writes so, in whatever spelling ("scale<float, 4>", "scale<float, 4u>", "copy(const unsigned*)"). If there is none: those to
/// which defaults or the compiler have added template arguments ("scale" and "scale<float>" of "scale<float, 4>"), and then, for
/// a name without namespaces, those in any namespace. More than one is ambiguous.
///
/// Threads: any.
std::vector<std::size_t> find_symbols(const std::string& kernel, const std::vector<std::string>& symbols);

/// The symbol in `present` that `kernel` means, by `find_symbols`.
///
/// Errors: compile_failed that lists `present` as C++ writes them, if it is not there or there is more than one.
/// Threads: any.
Result<std::string> find_symbol(const std::string& kernel, const std::vector<std::string>& present);

}  // namespace kmux
