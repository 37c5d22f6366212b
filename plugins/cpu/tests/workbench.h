#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kmux/builder.h"

#include "backend.h"

namespace kmux::cpu {

/// The host that a backend under test talks to: options as set, log lines as written.
class FakeHost {
 public:
  FakeHost() {
    api_.struct_size = sizeof api_;
    api_.self = this;
    api_.option = [](void* self, kmux_bytes name, kmux_sink value) -> int32_t {
      const auto& known = static_cast<FakeHost*>(self)->options;
      const auto found = known.find(std::string(name.data, name.size));
      if (found == known.end()) return 0;
      value.write(value.self, found->second.data(), found->second.size());
      return 1;
    };
    api_.log = [](void* self, int32_t, kmux_bytes text) {
      static_cast<FakeHost*>(self)->log.append(text.data, text.size);
    };
    api_.trace = [](void*, int32_t, kmux_bytes) {};
  }
  operator Host() const { return Host(&api_); }

  std::map<std::string, std::string> options;
  std::string log;

 private:
  kmux_host_api api_{};
};

/// Host memory for workspaces, counted.
class CountingAllocator {
 public:
  CountingAllocator() {
    api_.struct_size = sizeof api_;
    api_.allocate = [](void* self, int32_t, void*, size_t bytes, size_t alignment, void** address) -> kmux_code {
      auto& allocator = *static_cast<CountingAllocator*>(self);
      if (allocator.fails) return KMUX_UNAVAILABLE;
      ++allocator.allocated;
      *address = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
      return KMUX_OK;
    };
    api_.free = [](void* self, int32_t, void*, void* address) {
      ++static_cast<CountingAllocator*>(self)->freed;
      std::free(address);
    };
  }
  const kmux_allocator* api() {
    api_.self = this;  // here, as the allocator may have been moved
    return &api_;
  }

  int allocated = 0;
  int freed = 0;
  bool fails = false;

 private:
  kmux_allocator api_{};
};

/// A loaded kernel to call with slots.
struct LoadedKernel {
  std::string launcher;
  Artifact artifact;
  std::unique_ptr<Adapter> adapter;
  CountingAllocator allocator = {};

  Status operator()(const std::vector<kmux_slot>& slots) {
    std::string text;
    const kmux_sink error{
        &text, [](void* self, const char* data, size_t size) { static_cast<std::string*>(self)->append(data, size); }};
    const kmux_launch_env env{sizeof(kmux_launch_env), 0, nullptr, allocator.api(), 0, 0};
    const kmux_code code = adapter->launch(slots.data(), env, error);
    if (code == KMUX_OK) return Ok{};
    return read_error(code, text);
  }
};

/// Wraps, builds and loads programs as the runtime does.
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
