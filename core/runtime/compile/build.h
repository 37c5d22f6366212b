#pragma once

#include <memory>
#include <optional>

#include "kmux/compile.h"
#include "kmux/plugin/file_identity.h"

#include "cache/kernel_headers.h"
#include "kernel/adapter_slot.h"

namespace kmux {

/// A build, and the time at which the state of its headers was captured, see CacheEntry.
struct DatedBuild {
  BuildResult result;
  FileTime began = 0;
};

/// Validates, resolves, wraps and builds `program`; `purpose` determines whether a device must be usable.
///
/// Errors: as the public `build`.
Result<DatedBuild> build_for(Purpose purpose, Runtime& runtime, const Program& program, const CompileOptions& options);

/// Returns the cached result of `build_for` with Purpose::kRun on this machine, if finding it queries no driver, starts
/// no process and waits for no other thread; nothing otherwise, whatever the reason.
std::optional<DatedBuild> find_build(Runtime& runtime, const Program& program, const CompileOptions& options);

/// Returns true if the code of `artifact` keeps values in variables: it is then neither replaced nor shared by kernels.
bool keeps_values(const Artifact& artifact);

/// Returns true if the policy chose the candidate, not the caller or the lock file.
bool is_auto(const Resolution& resolution);

/// Records that `candidate`, which the caller did not name, failed: `auto` avoids it for a time.
void note_failure(Runtime& runtime, const Program& program, const Candidate& candidate, const Error& error);

/// Compiles better code than `built` in the background and passes it to `slot`: the successor that `resolution` names,
/// else the best tier if `built` is of a lesser one. Code that keeps values between launches is not replaced.
///
/// Replaces nothing if one of `headers`, those of `built`, changes before the better code is compiled: the results of a
/// kernel must not change after it was compiled.
void improve(Runtime& runtime, const std::shared_ptr<const Program>& program, const CompileOptions& options,
             const BuildResult& built, const Resolution& resolution, AdapterSlot& slot,
             const std::shared_ptr<KernelHeaders>& headers);

}  // namespace kmux
