#pragma once

#include <optional>
#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "headers.h"
#include "host_compiler.h"
#include "options.h"
#include "simt/compiler.h"
#include "simt/frontend/job.h"

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
  Result<Artifact> build(const BuildRequest& request, const BuildOptions& options, std::string_view launcher);
  Result<simt::CompiledObject> compile(const simt::CompileJob& job, const BuildRequest& request,
                                       const BuildOptions& options, std::string_view launcher);
  Result<std::optional<Dependencies>> dependencies(const simt::CompileJob& job, const BuildOptions& options);
  void tell_of(const simt::CompiledObject& compiled) const;

  Host host_;
  simt::Compiler compiler_;
  Headers headers_;
  HostFolders host_folders_;
};

}  // namespace kmux::cpu
