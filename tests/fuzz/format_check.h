#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kmux {

/// A format in which bytes from elsewhere reach kmux.
struct Format {
  std::string_view name;  // "npy"
  /// Reads `bytes`, whatever they are: they are a value that is written and read back as it is, or an error that can be shown.
  /// Returns what does not hold; empty if all does.
  std::string (*broken_promise)(std::string_view bytes);
  /// Bytes to begin with, which are whole values.
  std::vector<std::string> (*seeds)();
};

/// Programs as JSON, expressions, manifests of plugins, artifacts, cache entries, values of a remote cache, bundles of cache
/// entries, .npy files, and frames of the worker.
std::span<const Format> formats();

/// The one of that name, or null.
const Format* find_format(std::string_view name);

}  // namespace kmux
