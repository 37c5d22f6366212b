#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/builder.h"
#include "kmux/plugin/sink.h"

#include "backend.h"
#include "counting_allocator.h"
#include "fake_host.h"

namespace kmux::cpu {

/// A loaded kernel to call with slots.
struct LoadedKernel {
  std::string launcher;
  Artifact artifact;
  std::unique_ptr<Adapter> adapter;
  CountingAllocator allocator = {};

  Status operator()(const std::vector<kmux_slot>& slots) {
    std::string text;
    const kmux_sink error = append_to(text);
    const kmux_launch_env env{sizeof(kmux_launch_env), 0, nullptr, allocator.api(), 0, 0};
    const kmux_code code = adapter->launch(slots.data(), env, error);
    if (code == KMUX_OK) return Ok{};
    return read_error(code, text);
  }
};

/// Wraps, builds and loads programs as the runtime does. Owns its backend and host.
class Workbench {
 public:
  FakeHost host;
  CpuBackend backend{host};

  Result<LoadedKernel> load(const Program& program, Options options = {}, const std::string& target = "auto") {
    KMUX_ASSIGN(const Target resolved, backend.resolve_target(target, 0));
    const BuildRequest request{program, 0, resolved, std::move(options)};
    LoadedKernel kernel;
    KMUX_ASSIGN(kernel.launcher, backend.wrapper().wrap(request));
    KMUX_ASSIGN(kernel.artifact, backend.builder().build(request, kernel.launcher));
    KMUX_ASSIGN(kernel.adapter, backend.load(kernel.artifact, 0));
    return kernel;
  }
  Error failure(const Program& program, Options options = {}, const std::string& target = "auto") {
    auto kernel = load(program, std::move(options), target);
    return kernel ? make_error(ErrorCode::kOk, "it worked") : std::move(kernel).error();
  }
};

/// Returns the workbench shared by tests with many small kernels, which only check results. As in an application, the
/// text that precedes each CUDA source is compiled once for all of them. Never destroyed.
inline Workbench& common_bench() {
  static Workbench& bench = *new Workbench;
  return bench;
}

inline kmux_slot slot(void* address) { return {.ptr = address}; }
inline kmux_slot slot(std::int64_t value) { return {.i64 = value}; }
inline kmux_slot bits(std::uint64_t value) { return {.bits = value}; }

/// A program with one int32 buffer "out" of four elements, kernel `k` called with it; source `path`.
inline ProgramBuilder one_kernel(const std::string& path, const std::string& content) {
  ProgramBuilder builder("sample");
  builder.output("out", dtype::kInt32, {4}).variant("c").source(path, content);
  builder.launch("k").args({"out"});
  return builder;
}

}  // namespace kmux::cpu
