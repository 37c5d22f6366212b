#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"

#include "isolated_plugins.h"
#include "worker_frame.h"
#include "worker_pool.h"

namespace kmux {

/// The arguments of a launch, for a process without access to its memory.
struct LaunchCopy {
  /// A slot: the bits of a scalar or null, or a copy of the memory that it points to.
  struct Slot {
    std::uint64_t bits = 0;
    std::optional<std::string> memory = {};
  };
  std::vector<Slot> slots = {};
  std::vector<std::pair<std::string, std::string>> constants = {};  // name, bytes
};

/// Tries code of a third-party plugin: a worker loads it, and launches it on copies, before this process does.
///
/// An error that the plugin returns is a valid result: this process will get the same error.
/// Threads: any.
class CodeTrial {
 public:
  /// Each step may take at most `limit`.
  CodeTrial(std::shared_ptr<WorkerPool> pool, const std::optional<std::chrono::milliseconds>& limit)
      : pool_(std::move(pool)), limit_(limit) {}

  /// Loads code in a worker.
  ///
  /// Errors: unavailable with the reason if the worker crashed, ended or hung.
  Status load(const Artifact& artifact, int device) const;
  /// Launches code in a worker.
  ///
  /// Errors: as `load`.
  Status launch(const Artifact& artifact, int device, LaunchCopy copy) const;

 private:
  Status ask(const Frame& frame) const;

  std::shared_ptr<WorkerPool> pool_;
  std::optional<std::chrono::milliseconds> limit_;
};

/// Returns the trial for code of plugin `name`. Returns null for kmux's own plugins, if `isolation` does not request
/// workers, and if trials are disabled (KMUX_PLUGIN_TRIAL=0).
///
/// Errors: unavailable without kmux-worker.
Result<std::shared_ptr<const CodeTrial>> code_trial(IsolatedPlugins& plugins, const std::string& name,
                                                    const IsolationSettings& isolation);

/// Runs in the worker: loads the code of a frame of kind kLoad or kLaunch with `backend`, launches it for the latter,
/// and unloads it.
///
/// Errors: those of the plugin; internal for a damaged frame.
Status try_code(Backend& backend, const Frame& frame);

}  // namespace kmux
