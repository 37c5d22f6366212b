#pragma once

#include <optional>
#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "engine/compiler.h"
#include "headers.h"
#include "host_compiler.h"
#include "options.h"

namespace kmux::cpu {

/// Compiles sources and launcher, in this process or with the machine's compiler.
///
/// Threads: any, concurrently.
class CpuBuilder final : public Builder {
 public:
  explicit CpuBuilder(Host host) : host_(host) {}

  Result<std::string> toolchain(const Target& target, const Options& options) override;
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;
  /// As `Backend::standalone`. What the machine's compiler has built as a library is compiled anew, as an object.
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built);

 private:
  Result<CompiledObject> compile(const CompileJob& job, const BuildRequest& request, const BuildOptions& options,
                                 std::string_view launcher);
  Result<std::optional<Dependencies>> dependencies(const CompileJob& job, const BuildOptions& options);

  Host host_;
  Compiler compiler_;
  Headers headers_;
  HostFolders host_folders_;
};

/// Does the compiler look the names of kernels up that are expressions?
enum class KernelNames { kLookedUp, kLeftOut };

/// What the request asks to compile. For dialect `object` the ready objects are no units; they go into the artifact
/// as they are.
///
/// Errors: invalid_argument for a source that is neither C nor C++, or no object file for this machine.
Result<CompileJob> make_job(const BuildRequest& request, const BuildOptions& options, std::string_view launcher,
                            KernelNames names = KernelNames::kLookedUp);

}  // namespace kmux::cpu
