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
  /// Implements `Backend::standalone`. A library that the machine's compiler has built is compiled again as an object.
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built);

 private:
  Result<CompiledObject> compile(const CompileJob& job, const BuildRequest& request, const BuildOptions& options,
                                 std::string_view launcher);
  Result<std::optional<Dependencies>> dependencies(const CompileJob& job, const BuildOptions& options);
  void tell_of(const CompiledObject& compiled) const;

  Host host_;
  Compiler compiler_;
  Headers headers_;
  HostFolders host_folders_;
};

}  // namespace kmux::cpu
