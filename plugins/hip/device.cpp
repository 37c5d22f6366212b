#include "device.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/support.h"

#include "launch/hip_error.h"

namespace kmux::hip {
namespace {

hipStream_t stream_of(void* stream) { return static_cast<hipStream_t>(stream); }
hipEvent_t event_of(void* event) { return static_cast<hipEvent_t>(event); }

// The folders of HIP's runtime in wheels: PyTorch's for ROCm, and AMD's, which later PyTorch wheels depend on.
constexpr std::array<const char*, 2> kInPackages = {"torch/lib", "_rocm_sdk_core/lib"};

CopyKind kind_of(kmux_copy_kind kind) {
  switch (kind) {
    case KMUX_COPY_HOST_TO_DEVICE:
      return kHostToDevice;
    case KMUX_COPY_DEVICE_TO_HOST:
      return kDeviceToHost;
    case KMUX_COPY_DEVICE_TO_DEVICE:
      break;
  }
  return kDeviceToDevice;
}

}  // namespace

/// A device for memory, streams and events. See StreamOrderedDevices. With a release of HIP that lacks waits between
/// streams, `stream_wait` blocks the host until the event.
///
/// Threads: thread-safe.
class OpenedDevice {
 public:
  static constexpr int kNeverRecorded = kInvalidHandle;

  static Result<int> count(Host host) {
    KMUX_ASSIGN(const HipTable* const hip, opened_hip(host));
    int count = 0;
    KMUX_TRY(hip::check(*hip, "hipGetDeviceCount", hip->device_count(&count)));
    return count;
  }
  static Result<Json> properties(Host host, int device) {
    KMUX_ASSIGN(const HipTable* const hip, opened_hip(host));
    return device_properties(*hip, device);
  }

  /// Opens the device and makes its memory pool, if it has one, keep freed memory for later allocations.
  static Result<std::unique_ptr<OpenedDevice>> open(Host host, int ordinal) {
    KMUX_ASSIGN(const HipTable* const hip, opened_hip(host));
    std::unique_ptr<OpenedDevice> device(new OpenedDevice(*hip, ordinal));
    KMUX_TRY(use_device(*device, [&] { return device->open_pool(); }));
    return device;
  }
  Status close() { return Ok{}; }

  int ordinal() const { return ordinal_; }

  /// Calls `action()` with the device current. Leaves captures of other streams intact.
  template <class Action>
  int use(kmux_sink error, Action action) {
    DeviceScope scope(hip_);
    if (const int code = scope.enter(ordinal_, error)) return code;
    const int code = RelaxedCapture::during(hip_, error, [&] { return action(), KMUX_OK; });
    return scope.leave(code, error);
  }
  Status check(DriverCall call, const std::string& detail) const {
    return hip::check(hip_, call.name, call.result, detail);
  }

