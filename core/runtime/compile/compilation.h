// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "kmux/compile.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/kernel.h"
#include "kmux/runtime.h"

#include "artifact/compile_settings.h"
#include "candidate_build.h"
#include "kernel/kernel_impl.h"

namespace kmux {

/// A program and its options on the way to a kernel.
///
/// Lifetime: borrows all three.
class Compilation {
 public:
  Compilation(Runtime& runtime, const Program& program, const CompileOptions& options)
      : runtime_(runtime), program_(program), options_(options) {}

  /// Compiles, as the public `compile`.
  Result<Kernel> kernel();
  /// Builds, as the public `build`.
  Result<BuildResult> build();
  /// Wraps, as the public `wrap`.
  Result<WrapResult> wrap();

  /// Returns the kernel that `kernel` would find in memory.
  std::optional<Kernel> find_in_memory() const;

  /// Returns the kernel that `kernel` would find on this machine's disk, or the error of loading it. Returns nothing if
  /// finding it would query a driver, start a process or wait for another thread.
  std::optional<Result<Kernel>> find_on_disk();

 private:
  using SharedProgram = std::shared_ptr<const Program>;

  Status begin(Purpose purpose);
  Resolution resolve() const;
  Result<Choice> choose(const Candidate& candidate) const;
  Result<DatedBuild> build(const Candidate& candidate) const;
  Result<WrapResult> wrap(const Candidate& candidate) const;
  template <class Made>
  Result<Made> with_first_able(Result<Made> (Compilation::*make)(const Candidate& candidate) const) const;

  Result<Kernel> make(DatedBuild built) const;
  Result<KernelParts> load(const SharedProgram& program, DatedBuild& built) const;
  Result<LoadedArtifact> load_artifact(const SharedProgram& program, BuildResult& built) const;
  Status add_tuner(const SharedProgram& program, KernelParts& parts) const;
  void improve(const SharedProgram& program, const BuildResult& built, const Kernel& kernel, AdapterSlot& slot,
               const std::shared_ptr<KernelHeaders>& headers) const;

  bool is_remembered() const;
  bool depends_on_working_directory(const Kernel& kernel) const;
  void remember(const SharedProgram& program, const Kernel& kernel,
                const std::shared_ptr<KernelHeaders>& headers) const;
  void note_failure(const Candidate& candidate, const Error& error) const;
  ArtifactCache* cache() const;

  Runtime& runtime_;
  const Program& program_;
  const CompileOptions& options_;
  CompileSettings settings_;  // since `begin`
};

}  // namespace kmux
