#pragma once

#include <memory>
#include <optional>

#include "kmux/compile.h"
#include "kmux/plugin/file_identity.h"

#include "cache/kernel_headers.h"
#include "kernel/adapter_slot.h"

namespace kmux {

/// A build, and the time with which the state of its headers is captured, see CacheEntry.
struct DatedBuild {
  BuildResult result;
  FileTime began = 0;
};

/// Validates, resolves, wraps and builds `program`; `purpose` says whether a device will be needed afterwards.
///
/// Errors: as the public `build`.
Result<DatedBuild> build_for(Purpose purpose, Runtime& runtime, const Program& program, const CompileOptions& options);

/// What `build_for` with Purpose::kRun would find on this machine, where that asks no driver, starts no process and waits
/// for nobody; nothing otherwise, whatever the reason.
std::optional<DatedBuild> find_build(Runtime& runtime, const Program& program, const CompileOptions& options);

/// Returns true if code of `artifact` keeps values in variables of its own: it is neither replaced nor shared by kernels.
bool keeps_values(const Artifact& artifact);

/// Is what was chosen the policy's choice, and neither the caller's nor the lock file's?
bool is_auto(const Resolution& resolution);

/// Remembers that `candidate`, which was not named by the caller, failed: `auto` avoids it for a time.
void note_failure(Runtime& runtime, const Program& program, const Candidate& candidate, const Error& error);

/// Compiles in the background what is better than `built`, and gives it to `slot`: the successor that `resolution` names,
/// else the best tier where `built` is of a lesser one. Code that keeps values between launches stays.
///
/// Nothing replaces it if one of `headers`, those of `built`, changes before that is compiled: a kernel computes what it
/// computed when it was compiled.
void improve(Runtime& runtime, const std::shared_ptr<const Program>& program, const CompileOptions& options,
             const BuildResult& built, const Resolution& resolution, AdapterSlot& slot,
             const std::shared_ptr<KernelHeaders>& headers);

}  // namespace kmux
