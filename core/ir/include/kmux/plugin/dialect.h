#pragma once

#include <string_view>
#include <vector>

namespace kmux {

/// A language or binary form that the sources of a variant are in.
struct Dialect {
  std::string_view name;
  bool is_host;               // a launch is a plain call: no grid, block, shared memory or tensor map
  bool is_binary;             // one ready file: nothing is compiled
  bool has_name_expressions;  // a kernel may be named as an instantiation ("kern<float>")
  bool has_packed_values;     // a launch may pass all values in one buffer
  std::string_view content;   // what a source holds, for people
};

/// Every dialect, by name.
const std::vector<Dialect>& all_dialects();

/// The dialect of that name, or null.
const Dialect* find_dialect(std::string_view name);

}  // namespace kmux
