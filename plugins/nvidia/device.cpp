#include "nvidia/device.h"

#include <array>
#include <bit>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/switch_word.h"

namespace kmux::nvidia {
namespace {

Result<const DriverTable*> driver_table() {
  FailureText failure;
  const DriverTable* driver = open_driver(failure.sink());
  if (driver == nullptr) return failure.unavailable();
  return driver;
}

Status check(const DriverTable& driver, const char* call, CUresult result, int ordinal) {
  if (result == CUDA_SUCCESS) return Ok{};
  FailureText failure;
  return failure.status(fail_call(driver, failure.sink(), call, result, "device %d", ordinal));
}

Result<CUdevice> find_device(const DriverTable& driver, int ordinal) {
  CUdevice device = 0;
  KMUX_TRY(check(driver, "cuDeviceGet", driver.device_get(&device, ordinal), ordinal));
  return device;
}

struct Capability {
  int major;
  int minor;
};

Result<Capability> capability_of(const DriverTable& driver, CUdevice device) {
  Capability capability{};
  KMUX_ASSIGN(capability.major, device_attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  KMUX_ASSIGN(capability.minor, device_attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  return capability;
}

// Returns "13.0" for 13000.
Result<std::string> driver_version(const DriverTable& driver, int ordinal) {
  int version = 0;
  KMUX_TRY(check(driver, "cuDriverGetVersion", driver.driver_version(&version), ordinal));
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// PCI domain, bus and device. Source: CUDA Driver API, CUdevice_attribute.
constexpr std::array<CUdevice_attribute, 3> kPciPlace = {
    static_cast<CUdevice_attribute>(50), static_cast<CUdevice_attribute>(33), static_cast<CUdevice_attribute>(34)};

// Returns the device's slot, for example "0000:1b:00": the same in every process, whichever devices the process sees.
// Returns nothing if the driver lacks these attributes.
Result<std::optional<std::string>> pci_place(const DriverTable& driver, CUdevice device, int ordinal) {
  std::array<int, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const CUresult result = driver.device_attribute(&numbers[i], kPciPlace[i], device);
    if (result == CUDA_ERROR_INVALID_VALUE) return std::optional<std::string>();
    KMUX_TRY(check(driver, "cuDeviceGetAttribute", result, ordinal));
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x", numbers[0], numbers[1], numbers[2]);
  return std::optional<std::string>(text.data());
}

CUdeviceptr address_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
CUstream stream_of(void* stream) { return static_cast<CUstream>(stream); }
CUevent event_of(void* event) { return static_cast<CUevent>(event); }

}  // namespace

Result<int> device_count() {
  KMUX_ASSIGN(const DriverTable* const driver, driver_table());
  int count = 0;
  const CUresult result = driver->device_count(&count);
  if (result == CUDA_SUCCESS) return count;
  FailureText failure;
  return failure.status(fail_call(*driver, failure.sink(), "cuDeviceGetCount", result, "%s", "")).error();
}

Result<Arch> device_arch(int ordinal) {
  KMUX_ASSIGN(const DriverTable* const driver, driver_table());
  KMUX_ASSIGN(const CUdevice device, find_device(*driver, ordinal));
  KMUX_ASSIGN(const Capability capability, capability_of(*driver, device));
  return arch_of_capability(capability.major, capability.minor);
}

Result<Json> device_properties(int ordinal) {
  KMUX_ASSIGN(const DriverTable* const driver, driver_table());
  KMUX_ASSIGN(const CUdevice device, find_device(*driver, ordinal));
  KMUX_ASSIGN(const Capability capability, capability_of(*driver, device));
  std::array<char, 256> name{};
  KMUX_TRY(check(*driver, "cuDeviceGetName", driver->device_name(name.data(), name.size(), device), ordinal));
  std::size_t bytes = 0;
  KMUX_TRY(check(*driver, "cuDeviceTotalMem", driver->device_total_memory(&bytes, device), ordinal));
  Json json;
  json["name"] = std::string(name.data());
  json["arch"] = to_string(arch_of_capability(capability.major, capability.minor));
  json["compute_capability"] = std::to_string(capability.major) + "." + std::to_string(capability.minor);
  json["memory_bytes"] = std::uint64_t{bytes};
  KMUX_ASSIGN(json["driver_version"], driver_version(*driver, ordinal));
  KMUX_ASSIGN(std::optional<std::string> place, pci_place(*driver, device, ordinal));
  if (place) json["pci"] = *std::move(place);
  KMUX_ASSIGN(json["multiprocessors"], device_attribute(*driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  KMUX_ASSIGN(json["l2_bytes"], device_attribute(*driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  KMUX_ASSIGN(json["shared_memory_bytes_per_block"],
              device_attribute(*driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  return json;
}

Result<int> device_attribute(const DriverTable& driver, CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  const CUresult result = driver.device_attribute(&value, attribute, device);
  if (result == CUDA_SUCCESS) return value;
  FailureText failure;
  return failure
      .status(fail_call(driver, failure.sink(), "cuDeviceGetAttribute", result, "attribute %d",
                        static_cast<int>(attribute)))
      .error();
}

/// A device for memory, streams and events. Owns a reference to its primary context; its memory pool keeps freed
/// memory. See StreamOrderedDevices.
///
/// Threads: thread-safe, but `close` must be the last call, without concurrent ones.
class OpenedDevice {
 public:
  static constexpr int kNeverRecorded = CUDA_ERROR_INVALID_HANDLE;

  static Result<int> count(Host) { return device_count(); }
  static Result<Json> properties(Host, int device) { return device_properties(device); }

  /// Retains the context and raises the release threshold of the default pool, so that the pool keeps memory freed in
  /// stream order at the next synchronization.
  ///
  /// Errors: invalid_argument if there is no such device; unsupported without memory pools; the driver's error.
  static Result<std::unique_ptr<OpenedDevice>> open(Host, int ordinal) {
    FailureText failure;
    const DriverTable* const driver = open_driver(failure.sink());
    if (driver == nullptr) return failure.unavailable();
    DeviceContext context{};
    KMUX_TRY(failure.status(retain_context(*driver, ordinal, &context, failure.sink())));
    std::unique_ptr<OpenedDevice> device(new OpenedDevice(*driver, context));
    if (Status pool = device->take_pool(); !pool.ok()) {
      static_cast<void>(device->close());  // the first failure is reported
      return std::move(pool).error();
    }
    return device;
  }
  ~OpenedDevice() = default;
  OpenedDevice(const OpenedDevice&) = delete;
  OpenedDevice& operator=(const OpenedDevice&) = delete;
  /// Releases the context.
  Status close() {
    const ContextRelease released = release_context(driver_, context_);
    return check({released.call, released.result}, "device " + std::to_string(context_.ordinal));
  }

  int ordinal() const { return context_.ordinal; }

  /// Calls `action()` in the device's primary context, or in another context of the device that is current. Leaves
  /// captures of other streams intact.
  template <class Action>
  int use(kmux_sink error, Action action) {
    ContextScope scope(driver_, context_);
    if (const int code = scope.enter(error)) return code;
    const int code = RelaxedCapture::during(driver_, error, [&] { return action(), KMUX_OK; });
    return scope.leave(code, error);
  }
  Status check(DriverCall call, const std::string& detail) const {
    if (call.result == CUDA_SUCCESS) return Ok{};
    FailureText failure;
    return failure.status(
        fail_call(driver_, failure.sink(), call.name, static_cast<CUresult>(call.result), "%s", detail.c_str()));
  }

  DriverCall allocate(void* stream, std::size_t bytes, void** address) const {
    CUdeviceptr memory = 0;
    const CUresult result = driver_.allocate(&memory, bytes, pool_, stream_of(stream));
    *address = std::bit_cast<void*>(memory);
    return {"cuMemAllocFromPoolAsync", result};
  }
  DriverCall free(void* stream, void* address) const {
    return {"cuMemFreeAsync", driver_.free(address_of(address), stream_of(stream))};
  }
  DriverCall copy(void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) const {
    switch (kind) {
      case KMUX_COPY_HOST_TO_DEVICE:
        return {"cuMemcpyHtoDAsync", driver_.copy_to_device(address_of(to), from, bytes, stream_of(stream))};
      case KMUX_COPY_DEVICE_TO_HOST:
        return {"cuMemcpyDtoHAsync", driver_.copy_to_host(to, address_of(from), bytes, stream_of(stream))};
      case KMUX_COPY_DEVICE_TO_DEVICE:
        break;
    }
    return {"cuMemcpyAsync", driver_.copy(address_of(to), address_of(from), bytes, stream_of(stream))};
  }
  // Copies through the host if the devices have no peer access.
  DriverCall copy_peer(void* stream, void* to, const OpenedDevice& source, const void* from, std::size_t bytes) const {
    return {"cuMemcpyPeerAsync", driver_.copy_peer(address_of(to), context_.primary, address_of(from),
                                                   source.context_.primary, bytes, stream_of(stream))};
  }
  DriverCall host_allocate(std::size_t bytes, void** address) const {
    return {"cuMemHostAlloc", driver_.host_allocate(address, bytes, CU_MEMHOSTALLOC_PORTABLE)};
  }
  DriverCall host_free(void* address) const { return {"cuMemFreeHost", driver_.host_free(address)}; }
  DriverCall memset(void* stream, void* address, std::uint8_t value, std::size_t bytes) const {
    return {"cuMemsetD8Async", driver_.memset8(address_of(address), value, bytes, stream_of(stream))};
  }
  DriverCall memory_info(std::size_t* free_bytes, std::size_t* total_bytes) const {
    return {"cuMemGetInfo", driver_.memory_info(free_bytes, total_bytes)};
  }
  DriverCall l2_bytes(int* bytes) const {
    return {"cuDeviceGetAttribute",
            driver_.device_attribute(bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, context_.device)};
  }
  // The driver clamps a priority outside of the device's range.
  DriverCall stream_create(void** stream, int priority) const {
    CUstream made = nullptr;
    const CUresult result = priority == 0
                                ? driver_.stream_create(&made, CU_STREAM_NON_BLOCKING)
                                : driver_.stream_create_with_priority(&made, CU_STREAM_NON_BLOCKING, priority);
    *stream = made;
    return {priority == 0 ? "cuStreamCreate" : "cuStreamCreateWithPriority", result};
  }
  DriverCall stream_destroy(void* stream) const {
    return {"cuStreamDestroy", driver_.stream_destroy(stream_of(stream))};
  }
  DriverCall stream_synchronize(void* stream) const {
    return {"cuStreamSynchronize", driver_.stream_synchronize(stream_of(stream))};
  }
  DriverCall stream_wait(void* stream, void* event) const {
    return {"cuStreamWaitEvent", driver_.stream_wait_event(stream_of(stream), event_of(event), 0)};
  }
  // The legacy stream, by either handle, cannot be captured; its query fails while a stream that it synchronizes with
  // is.
  // Source: CUDA Driver API, cuStreamBeginCapture and cuStreamIsCapturing.
  DriverCall stream_capture(void* stream, std::uint64_t* capture) const {
    constexpr std::uintptr_t kLegacy = 1;
    *capture = 0;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (reinterpret_cast<std::uintptr_t>(stream) <= kLegacy) {
      const CUresult result = driver_.stream_capturing(stream_of(stream), &status);
      if (result != CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return {"cuStreamIsCapturing", result};
      *capture = DeviceApi::kInTheWay;
      return {"cuStreamIsCapturing", CUDA_SUCCESS};
    }
    std::uint64_t id = 0;
    const CUresult result = driver_.stream_capture_info(stream_of(stream), &status, &id, nullptr, nullptr, nullptr);
    if (result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE) *capture = id;
    if (result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) *capture = DeviceApi::kInTheWay;
    return {"cuStreamGetCaptureInfo", result};
  }
  DriverCall event_create(void** event) const {
    CUevent made = nullptr;
    const CUresult result = driver_.event_create(&made, 0);
    *event = made;
    return {"cuEventCreate", result};
  }
  DriverCall event_create_untimed(void** event) const {
    CUevent made = nullptr;
    const CUresult result = driver_.event_create(&made, CU_EVENT_DISABLE_TIMING);
    *event = made;
    return {"cuEventCreate", result};
  }
  DriverCall event_destroy(void* event) const { return {"cuEventDestroy", driver_.event_destroy(event_of(event))}; }
  DriverCall event_record(void* event, void* stream) const {
    return {"cuEventRecord", driver_.event_record(event_of(event), stream_of(stream))};
  }
  DriverCall event_synchronize(void* event) const {
    return {"cuEventSynchronize", driver_.event_synchronize(event_of(event))};
  }
  DriverCall event_elapsed(void* begin, void* end, float* milliseconds) const {
    return {"cuEventElapsedTime", driver_.event_elapsed(milliseconds, event_of(begin), event_of(end))};
  }

 private:
  OpenedDevice(const DriverTable& driver, const DeviceContext& context) : driver_(driver), context_(context) {}
  Status take_pool() {
    KMUX_ASSIGN(const int pools,
                device_attribute(driver_, context_.device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED));
    if (pools == 0) {
      return make_error(ErrorCode::kUnsupported, "device " + std::to_string(context_.ordinal) +
                                                     " has no memory pools (its driver or its virtual machine turns "
                                                     "them off). Use another device or driver.");
    }
    const std::string detail = "device " + std::to_string(context_.ordinal);
    KMUX_TRY(check({"cuDeviceGetDefaultMemPool", driver_.device_pool(&pool_, context_.device)}, detail));
    std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();
    CUresult result = CUDA_SUCCESS;
    FailureText failure;
    KMUX_TRY(failure.status(RelaxedCapture::during(driver_, failure.sink(), [&] {
      result = driver_.pool_attribute_set(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep_all);
      return KMUX_OK;
    })));
    return check({"cuMemPoolSetAttribute", result}, detail);
  }

  const DriverTable& driver_;
  DeviceContext context_;
  CUmemoryPool pool_ = nullptr;
};

namespace {

// Returns true if the driver is installed but has no device: its initialization fails.
bool driver_says_no_device() {
  const auto library = DynamicLibrary::open({"libcuda.so.1", "libcuda.so"});
  if (!library) return false;
  const auto init = library->function<CUresult(unsigned)>("cuInit");
  return init.ok() && (*init)(0) == CUDA_ERROR_NO_DEVICE;
}

}  // namespace

Availability probe_driver() {
  FailureText failure;
  if (open_driver(failure.sink()) == nullptr) {
    return {driver_says_no_device() ? "no_device" : "no_driver", failure.unavailable().message};
  }
  const Result<int> count = device_count();
  if (!count) return {"no_driver", count.error().message};
  if (*count > 0) return {};
  return {"no_device",
          "the CUDA driver lists no device. See what nvidia-smi lists, and what CUDA_VISIBLE_DEVICES hides."};
}

Availability no_toolchain(const Error& error) { return {"no_toolchain", error.message}; }

Log log_to(const Host& host) {
  return {const_cast<Host*>(&host), [](void* self, int level, const char* text, std::size_t size) {
            static_cast<const Host*>(self)->log(static_cast<Host::Level>(level), std::string_view(text, size));
          }};
}

namespace {

bool is_set(const Host& host, std::string_view option) {
  const auto value = host.option(option);
  if (value && !is_switch(*value))
    host.log(Host::Level::kWarning, odd_switch("option " + in_double_quotes(option), *value));
  return value && is_on(*value);
}

}  // namespace

bool shows_ranges(const Host& host) { return is_set(host, "nvidia.nvtx"); }
bool blocks_launches(const Host& host) { return is_set(host, "nvidia.launch_blocking"); }

}  // namespace kmux::nvidia

template class kmux::StreamOrderedDevices<kmux::nvidia::OpenedDevice>;
