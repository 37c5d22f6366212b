#pragma once

#include <stdexcept>

#include "kmux/plugin/backend.h"

namespace kmux::broken {

/// Devices whose functions all throw, except those that must not.
class ThrowingDevices final : public DeviceApi {
 public:
  Result<int> count() override { throw std::runtime_error("thrown by count"); }
  Result<Json> properties(int) override { throw std::runtime_error("thrown by properties"); }
  Result<void*> allocate(int, void*, std::size_t, std::size_t) override {
    throw std::runtime_error("thrown by allocate");
  }
  void free(int, void*, void*) noexcept override {}
  Status copy(int, void*, void*, const void*, std::size_t, kmux_copy_kind) override {
    throw std::runtime_error("thrown by copy");
  }
  Status memset(int, void*, void*, std::uint8_t, std::size_t) override { throw std::runtime_error("thrown by memset"); }
  Result<MemoryInfo> memory_info(int) override { throw std::runtime_error("thrown by memory_info"); }
  Result<void*> stream_create(int) override { throw std::runtime_error("thrown by stream_create"); }
  void stream_destroy(int, void*) noexcept override {}
  Status stream_synchronize(int, void*) override { throw std::runtime_error("thrown by stream_synchronize"); }
  Result<void*> event_create(int) override { throw std::runtime_error("thrown by event_create"); }
  void event_destroy(int, void*) noexcept override {}
  Status event_record(int, void*, void*) override { throw std::runtime_error("thrown by event_record"); }
  Result<double> event_elapsed(int, void*, void*) override { throw std::runtime_error("thrown by event_elapsed"); }
  Status l2_flush(int, void*) override { throw std::runtime_error("thrown by l2_flush"); }
  Status stream_wait_event(int, void*, void*) override { throw std::runtime_error("thrown by stream_wait_event"); }
  Result<std::uint64_t> stream_capture(int, void*) override { throw std::runtime_error("thrown by stream_capture"); }
  Result<void*> event_create_untimed(int) override { throw std::runtime_error("thrown by event_create_untimed"); }
};

/// A backend whose functions all throw.
class ThrowingBackend : public Backend, private Wrapper, private Builder {
 public:
  Result<ProbeReport> probe() override { throw std::runtime_error("thrown by probe"); }
  Result<Target> resolve_target(std::string_view, std::optional<int>) override { throw "thrown without a type"; }
  Result<std::vector<MissingFeature>> supports(const BuildRequest&) override {
    throw std::runtime_error("thrown by supports");
  }
  Wrapper& wrapper() override { return *this; }
  Builder& builder() override { return *this; }
  DeviceApi& devices() override { return devices_; }
  Result<std::unique_ptr<Adapter>> load(const Artifact&, int) override { throw std::runtime_error("thrown by load"); }

  Result<Artifact> standalone(const BuildRequest&, const Artifact&) override {
    throw std::runtime_error("thrown by standalone");
  }

 private:
  Result<std::string> wrap(const BuildRequest&) override { throw std::runtime_error("thrown by wrap"); }
  Result<std::string> toolchain(const Target&, const Options&) override {
    throw Exception(make_error(ErrorCode::kUnavailable, "no compiler. Install one.").with("path", "/usr/bin/cc"));
  }
  Result<Artifact> build(const BuildRequest&, std::string_view) override {
    throw std::runtime_error("thrown by build");
  }

  ThrowingDevices devices_;
};

}  // namespace kmux::broken
