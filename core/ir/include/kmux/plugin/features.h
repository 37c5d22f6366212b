#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux {

/// A feature of the dispatch IR that a variant uses, and the place of its first use.
struct UsedFeature {
  std::string name;  // one of `known_features()`
  std::string path;  // JSON pointer of the first use within the program
  bool operator==(const UsedFeature&) const = default;
};

/// Returns every feature that a backend may lack: "grid", "cluster", "constants", "cooperative", "dynamic_smem",
/// "fill", "guard", "l2_window", "loop", "packed_values", "programmatic_serialization", "several_launches",
/// "struct_argument", "tensor_map.im2col", "tensor_map.tiled", "workspace".
const std::vector<std::string_view>& known_features();

/// Returns the features that variant `variant` of `program` uses, each once, by name.
std::vector<UsedFeature> features_used(const Program& program, std::size_t variant);

/// A feature that a variant needs and a backend lacks.
struct MissingFeature {
  std::string feature;  // of `known_features`, or a word of the backend
  std::string path;  // JSON pointer to the element that needs it; may be empty
  std::string reason;  // for people; may be empty
  bool operator==(const MissingFeature&) const = default;
};

/// Returns the used features that are not in `supported`.
std::vector<MissingFeature> missing_features(const Program& program, std::size_t variant,
                                             const std::vector<std::string>& supported, std::string_view backend);

/// A language or binary form of the sources of a variant.
struct Dialect {
  std::string_view name;  // as in Variant::dialect
  bool is_host;  // a launch is a plain call: no grid, block, shared memory or tensor map
  bool is_binary;  // one compiled file: no compilation
  bool has_name_expressions;  // a kernel may be named by a C++ expression ("ns::kern<float>", "kern(float*)")
  bool has_packed_values;  // a launch may pass all values in one buffer
  std::string_view content;  // the content of a source, for people
};

/// Returns every dialect, by name.
const std::vector<Dialect>& all_dialects();

/// Returns the dialect of that name, or null.
const Dialect* find_dialect(std::string_view name);

}  // namespace kmux
