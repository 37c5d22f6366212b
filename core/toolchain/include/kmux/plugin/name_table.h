#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// C++ for the end of a unit that has those of `kernels` that are name expressions looked up and instantiated: for each a
/// variable of the device with the kernel as an argument of its template, so that the variable's symbol has the kernel in it,
/// whatever macros, defaults and namespaces the expression goes through. Empty if none is.
///
/// Errors in it are the compiler's, in a file that is called `kNameTable`.   Source: Itanium C++ ABI, 5.1.5.
std::string name_table(const std::vector<std::string>& kernels);

/// The name of the table in a compiler's messages.
inline constexpr std::string_view kNameTable = "kernel names";

/// Does every error in the `log` of a compiler stand in a table of names, so that the sources are right without it?
bool is_about_names(std::string_view log, std::string_view table = kNameTable);

/// `error`, about a kernel that is not in the code, with what the compiler said of its name (`log`) where it said something.
Error with_name_errors(Error error, const std::string& log);

/// Is this the symbol of a variable in a table of names?
bool is_of_name_table(const std::string& symbol);

/// `kernels` with the symbols that a table of names found: `variables` are the symbols of variables in the compiled code,
/// `symbols` those of its kernels. What is in no table stays as it is.
///
/// Threads: any.
std::vector<std::string> names_by_table(const std::vector<std::string>& kernels,
                                        const std::vector<std::string>& variables,
                                        const std::vector<std::string>& symbols);

}  // namespace kmux
