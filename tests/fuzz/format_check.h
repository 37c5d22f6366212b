#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// A format whose bytes kmux reads from untrusted sources.
struct Format {
  std::string_view name;  // "npy"
  /// Reads arbitrary `bytes`: they must be a value that is read back equal after writing, or an error that can be
  /// shown. Returns the broken promise; empty if all hold.
  std::string (*broken_promise)(std::string_view bytes);
  /// Returns initial inputs, which are valid values.
  std::vector<std::string> (*seeds)();
};

/// Returns the formats: programs as JSON, expressions, manifests of plugins, artifacts, cache entries, values of a
/// remote cache, bundles of cache entries, .npy files, and frames of the worker.
std::span<const Format> formats();

/// Returns the format of that name, or null.
const Format* find_format(std::string_view name);

}  // namespace kmux
