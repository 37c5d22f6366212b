#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "kmux/builder.h"
#include "kmux/plugin/sink.h"
#include "kmux/validate.h"

#include "backend.h"
#include "fake_host.h"
#include "fake_metal.h"

namespace kmux::metal {

/// Returns a program with one float32 buffer "x" of n elements, and kernel `kernel` of `content` launched once with it
/// and n.
inline ProgramBuilder one_kernel(const std::string& content, const std::string& kernel = "k") {
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).variant("msl").source("k.metal", content);
  builder.launch(kernel).grid({ceildiv(n, 64)}).block({64}).args({"x"}).arg(n, dtype::kInt32);
  return builder;
}

inline constexpr const char* kAddOne = R"(#include <metal_stdlib>
using namespace metal;
kernel void k(device float* x [[buffer(0)]], constant int& n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  if (int(i) < n) x[i] += 1;
}
)";

/// A backend over the mock, and the helpers to launch built programs. Every test fails if the mock reports an error, or
/// if objects outlive the backend.
class MetalTest : public testing::Test {
 protected:
  MetalTest() { host.options["metal.library"] = FakeMetal::library(); }
  ~MetalTest() override {
    backend.reset();
    EXPECT_THAT(fake.complaints(), testing::IsEmpty());
    EXPECT_EQ(fake.live(), before);
  }

  Result<Artifact> build(const Program& program, Options options = {}) {
    const BuildRequest request{program, 0, {"metal"}, std::move(options)};
    KMUX_ASSIGN(const std::string launcher, backend->wrapper().wrap(request));
    return backend->builder().build(request, launcher);
  }
  Error build_failure(const Program& program, Options options = {}) {
    auto artifact = build(program, std::move(options));
    return artifact ? make_error(ErrorCode::kOk, "it worked") : std::move(artifact).error();
  }
  std::unique_ptr<Adapter> load(const Program& program, Options options = {}) {
    return backend->load(build(program, std::move(options)).value(), 0).value();
  }

  /// Returns device memory with a copy of `values`.
  template <class T>
  T* upload(const std::vector<T>& values) {
    void* const memory = backend->devices().allocate(0, nullptr, values.size() * sizeof(T), 0).value();
    EXPECT_TRUE(backend->devices()
                    .copy(0, nullptr, memory, values.data(), values.size() * sizeof(T), KMUX_COPY_HOST_TO_DEVICE)
                    .ok());
    return static_cast<T*>(memory);
  }
  template <class T>
  std::vector<T> download(const T* memory, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(
        backend->devices().copy(0, nullptr, values.data(), memory, count * sizeof(T), KMUX_COPY_DEVICE_TO_HOST).ok());
    return values;
  }

  kmux_code launch(Adapter& adapter, const std::vector<kmux_slot>& slots, void* stream = nullptr) {
    said.clear();
    const kmux_launch_env env{sizeof(kmux_launch_env), 0, stream, &allocator, 0, 0};
    return adapter.entry()(slots.data(), env, append_to(said));
  }
  static kmux_slot slot(void* memory) { return {.ptr = memory}; }
  static kmux_slot slot(int value) { return slot(std::int64_t{value}); }
  static kmux_slot slot(std::int64_t value) { return {.i64 = value}; }

  FakeMetal fake = FakeMetal::load();
  std::map<std::string, int> before = fake.live();
  FakeHost host;
  std::unique_ptr<Backend> backend = MetalBackend::create(host).value();
  std::string said;  // by the last failed launch
  kmux_allocator allocator{sizeof(kmux_allocator), this,
                           [](void* self, int32_t device, void* stream, std::size_t bytes, std::size_t alignment,
                              void** address) -> kmux_code {
                             auto& devices = static_cast<MetalTest*>(self)->backend->devices();
                             auto memory = devices.allocate(device, stream, bytes, alignment);
                             if (!memory) return KMUX_UNAVAILABLE;
                             *address = *memory;
                             return KMUX_OK;
                           },
                           [](void* self, int32_t device, void* stream, void* address) {
                             static_cast<MetalTest*>(self)->backend->devices().free(device, stream, address);
                           }};
};

}  // namespace kmux::metal
