#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "kmux/error.h"

namespace kmux {

/// What a compilation takes, usually.
struct CompileCost {
  std::uint64_t peak_bytes = 0;
  double milliseconds = 0;
  bool operator==(const CompileCost&) const = default;
};

/// What compilations have taken so far, by the name under which they were learned; kept in a file between processes.
///
/// A larger peak counts at once, a smaller one slowly: too much memory is worse than waiting.
/// Threads: any. Processes may share the file; the last one that saves wins where both have learned.
class CompileCosts {
 public:
  /// Without a `file` nothing is kept. Its folder must be one that was checked.
  explicit CompileCosts(std::filesystem::path file = {}) : file_(std::move(file)) {}

  std::optional<CompileCost> of(const std::string& name);
  void learn(const std::string& name, const CompileCost& measured);

  /// Writes what was learned, with what others have written meanwhile.
  ///
  /// Errors: those of writing; nothing is lost but what would have been kept.
  Status save();

 private:
  using Costs = std::map<std::string, CompileCost>;
  void read_once();

  std::filesystem::path file_;
  std::mutex mutex_;
  bool was_read_ = false;
  Costs kept_;     // as read, and learned since
  Costs learned_;  // what is to be saved
};

/// The costs that a file's text holds; nothing for one that is damaged. An entry that cannot be true is left out.
std::map<std::string, CompileCost> costs_from_json(std::string_view text);
std::string costs_to_json(const std::map<std::string, CompileCost>& costs);

}  // namespace kmux
