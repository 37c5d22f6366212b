#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/meta_reader.h"

#include "simt/loader/loader.h"

namespace kmux::cpu {

/// The type of the launcher function in loaded code.
using LaunchFunction = int (*)(const kmux_slot*, const kmux_launch_env*, kmux_sink);

/// A loaded kernel. A launch calls the launcher function and returns when the kernel has finished.
///
/// Threads: any, concurrently.
class CpuAdapter final : public Adapter {
 public:
  /// Owns `code`. `is_on_grid` must be true if the kernels run on grids of blocks.
  CpuAdapter(std::unique_ptr<simt::LoadedCode> code, bool is_on_grid, std::vector<ConstantSymbol> constants)
      : code_(std::move(code)),
        launch_(reinterpret_cast<LaunchFunction>(code_->entry())),
        is_on_grid_(is_on_grid),
        constants_(std::move(constants)) {}

  /// Starts the pool's threads and allocates the calling thread's block memory, if the kernels run on grids.
  Status prepare(int device) override;
  Result<ConstantPlace> constant(int device, std::string_view name) override;
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override;

 private:
  std::unique_ptr<simt::LoadedCode> code_;
  LaunchFunction launch_;
  bool is_on_grid_;
  std::vector<ConstantSymbol> constants_;
};

/// Loads an artifact of the builder.
///
/// Errors: invalid_argument if the artifact is of another backend or incomplete; unavailable if it was compiled for a
///         processor with features that this machine lacks, or needs symbols that the process lacks.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact);

}  // namespace kmux::cpu
