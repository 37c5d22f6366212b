#pragma once

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "kmux/kernel.h"
#include "kmux/plugin/backend.h"
#include "kmux/registry.h"

#include "kernel/kernel_impl.h"

namespace kmux {

/// The function that a fake kernel calls for each launch.
using FakeLaunch = std::function<kmux_code(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error)>;

class InProcessAdapter final : public Adapter {
 public:
  explicit InProcessAdapter(FakeLaunch launch) : launch_(std::move(launch)) {}
  Status prepare(int device) override {
    if (device >= 0) return Ok{};
    return make_error(ErrorCode::kInternal, "no device");
  }
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    return launch_ ? launch_(slots, env, error) : KMUX_OK;
  }

 private:
  FakeLaunch launch_;
};

/// Two devices whose memory is the host's, whatever their type. Counts allocations.
class InProcessDevices : public DeviceApi {
 public:
  InProcessDevices() = default;
  InProcessDevices(const InProcessDevices&) = delete;
  InProcessDevices& operator=(const InProcessDevices&) = delete;
  ~InProcessDevices() override {
    for (void* const block : blocks_) std::free(block);  // left over by graphs
  }
  Result<int> count() override { return 2; }
  Result<Json> properties(int device) override {
    Json json;
    json["name"] = "fake";
    json["arch"] = architectures[static_cast<std::size_t>(device)];
    return json;
  }
  Result<void*> allocate(int, void* stream, std::size_t bytes, std::size_t) override {
    if (bytes > kMemory) return make_error(ErrorCode::kUnavailable, "the fake device is full. Free something.");
    const std::lock_guard lock(mutex_);
    ++live;
    order += "allocate on " + written(stream) + "; ";
    return *blocks_.insert(std::malloc(bytes == 0 ? 1 : bytes)).first;
  }
  void free(int, void* stream, void* address) noexcept override {
    const std::lock_guard lock(mutex_);
    --live;
    order += "free on " + written(stream) + "; ";
    blocks_.erase(address);
    std::free(address);
  }
  Status copy(int, void*, void* to, const void* from, std::size_t bytes, kmux_copy_kind) override {
    std::memcpy(to, from, bytes);
    return Ok{};
  }
  Status memset(int, void*, void* address, std::uint8_t value, std::size_t bytes) override {
    std::memset(address, value, bytes);
    return Ok{};
  }
  Result<MemoryInfo> memory_info(int) override { return MemoryInfo{kMemory, kMemory}; }
  Result<void*> stream_create(int) override { return static_cast<void*>(this); }
  void stream_destroy(int, void*) noexcept override {}
  Status stream_synchronize(int, void* stream) override {
    order += "host waits for " + written(stream) + "; ";
    return note("synchronize "), Ok{};
  }
  Result<void*> event_create(int) override {
    if (!events) return events.error();
    return static_cast<void*>(this);
  }
  void event_destroy(int, void*) noexcept override {}
  Status event_record(int, void*, void* stream) override {
    order += "record on " + written(stream) + "; ";
    return note("record "), records;
  }
  Result<double> event_elapsed(int, void*, void*) override {
    order += "host waits for an event; ";
    return elapsed_ms;
  }
  Status l2_flush(int, void*) override { return note("flush "), flushes; }
  Status stream_wait_event(int, void* stream, void*) override {
    order += written(stream) + " waits; ";
    return waits;
  }
  Result<std::uint64_t> stream_capture(int, void* stream) override { return capture_of(stream); }

  int live = 0;
  Status events = Ok{};
  Status records = Ok{};
  Status waits = Ok{};
  Status flushes = Ok{};
  std::map<void*, std::uint64_t> captures = {};  // by stream; 0: none
  double elapsed_ms = 0;
  std::string asked = {};  // the queries of streams and events
  std::string order = {};  // allocations, frees and waits, by stream
  std::array<std::string, 2> architectures = {"one", "other"};

