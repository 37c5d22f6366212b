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

/// Writes down what a process compiles and calls, for `kmux replay`: docs/design/0053-record-and-replay.md.
///
/// Threads: any.
class Recorder {
 public:
  /// In a folder of this process below `folder`, made with the first kernel. `keeps_data`: the bytes of buffers as well. A `folder`
  /// that is a link, belongs to another user or that others may write to is refused by each `watch`.
  Recorder(std::filesystem::path folder, bool keeps_data) : folder_(std::move(folder)), keeps_data_(keeps_data) {}

  /// The calls of what launches from `slot` are written down from now on, before they are passed on. What cannot be is logged.
  static void watch(const std::shared_ptr<Recorder>& recorder, const std::shared_ptr<const Program>& program,
                    const CompileOptions& options, const BuildResult& built, AdapterSlot& slot);

  /// Writes one call as a line; gives it its number.
  void write(Json call);
  /// The digest of what a buffer holds, which is kept if data are.
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
