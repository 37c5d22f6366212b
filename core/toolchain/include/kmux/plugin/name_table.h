#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// Returns C++ code for the end of a unit that looks up and instantiates the name expressions among `kernels`. Each
/// becomes a template argument of a device variable, so that the variable's symbol contains the kernel's resolved name,
/// whatever macros, defaults and namespaces the expression involves. Empty if there are no name expressions.
///
/// Compilers report errors in it under the file name `kNameTable`.   Source: Itanium C++ ABI, 5.1.5.
std::string name_table(const std::vector<std::string>& kernels);

/// The table's file name in a compiler's messages.
inline constexpr std::string_view kNameTable = "kernel names";

/// Returns true if every error in a compiler's `log` is in a name table, so that the sources are valid without it.
bool is_about_names(std::string_view log, std::string_view table = kNameTable);

/// Returns `error`, about a missing kernel, with the compiler's messages about its name (`log`) as a note unless empty.
Error with_name_errors(Error error, const std::string& log);

/// Returns true if `symbol` is a variable of a name table.
bool is_of_name_table(const std::string& symbol);

/// Returns `kernels`, with names replaced by the symbols that the name table resolved. `variables` are the symbols of
/// variables in the compiled code, `symbols` those of its kernels. A name without a table entry stays unchanged.
///
/// Threads: any.
std::vector<std::string> names_by_table(const std::vector<std::string>& kernels,
                                        const std::vector<std::string>& variables,
                                        const std::vector<std::string>& symbols);

}  // namespace kmux
