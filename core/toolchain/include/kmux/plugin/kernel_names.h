#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

/// The places in `symbols` that a program's `kernel` can mean: the symbol itself, or else those of the functions that C++
/// writes so, blanks aside ("scale<float, 4>"). More than one is ambiguous.
///
/// Threads: any.
std::vector<std::size_t> find_symbols(const std::string& kernel, const std::vector<std::string>& symbols);

}  // namespace kmux
