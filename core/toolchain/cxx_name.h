#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// The parts of a C++ function name in canonical spelling: "unsigned" is "unsigned int", "const T *" is "T const*", and
/// numbers have no suffix. Unnamed namespaces are omitted.
struct CxxName {
  std::vector<std::string> scopes;  // "ns", "detail<4>"
  std::string base;  // "scale"
  std::optional<std::vector<std::string>> arguments = {};  // template arguments
  std::optional<std::vector<std::string>> parameters = {};  // if written
};

/// Parses "ns::scale<float, 256u>(float*, int)", with or without the result "void" of demangled templates.
///
/// Threads: any.
CxxName read_cxx_name(std::string_view text);

/// Returns the parts of `text` between top-level commas, without surrounding blanks.
std::vector<std::string> split_types(std::string_view text);

/// Returns the index of the bracket that closes the one at `open`, or npos.
std::size_t closing_bracket(std::string_view text, std::size_t open);

/// Returns the index of the bracket that opens the parameters of `declaration`, or npos.
std::size_t parameters_of(std::string_view declaration);

}  // namespace kmux
