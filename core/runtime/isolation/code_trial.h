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

/// What a launch takes, for a process that has none of its memory.
struct LaunchCopy {
  /// A slot: the bits of a scalar or a null, or what the memory holds that it points to.
  struct Slot {
    std::uint64_t bits = 0;
    std::optional<std::string> memory = {};
  };
  std::vector<Slot> slots = {};
  std::vector<std::pair<std::string, std::string>> constants = {};  // name, bytes
};

/// Has code of a plugin that is not kmux's own loaded, and launched on copies, by a worker before this process does either.
///
/// An error that the plugin gives there is an answer: it is for this process to meet it.
/// Threads: any.
class CodeTrial {
 public:
  /// Each step gets at most `limit`.
  CodeTrial(std::shared_ptr<WorkerPool> pool, const std::optional<std::chrono::milliseconds>& limit)
      : pool_(std::move(pool)), limit_(limit) {}

  /// Errors: unavailable that says how the worker crashed, ended or hung.
  Status load(const Artifact& artifact, int device) const;
  /// Errors: as `load`.
  Status launch(const Artifact& artifact, int device, LaunchCopy copy) const;

 private:
  Status ask(const Frame& frame) const;

  std::shared_ptr<WorkerPool> pool_;
  std::optional<std::chrono::milliseconds> limit_;
};

/// What tries the code of plugin `name`; null for kmux's own, where `isolation` does not ask for it, and without trials
/// (KMUX_PLUGIN_TRIAL=0).
///
/// Errors: those of trial_limit; unavailable without kmux-worker.
Result<std::shared_ptr<const CodeTrial>> code_trial(Runtime& runtime, const std::string& name,
                                                    const IsolationSettings& isolation);

/// The worker's end: loads the code of a frame of kind kLoad or kLaunch with `backend`, launches it for the latter, and unloads it.
///
/// Errors: those of the plugin; internal for a damaged frame.
Status try_code(Backend& backend, const Frame& frame);

}  // namespace kmux
