#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// The name of a function as C++ writes it, in its parts and in one spelling: "unsigned" is "unsigned int", "const T *" is
/// "T const*", and of numbers the suffix is gone. Unnamed namespaces are left out.
struct CxxName {
  std::vector<std::string> scopes;  // "ns", "detail<4>"
  std::string base;  // "scale"
  std::optional<std::vector<std::string>> arguments = {};  // of a template
  std::optional<std::vector<std::string>> parameters = {};  // where they are written
};

/// Reads "ns::scale<float, 256u>(float*, int)", with or without the result "void" that demangled templates have.
///
/// Threads: any.
CxxName read_cxx_name(std::string_view text);

/// The pieces of `text` between its commas, those within brackets aside; without blanks around them.
std::vector<std::string> split_types(std::string_view text);

/// The place of the bracket that the one at `open` is closed by; npos if there is none.
std::size_t closing_bracket(std::string_view text, std::size_t open);

/// Where the brackets around the parameters of `declaration` open; npos if it has none.
std::size_t parameters_of(std::string_view declaration);

}  // namespace kmux