  DriverCall allocate(void* stream, std::size_t bytes, void** address) const {
    if (!has_pool_) return {"hipMalloc", hip_.allocate(address, bytes)};
    return {"hipMallocAsync", hip_.allocate_async(address, bytes, stream_of(stream))};
  }
  DriverCall free(void* stream, void* address) const {
    if (!has_pool_) return {"hipFree", hip_.free(address)};
    return {"hipFreeAsync", hip_.free_async(address, stream_of(stream))};
  }
  DriverCall copy(void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) const {
    return {"hipMemcpyAsync", hip_.copy(to, from, bytes, kind_of(kind), stream_of(stream))};
  }
  // Copies through the host if the devices have no peer access.
  DriverCall copy_peer(void* stream, void* to, const OpenedDevice& source, const void* from, std::size_t bytes) const {
    return {"hipMemcpyPeerAsync", hip_.copy_peer(to, ordinal_, from, source.ordinal_, bytes, stream_of(stream))};
  }
  DriverCall host_allocate(std::size_t bytes, void** address) const {
    return {"hipHostMalloc", hip_.host_allocate(address, bytes, kHostMallocPortable)};
  }
  DriverCall host_free(void* address) const { return {"hipHostFree", hip_.host_free(address)}; }
  DriverCall memset(void* stream, void* address, std::uint8_t value, std::size_t bytes) const {
    return {"hipMemsetAsync", hip_.memset(address, value, bytes, stream_of(stream))};
  }
  DriverCall memory_info(std::size_t* free_bytes, std::size_t* total_bytes) const {
    return {"hipMemGetInfo", hip_.memory_info(free_bytes, total_bytes)};
  }
  DriverCall l2_bytes(int* bytes) const {
    return {"hipDeviceGetAttribute", hip_.device_attribute(bytes, kL2CacheSize, ordinal_)};
  }
  // The driver clamps a priority outside of the device's range.
  DriverCall stream_create(void** stream, int priority) const {
    hipStream_t made = nullptr;
    const int result = priority == 0 ? hip_.stream_create(&made, kStreamNonBlocking)
                                     : hip_.stream_create_with_priority(&made, kStreamNonBlocking, priority);
    *stream = made;
    return {priority == 0 ? "hipStreamCreateWithFlags" : "hipStreamCreateWithPriority", result};
  }
  DriverCall stream_destroy(void* stream) const { return {"hipStreamDestroy", hip_.stream_destroy(stream_of(stream))}; }
  DriverCall stream_synchronize(void* stream) const {
    return {"hipStreamSynchronize", hip_.stream_synchronize(stream_of(stream))};
  }
  DriverCall stream_wait(void* stream, void* event) const {
    if (hip_.stream_wait_event == nullptr) return event_synchronize(event);
    return {"hipStreamWaitEvent", hip_.stream_wait_event(stream_of(stream), event_of(event), 0)};
  }
  // The legacy stream, by either handle, cannot be captured; its query fails while a stream that it synchronizes with
  // is. Releases without capture numbers only report whether a capture is active.
  DriverCall stream_capture(void* stream, std::uint64_t* capture) const {
    constexpr std::uintptr_t kLegacy = 1;
    *capture = 0;
    int status = kCaptureStatusNone;
    const bool is_legacy = reinterpret_cast<std::uintptr_t>(stream) <= kLegacy;
    if (!is_legacy && hip_.stream_capture_info != nullptr) {
      unsigned long long id = 0;
      const int result = hip_.stream_capture_info(stream_of(stream), &status, &id);
      if (result == kHipSuccess && status == kCaptureStatusActive) *capture = id;
      if (result == kHipSuccess && status != kCaptureStatusActive && status != kCaptureStatusNone)
        *capture = DeviceApi::kInTheWay;  // an invalidated capture that has not ended
      return {"hipStreamGetCaptureInfo", result};
    }
    if (hip_.stream_capturing == nullptr) return {"", kHipSuccess};
    const int result = hip_.stream_capturing(stream_of(stream), &status);
    if (is_legacy && result == kStreamCaptureImplicit) {
      *capture = DeviceApi::kInTheWay;
      return {"hipStreamIsCapturing", kHipSuccess};
    }
    if (!is_legacy && result == kHipSuccess && status != kCaptureStatusNone) *capture = 1;
    return {"hipStreamIsCapturing", result};
  }
  DriverCall event_create(void** event) const {
    hipEvent_t made = nullptr;
    const int result = hip_.event_create(&made);
    *event = made;
    return {"hipEventCreate", result};
  }
  DriverCall event_create_untimed(void** event) const {
    if (hip_.event_create_with_flags == nullptr) return event_create(event);
    hipEvent_t made = nullptr;
    const int result = hip_.event_create_with_flags(&made, kEventDisableTiming);
    *event = made;
    return {"hipEventCreateWithFlags", result};
  }
  DriverCall event_destroy(void* event) const { return {"hipEventDestroy", hip_.event_destroy(event_of(event))}; }
  DriverCall event_record(void* event, void* stream) const {
    return {"hipEventRecord", hip_.event_record(event_of(event), stream_of(stream))};
  }
  DriverCall event_synchronize(void* event) const {
    return {"hipEventSynchronize", hip_.event_synchronize(event_of(event))};
  }
  DriverCall event_elapsed(void* begin, void* end, float* milliseconds) const {
    return {"hipEventElapsedTime", hip_.event_elapsed(milliseconds, event_of(begin), event_of(end))};
  }

 private:
  OpenedDevice(const HipTable& hip, int ordinal) : hip_(hip), ordinal_(ordinal) {}
  Status open_pool() {
    int pools = 0;
    const bool has_calls = hip_.allocate_async && hip_.free_async && hip_.default_pool && hip_.pool_attribute_set;
    if (!has_calls || hip_.device_attribute(&pools, kMemoryPoolsSupported, ordinal_) != kHipSuccess || pools == 0)
      return Ok{};
    const std::string detail = "device " + std::to_string(ordinal_);
    hipMemPool_t pool = nullptr;
    KMUX_TRY(check({"hipDeviceGetDefaultMemPool", hip_.default_pool(&pool, ordinal_)}, detail));
    std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();
    KMUX_TRY(
        check({"hipMemPoolSetAttribute", hip_.pool_attribute_set(pool, kPoolReleaseThreshold, &keep_all)}, detail));
    has_pool_ = true;
    return Ok{};
  }

