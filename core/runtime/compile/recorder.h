#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "kmux/compile.h"
#include "kmux/json.h"
#include "kmux/plugin/backend.h"

#include "kernel/adapter_slot.h"

namespace kmux {

/// Records the compilations and calls of a process, for `kmux replay`: docs/design/0053-record-and-replay.md.
///
/// Threads: any.
class Recorder {
 public:
  /// Records in a folder of this process below `folder`, created with the first kernel. `keeps_data`: records the bytes
  /// of buffers as well. Each `watch` refuses a `folder` that is a link, belongs to another user or is writable by
  /// others.
  Recorder(std::filesystem::path folder, bool keeps_data) : folder_(std::move(folder)), keeps_data_(keeps_data) {}

  /// Records the calls of `slot` from now on. Logs those that cannot be recorded.
  static void watch(const std::shared_ptr<Recorder>& recorder, const std::shared_ptr<const Program>& program,
                    const CompileOptions& options, const BuildResult& built, AdapterSlot& slot);

  /// Writes one call as a line, with its number.
  void write(Json call);
  /// Returns the digest of a buffer's `bytes`, and stores them if data are kept.
  Result<std::string> keep(std::string_view bytes);

 private:
  Status open();
  Result<std::string> add_kernel(const Program& program, const CompileOptions& options, const BuildResult& built,
                                 const AdapterSlot& slot);

  std::mutex mutex_;
  std::filesystem::path folder_;
  const bool keeps_data_;
  bool is_open_ = false;
  std::size_t kernels_ = 0;
  std::size_t calls_ = 0;
};

}  // namespace kmux