 private:
  std::uint64_t capture_of(void* stream) const {
    const auto found = captures.find(stream);
    return found == captures.end() ? 0 : found->second;
  }
  void note(const char* what) { asked += what; }
  static std::string written(void* stream) { return std::to_string(reinterpret_cast<std::uintptr_t>(stream)); }

  std::mutex mutex_;  // guards allocations and frees: tensors are created and destroyed on every thread
  std::set<void*> blocks_;
  static constexpr std::size_t kMemory = std::size_t{1} << 30;
};

/// A backend that has devices and compiles nothing.
class InProcessBackend final : public Backend {
 public:
  Result<ProbeReport> probe() override { return ProbeReport{}; }
  Result<Target> resolve_target(std::string_view, std::optional<int>) override { return Target{"fake"}; }
  Result<std::vector<MissingFeature>> supports(const BuildRequest&) override { return std::vector<MissingFeature>{}; }
  Wrapper& wrapper() override { std::abort(); }
  Builder& builder() override { std::abort(); }
  Result<std::unique_ptr<Adapter>> load(const Artifact&, int) override {
    return std::unique_ptr<Adapter>(std::make_unique<InProcessAdapter>(FakeLaunch{}));
  }
  InProcessDevices& devices() override { return devices_; }

 private:
  InProcessDevices devices_;
};

/// An opened plugin that is part of the test instead of a library.
class InProcessPlugin final : public Plugin {
 public:
  explicit InProcessPlugin(DLDeviceType type, std::vector<std::int32_t> further_types = {}) {
    devices_table_.struct_size = sizeof devices_table_;
    devices_table_.device_type = type;
    table_.struct_size = sizeof table_;
    table_.name = "fake";
    table_.devices = &devices_table_;
    manifest_.name = "fake";
    manifest_.device_types = {type};
    manifest_.device_types.insert(manifest_.device_types.end(), further_types.begin(), further_types.end());
  }
  const Manifest& manifest() const override { return manifest_; }
  const std::filesystem::path& library() const override { return library_; }
  Backend& backend() const override { return backend_; }
  const kmux_plugin_api& api() const override { return table_; }
  const Result<ProbeReport>& probe() const override { return probe_; }
  InProcessDevices& devices() const { return backend_.devices(); }

 private:
  mutable InProcessBackend backend_;
  kmux_device_api devices_table_{};
  kmux_plugin_api table_{};
  Manifest manifest_;
  std::filesystem::path library_;
  Result<ProbeReport> probe_{ProbeReport{}};
};

/// Returns an artifact of a plugin of the test, whose launches call `adapter`.
inline LoadedArtifact fake_artifact(Shared<Plugin> plugin, std::unique_ptr<Adapter> adapter) {
  return {std::make_shared<const Origin>(Origin{.plugin = std::move(plugin)}), std::move(adapter)};
}

inline KernelParts fake_parts(Signature signature, FakeLaunch launch = {}, DLDeviceType type = kDLCPU) {
  KernelParts parts;
  parts.name = "fake";
  parts.signature = std::move(signature);
  parts.plugin = Shared<InProcessPlugin>::make(type);
  parts.adapters =
      std::make_shared<AdapterSlot>(fake_artifact(parts.plugin, std::make_unique<InProcessAdapter>(std::move(launch))));
  return parts;
}

/// Returns a signature whose symbols are those of its parameters, in slot order.
inline Signature fake_signature(std::vector<Param> params, std::vector<std::string> outputs = {},
                                DType symbol_dtype = dtype::kInt64) {
  Signature signature{std::move(params), std::move(outputs), {}};
  for (const std::string& name : symbol_order(signature)) signature.symbols.push_back({name, symbol_dtype});
  return signature;
}

inline Param buffer_param(std::string name, DType type, std::vector<Expr> shape) {
  return {std::move(name), BufferParam{type, std::move(shape)}};
}
inline Param scalar_param(std::string name, DType type) { return {std::move(name), ScalarParam{type}}; }

}  // namespace kmux