  const HipTable& hip_;
  const int ordinal_;
  bool has_pool_ = false;
};

HipPlaces places_of(const Host& host) {
  HipPlaces places{host.option("hip.library").value_or(""), {}};
  const std::string venv = host.option("hip.venv").value_or("");
  for (const std::string& packages : python_packages(venv, reinterpret_cast<const void*>(&places_of))) {
    for (const char* const inside : kInPackages) places.folders.push_back(packages + "/" + inside);
  }
  for (const char* const option : {"hip.rocm_path", "hip.hip_path"}) {
    if (const auto root = host.option(option); root && !root->empty()) places.folders.push_back(*root + "/lib");
  }
  return places;
}

Result<const HipTable*> opened_hip(const Host& host) {
  FailureText failure;
  const HipTable* const hip = open_hip(places_of(host), failure.sink());
  if (hip == nullptr) return failure.unavailable();
  return hip;
}

Status check(const HipTable& hip, const char* call, int result, const std::string& detail) {
  if (result == kHipSuccess) return Ok{};
  FailureText failure;
  return failure.status(fail_call(hip, failure.sink(), call, result, detail));
}

Availability probe_runtime(const Host& host) {
  const auto hip = opened_hip(host);
  if (!hip) return {"no_driver", hip.error().message};
  int count = 0;
  int result = (*hip)->device_count(&count);
  if (result == kHipSuccess && count > 0) return {};
  if (result == kHipSuccess) result = kNoDevice;
  const bool is_empty = result == kNoDevice || result == kInvalidDevice;
  return {is_empty ? "no_device" : "no_driver", check(**hip, "hipGetDeviceCount", result).error().message};
}

namespace {

// Larger than hipDeviceProp_t of any release.
using Properties = std::array<char, 8192>;

// The offset of gcnArchName. Source: hip_runtime_api.h of ROCm 5.2.3 and hipDeviceProp_tR0600 of ROCm 6.
constexpr std::size_t kArchUntil5 = 396;
constexpr std::size_t kArchFrom6 = 1160;
constexpr std::size_t kArchBytes = 256;

std::string device_text(int ordinal) { return "device " + std::to_string(ordinal); }

struct FactReader {
  HipCall<int(void*, int)> call;
  const char* symbol;
  std::size_t arch_offset;
};

// Returns the function that describes devices, and its layout. The plain name has ROCm 5's layout even in later
// releases, for compatibility.
Result<FactReader> reader_of(const HipTable& hip) {
  if (hip.properties_r0600) return FactReader{hip.properties_r0600, "hipGetDevicePropertiesR0600", kArchFrom6};
  if (hip.properties_r0000) return FactReader{hip.properties_r0000, "hipGetDevicePropertiesR0000", kArchUntil5};
  if (hip.properties) return FactReader{hip.properties, "hipGetDeviceProperties", kArchUntil5};
  return make_error(ErrorCode::kUnsupported,
                    "this release of HIP's runtime does not describe its devices (it has no "
                    "hipGetDeviceProperties). Name the architecture, as in \"hip:gfx942\".");
}

void add_attribute(Json& json, const char* key, const HipTable& hip, Attribute attribute, int ordinal) {
  int value = 0;
  if (hip.device_attribute(&value, attribute, ordinal) == kHipSuccess && value > 0) json[key] = value;
}

}  // namespace

Result<std::string> device_arch(const HipTable& hip, int ordinal) {
  KMUX_ASSIGN(const FactReader reader, reader_of(hip));
  alignas(16) Properties properties{};
  KMUX_TRY(check(hip, reader.symbol, reader.call(properties.data(), ordinal), device_text(ordinal)));
  const char* const name = properties.data() + reader.arch_offset;
  const std::string text(name, strnlen(name, kArchBytes));
  if (auto arch = parse_arch(text)) return *std::move(arch);
  return make_error(ErrorCode::kUnsupported, device_text(ordinal) + " has architecture \"" + text +
                                                 R"(" (none of AMD's). Name it, as in "hip:gfx942".)");
}

Result<Json> device_properties(const HipTable& hip, int ordinal) {
  KMUX_ASSIGN(std::string arch, device_arch(hip, ordinal));
  std::array<char, 256> name{};
  KMUX_TRY(check(hip, "hipDeviceGetName", hip.device_name(name.data(), static_cast<int>(name.size()), ordinal),
                 device_text(ordinal)));
  std::size_t bytes = 0;
  KMUX_TRY(check(hip, "hipDeviceTotalMem", hip.device_memory(&bytes, ordinal), device_text(ordinal)));
  int version = 0;
  KMUX_TRY(check(hip, "hipRuntimeGetVersion", hip.runtime_version(&version)));
  Json json;
  json["name"] = std::string(name.data());
  json["arch"] = std::move(arch);
  json["memory_bytes"] = std::uint64_t{bytes};
  json["runtime_version"] = version;
  add_attribute(json, "multiprocessors", hip, kMultiprocessorCount, ordinal);
  add_attribute(json, "l2_bytes", hip, kL2CacheSize, ordinal);
  add_attribute(json, "shared_memory_bytes_per_block", hip, kMaxSharedMemoryPerBlock, ordinal);
  add_attribute(json, "wavefront_size", hip, kWarpSize, ordinal);
  return json;
}

namespace {

constexpr TargetForms kForms = {"hip", "auto, hip and gfxNNN", "mcpu", R"("hip" or "hip:gfx942")"};

Error unknown_arch(const std::string& arch) {
  return make_error(ErrorCode::kInvalidArgument,
                    "architecture \"" + arch +
                        "\" is not one of AMD's devices (gfx and three or four digits, as in "
                        "gfx90a). Write it as in \"hip:gfx942\".");
}

// Attributes of TVM's targets, which are ignored.
constexpr std::array<std::string_view, 6> kHarmless = {
    "keys", "max_num_threads", "max_shared_memory_per_block", "max_threads_per_block", "mtriple", "thread_warp_size"};

Status check_attributes(const Target& target) {
  for (const auto& [key, value] : target.attributes) {
    if (std::ranges::find(kHarmless, key) != kHarmless.end()) continue;
    return unknown_attribute(key, value, kForms);
  }
  return Ok{};
}

// Moves an architecture in the place of the kind ("gfx942" alone) to its own; maps TVM's kind "rocm" to "hip".
Target named(Target target) {
  if (target.arch.empty() && target.kind.starts_with("gfx")) return {"hip", target.kind, target.attributes};
  if (target.kind == "rocm") target.kind = "hip";
  return target;
}

}  // namespace

Result<Target> resolve_hip_target(std::string_view request, const DeviceArch& device_arch) {
  Target target{"hip"};
  if (!request.empty() && request != "auto") {
    KMUX_ASSIGN(target, parse_target(request));
    target = named(std::move(target));
  }
  if (target.kind != "hip") return unknown_kind(target, kForms);
  KMUX_TRY(check_attributes(target));
  if (target.arch.empty() || target.arch == "native") {
    Result<std::string> arch = device_arch();
    if (!arch) return no_architecture(request, "hip:gfx942", std::move(arch).error());
    return Target{"hip", *std::move(arch), {}};
  }
  const auto arch = parse_arch(target.arch);
  if (!arch) return unknown_arch(target.arch);
  return Target{"hip", *arch, {}};
}

namespace {

struct GenericArch {
  std::string_view name;
  std::string_view members;  // each with a blank before and after
};

constexpr std::array<GenericArch, 6> kGeneric = {{
    {"gfx9-generic", " gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c "},
    {"gfx9-4-generic", " gfx940 gfx941 gfx942 gfx950 "},
    {"gfx10-1-generic", " gfx1010 gfx1011 gfx1012 gfx1013 "},
    {"gfx10-3-generic", " gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 "},
    {"gfx11-generic", " gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 "},
    {"gfx12-generic", " gfx1200 gfx1201 "},
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

}  // namespace

std::optional<std::string> parse_arch(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  if (is_generic(name)) return std::string(name);
  if (!name.starts_with("gfx")) return std::nullopt;
  const std::string_view number = name.substr(3);
  if (number.size() < 3 || number.size() > 4) return std::nullopt;
  const std::string_view major = number.substr(0, number.size() - 2);
  const bool is_number = std::ranges::all_of(major, is_digit) && std::ranges::all_of(number, is_hex);
  if (!is_number) return std::nullopt;
  return std::string(name);
}

bool is_known_to_rocm5(std::string_view arch) {
  constexpr std::array<std::string_view, 3> kLater = {"gfx941", "gfx942", "gfx950"};
  if (std::ranges::find(kLater, arch) != kLater.end()) return false;
  return !is_generic(arch) && (arch.size() == 6 || arch.starts_with("gfx10"));
}

bool is_generic(std::string_view arch) {
  return std::ranges::find(kGeneric, arch, &GenericArch::name) != kGeneric.end();
}

bool is_generic_of(std::string_view generic, std::string_view arch) {
  const auto found = std::ranges::find(kGeneric, generic, &GenericArch::name);
  return found != kGeneric.end() && found->members.find(" " + std::string(arch) + " ") != std::string_view::npos;
}

int wavefront_size(std::string_view arch) { return arch.size() == 6 || arch.starts_with("gfx9-") ? 64 : 32; }

}  // namespace kmux::hip

template class kmux::StreamOrderedDevices<kmux::hip::OpenedDevice>;
