#pragma once

#include <memory>

#include "kmux/plugin/plugin.h"

#include "worker_pool.h"

namespace kmux {

/// A plugin in worker processes, as the table that the plugin itself would give. Its cold calls (probe, resolve_target,
/// supports, toolchain, wrap, build) go to a worker, byte for byte; everything else is refused, since adapters and
/// devices belong to the application's process.
///
/// Threads: any.
class WorkerTable {
 public:
  /// A call gets at most `limit`.
  WorkerTable(std::string name, std::shared_ptr<WorkerPool> pool, std::optional<std::chrono::milliseconds> limit);
  WorkerTable(const WorkerTable&) = delete;
  WorkerTable& operator=(const WorkerTable&) = delete;

  const kmux_plugin_api& api() const { return api_; }
  void* instance() { return this; }

 private:
  static kmux_code forward(void* self, const Frame& frame, kmux_sink output, kmux_sink error);

  std::string name_;
  std::shared_ptr<WorkerPool> pool_;
  std::optional<std::chrono::milliseconds> limit_;
  kmux_plugin_api api_{};
};

}  // namespace kmux
