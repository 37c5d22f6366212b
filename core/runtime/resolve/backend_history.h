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

/// The party that caused an error.
enum class Blame : std::uint8_t {
  kNobody,   // an invalid argument, "unsupported" (which is cached), a launch: nothing to avoid
  kSources,  // the compiler has read the sources and refuses them
  kBackend,  // it crashed, hung, or could not load its own artifact
};
Blame blame_of(const Error& error);

/// The candidates that failed recently, so that `auto` avoids them for a time. A failure caused by the sources counts
/// only for candidates that the caller did not choose: those to be measured or to take over. A chosen one is built, and
/// fails again.
///
/// Threads: any.
class Failures {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  explicit Failures(Clock now = std::chrono::steady_clock::now) : now_(std::move(now)) {}

  void note(const CandidateKey& key, const Error& error);
  /// Returns the quarantine of `key`, or nothing. `in_background`: for a candidate compiled beside the chosen one.
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

/// The compile times of the plugins of this machine, one for each of their builds and tiers.
///
/// Units:   milliseconds.
/// Threads: any.
class CompileTimes {
 public:
  explicit CompileTimes(std::shared_ptr<ArtifactCache> cache) : cache_(std::move(cache)) {}

  /// Records a compile that took `ms`, which enters the moving average with a weight of one quarter. With `is_kept`,
  /// later processes find the average, too.
  void note(const Manifest& plugin, const std::string& tier, double ms, bool is_kept);
  /// Returns the average known from this process or an earlier one, or nothing.
  std::optional<double> known(const Manifest& plugin, const std::string& tier);
  /// Returns `known`, else the time in the manifest.
  std::optional<double> expected(const Manifest& plugin, const std::string& tier);

 private:
  struct Time {
    std::optional<double> ms;
    std::optional<double> kept;  // as stored on disk
    bool is_looked_up = false;  // whether the disk has been read
  };
  Time& look_up(const Manifest& plugin, const std::string& tier);  // under the lock

  std::shared_ptr<ArtifactCache> cache_;
  std::mutex mutex_;
  std::map<std::string, Time> times_;  // by the key's digest
};

/// Returns ok if the library of `entry` may be opened in this process: it is kmux's own, or was tried successfully
/// before by this process or one that used `cache` (which may be null). Such a trial must have had the same build-id,
/// options, kmux and processor. Otherwise tries the library now, see `try_plugin`.
///
/// Errors: those of `trial_limit` and `try_plugin`.
/// Threads: any.
Status admit_plugin(const PluginEntry& entry, const Options& options, const Environment& environment,
                    ArtifactCache* cache);

/// The history of a runtime's backends: compile times and failures.
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
