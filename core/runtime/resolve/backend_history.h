#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/registry.h"
#include "kmux/resolver.h"

namespace kmux {

/// A plugin with a variant of a program, for a target.
struct CandidateKey {
  std::string program;  // its digest
  std::size_t variant = 0;
  std::string backend;
  std::string target;
  auto operator<=>(const CandidateKey&) const = default;
};

/// Whose failure an error is.
enum class Blame : std::uint8_t {
  kNobody,   // a wrong argument, "unsupported" (the cache remembers that), a launch: nothing to avoid
  kSources,  // the compiler has read the sources and refuses them
  kBackend,  // it crashed, hung, or could not load what it had made
};
Blame blame_of(const Error& error);

/// What failed lately, so that `auto` keeps away from it for a time. A failure that is the sources' counts only where
/// the caller did not name that candidate: for one that is to be measured or to take over. A named one is built, and fails.
///
/// Threads: any.
class Failures {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  explicit Failures(Clock now = std::chrono::steady_clock::now) : now_(std::move(now)) {}

  void note(const CandidateKey& key, const Error& error);
  /// What keeps `key` away, if it is to be chosen or, with `in_background`, to be compiled beside what was chosen.
  std::optional<Quarantine> find(const CandidateKey& key, bool in_background) const;
  bool empty() const;

 private:
  struct Entry {
    std::string reason;
    Blame blame;
    std::chrono::steady_clock::time_point until;
  };
  Clock now_;
  mutable std::mutex mutex_;
  std::map<CandidateKey, Entry> entries_;
};

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

/// May the library of `entry` be opened in this process? If it is kmux's own, or has answered before, in this process or in one that
/// used `cache` (which may be null): with the same build-id, options, kmux and processor. Else it is tried, see `try_plugin`.
///
/// Errors: those of `trial_limit` and `try_plugin`.
/// Threads: any.
Status admit_plugin(const PluginEntry& entry, const Options& options, const Environment& environment,
                    ArtifactCache* cache);

/// What a runtime has learned of its backends while it compiled and measured.
///
/// Threads: any.
class BackendHistory {
 public:
  explicit BackendHistory(std::shared_ptr<ArtifactCache> cache) : compile_times(std::move(cache)) {}

  CompileTimes compile_times;
  Failures failures;
  std::mutex measuring;  // held while calls are timed: two measurements at once would measure each other
};

}  // namespace kmux
