#pragma once

#include <memory>
#include <string_view>

#include "kmux/plugin/include_scan.h"

#include "in_process_compiler.h"

namespace kmux::fresh {

/// How long the next compilations of this thread take, in microseconds: a third before, between and after the scan for
/// headers and their reading.
int& compile_time_us();

/// Compiles in no time, in two tiers: it reads the headers from disk, keeps the numbers that they define, and reports what it
/// read as real plugins do.
class ReadingPlugin final : public InProcessCompiler {
 public:
  ReadingPlugin();

 private:
  Result<Artifact> build(const BuildRequest& request, std::string_view) override;
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int) override;

  IncludeMemory memory_;
};

/// A registry of that plugin alone.
Shared<Registry> reading_registry();

}  // namespace kmux::fresh
