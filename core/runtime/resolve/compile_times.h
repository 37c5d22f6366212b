#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kmux/manifest.h"

namespace kmux {

class ArtifactCache;

/// How long the plugins of this machine took to compile, a figure for each of their builds and tiers.
///
/// Units:   milliseconds.
/// Threads: any.
class CompileTimes {
 public:
  explicit CompileTimes(std::shared_ptr<ArtifactCache> cache) : cache_(std::move(cache)) {}

  /// A compile took `ms`: one quarter of it and three of what was known before are known now; by later processes, too,
  /// if it `is_kept`.
  void note(const Manifest& plugin, const std::string& tier, double ms, bool is_kept);
  /// What is known, by this process or an earlier one; nothing without any.
  std::optional<double> known(const Manifest& plugin, const std::string& tier);
  /// `known`, else what the manifest says.
  std::optional<double> expected(const Manifest& plugin, const std::string& tier);

 private:
  struct Time {
    std::optional<double> ms;
    std::optional<double> kept;  // on the disk
    bool is_looked_up = false;  // there
  };
  Time& look_up(const Manifest& plugin, const std::string& tier);  // under the lock

  std::shared_ptr<ArtifactCache> cache_;
  std::mutex mutex_;
  std::map<std::string, Time> times_;  // by the key's digest
};

}  // namespace kmux
