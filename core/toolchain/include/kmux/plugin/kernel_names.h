#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// Returns "void ns::scale<float>(float*)" for "_ZN2ns5scaleIfEEvPT_"; an unmangled symbol unchanged.
///
/// Threads: any.   Source: Itanium C++ ABI, 5.1.
std::string demangled(const std::string& symbol);

/// Same without result and parameters: "ns::scale<float>".
///
/// Threads: any.
std::string function_name(const std::string& symbol);

/// Returns the parameter types of a mangled symbol as written in C++: "float*" and "int" for "_Z1kPfi". Returns nothing
/// for an unmangled symbol, such as C's, which does not encode them.
///
/// Threads: any.
std::optional<std::vector<std::string>> parameter_types(const std::string& symbol);

/// The parts of a kernel's name in a program: "ns::scale<float>" and "float*, int" of "ns::scale<float>(float*, int)".
struct KernelName {
  std::string function;  // with its scopes and template arguments
  std::optional<std::string> parameters;  // of a selected overload
};

/// Splits a kernel's name before its parameter list.
///
/// Threads: any.
KernelName split_kernel_name(std::string_view kernel);

/// Returns true if `kernel` is not a plain identifier: an instantiation ("scale<float>"), a name in a namespace
/// ("ns::scale"), or an overload ("scale(float*)"). Only a compiler can look up such a C++ name.
bool is_name_expression(std::string_view kernel);

/// Returns the name expressions among `kernels`, in order.
std::vector<std::string> name_expressions(const std::vector<std::string>& kernels);

/// Returns the C++ expression of the kernel's address: "&ns::scale<float>"; for an overload a cast that selects it,
/// "static_cast<void (*)(float*, int)>(&gelu)".
std::string kernel_address(const std::string& kernel);

/// Returns the indices in `symbols` that a program's `kernel` can refer to. An equal symbol matches alone. Otherwise
/// functions with that C++ name match, in any spelling ("scale<float, 4>", "scale<float, 4u>", "copy(const
/// unsigned*)"). If none does, names with more template arguments, from defaults or the compiler, match: "scale" and
/// "scale<float>" match "scale<float, 4>". Last, for an unqualified name, those in any namespace match. More than one
/// result is ambiguous.
///
/// Threads: any.
std::vector<std::size_t> find_symbols(const std::string& kernel, const std::vector<std::string>& symbols);

/// Returns the symbol in `present` that `kernel` refers to, by `find_symbols`.
///
/// Errors: compile_failed that lists `present` as C++ names, if it is missing or ambiguous.
/// Threads: any.
Result<std::string> find_symbol(const std::string& kernel, const std::vector<std::string>& present);

}  // namespace kmux
