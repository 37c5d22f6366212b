#include "machine.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "kmux/plugin/word_list.h"

namespace kmux::opencl {
namespace {

std::string text_of(const Api& api, DeviceId device, Count what) {
  std::size_t bytes = 0;
  if (api.clGetDeviceInfo(device, what, 0, nullptr, &bytes) != kSuccess || bytes == 0) return "";
  std::string text(bytes, '\0');
  if (api.clGetDeviceInfo(device, what, bytes, text.data(), nullptr) != kSuccess) return "";
  text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
  return text;
}

std::string text_of(const Api& api, Platform platform, Count what) {
  std::size_t bytes = 0;
  if (api.clGetPlatformInfo(platform, what, 0, nullptr, &bytes) != kSuccess || bytes == 0) return "";
  std::string text(bytes, '\0');
  if (api.clGetPlatformInfo(platform, what, bytes, text.data(), nullptr) != kSuccess) return "";
  text.resize(text.size() - 1);
  return text;
}

template <class Number>
void read(const Api& api, DeviceId device, Count what, Number& number) {
  Number found{};
  if (api.clGetDeviceInfo(device, what, sizeof found, &found, nullptr) == kSuccess) number = found;
}

// "pthread-AMD EPYC" as a word of a target.
std::string word_of(std::string_view name) {
  std::string word;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty() && word.back() != '-') {
      word += '-';
    }
  }
  while (word.ends_with('-')) word.pop_back();
  return word.empty() ? "device" : word;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

DeviceInfo describe(const Api& api, Platform platform, DeviceId id) {
  DeviceInfo info;
  info.platform = platform;
  info.id = id;
  info.name = text_of(api, id, kDeviceName);
  info.arch = word_of(info.name);
  info.platform_version = text_of(api, platform, kPlatformName) + ", " + text_of(api, platform, kPlatformVersion);
  info.driver_version = text_of(api, id, kDriverVersion);
  info.version = text_of(api, id, kDeviceVersion);
  info.extensions = words_of(text_of(api, id, kDeviceExtensions));
  read(api, id, kDeviceType, info.type);
  read(api, id, kDeviceMemoryBytes, info.memory_bytes);
  read(api, id, kDeviceCacheBytes, info.cache_bytes);
  read(api, id, kDeviceLocalMemory, info.local_bytes);
  read(api, id, kDeviceMaxWorkGroup, info.max_group);
  read(api, id, kDeviceMaxWorkItems, info.max_items);
  read(api, id, kDeviceComputeUnits, info.compute_units);
  Count alignment_bits = 0;
  read(api, id, kDeviceBaseAlignment, alignment_bits);
  info.base_alignment_bytes = std::max<Count>(alignment_bits / 8, 1);
  Count has_compiler = 0;
  read(api, id, kDeviceCompiler, has_compiler);
  info.has_compiler = has_compiler != 0;
  Bits shared = 0;
  read(api, id, kDeviceSharedMemory, shared);  // an error before OpenCL 2.0
  info.has_shared_memory = api.has_shared_memory() && (shared & kCoarseGrained) != 0;
  return info;
}

void add_devices(const Api& api, Platform platform, Bits types, std::vector<DeviceInfo>& devices) {
  Count count = 0;
  if (api.clGetDeviceIDs(platform, types, 0, nullptr, &count) != kSuccess || count == 0) return;
  std::vector<DeviceId> ids(count);
  if (api.clGetDeviceIDs(platform, types, count, ids.data(), nullptr) != kSuccess) return;
  for (const DeviceId id : ids) {
    Count is_available = 0;
    read(api, id, kDeviceAvailable, is_available);
    if (is_available != 0) devices.push_back(describe(api, platform, id));
  }
}

std::vector<DeviceInfo> find_devices(const Api& api, Bits types) {
  std::vector<DeviceInfo> devices;
  Count count = 0;
  if (api.clGetPlatformIDs(0, nullptr, &count) != kSuccess || count == 0) return devices;
  std::vector<Platform> platforms(count);
  if (api.clGetPlatformIDs(count, platforms.data(), nullptr) != kSuccess) return devices;
  for (const Platform platform : platforms) add_devices(api, platform, types, devices);
  std::ranges::stable_sort(devices, {}, [](const DeviceInfo& info) { return (info.type & kCpuDevice) != 0; });
  return devices;
}

Error bad_option(const std::string& name, const std::string& value, const std::string& allowed) {
  return make_error(ErrorCode::kInvalidArgument,
                    "option \"opencl." + name + "\" is \"" + value + "\". Use " + allowed + ".");
}

Result<Bits> wanted_types(const Host& host) {
  const std::string value = host.option("opencl.devices").value_or("all");
  if (value == "all") return kAllDevices;
  if (value == "gpu") return kGpuDevice;
  return bad_option("devices", value, "\"all\" or \"gpu\"");
}

Result<MemoryKind> wanted_memory(const Host& host) {
  const std::string value = host.option("opencl.memory").value_or("auto");
  if (value == "auto") return MemoryKind::kAuto;
  if (value == "shared") return MemoryKind::kShared;
  if (value == "buffers") return MemoryKind::kBuffers;
  return bad_option("memory", value, "\"auto\", \"shared\" or \"buffers\"");
}

}  // namespace

bool DeviceInfo::has_extension(std::string_view extension) const {
  return std::ranges::find(extensions, extension) != extensions.end();
}

Result<std::unique_ptr<OpenDevice>> OpenDevice::open(const Api& api, const DeviceInfo& info, int ordinal,
                                                     MemoryKind kind) {
  if (kind == MemoryKind::kAuto) kind = info.has_shared_memory ? MemoryKind::kShared : MemoryKind::kBuffers;
  if (kind == MemoryKind::kShared && !info.has_shared_memory) {
    return make_error(ErrorCode::kUnavailable,
                      "device " + std::to_string(ordinal) + " (" + info.name +
                          ") has no shared virtual memory (coarse-grained, of OpenCL 2.0). Set option "
                          "opencl.memory to \"buffers\" or \"auto\".");
  }
  Code code = kSuccess;
  const Context context = api.clCreateContext(nullptr, 1, &info.id, nullptr, nullptr, &code);
  KMUX_TRY(check("clCreateContext", code, "device " + std::to_string(ordinal)));
  std::unique_ptr<OpenDevice> device(new OpenDevice(api, info, ordinal, context));
  KMUX_ASSIGN(device->queue_, device->make_queue(0));
  KMUX_ASSIGN(device->memory_, Memory::create(api, context, kind));
  return device;
}

OpenDevice::~OpenDevice() {
  if (queue_ != nullptr) {
    api_.clFinish(queue_);
    api_.clReleaseCommandQueue(queue_);
  }
  memory_.reset();
  api_.clReleaseContext(context_);
}

std::string OpenDevice::with_device(const std::string& detail) const {
  return detail + (detail.empty() ? "" : ", ") + "device " + std::to_string(ordinal_) + ", " + info_.name;
}

// A stream of kmux runs in order, and so does a queue without the property of the other kind.
Result<Queue> OpenDevice::make_queue(int priority) const {
  Code code = kSuccess;
  Queue queue = nullptr;
  if (priority != 0 && api_.clCreateCommandQueueWithProperties != nullptr &&
      info_.has_extension("cl_khr_priority_hints")) {
    const Bits level = priority < 0 ? 1 : 4;  // CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_LOW_KHR
    const Bits properties[] = {kQueueProperties, kProfiling, kQueuePriority, level, 0};
    queue = api_.clCreateCommandQueueWithProperties(context_, info_.id, properties, &code);
  } else {
    queue = api_.clCreateCommandQueue(context_, info_.id, kProfiling, &code);
  }
  KMUX_TRY(check("clCreateCommandQueue", code, with_device("")));
  return queue;
}

Status OpenDevice::finish(Queue queue) {
  const std::uint64_t time = memory_->now();
  KMUX_TRY(check("clFinish", api_.clFinish(queue), with_device("")));
  memory_->settle(queue, time);
  return Ok{};
}

Machine::Machine(Api api, std::vector<DeviceInfo> devices, MemoryKind kind)
    : api_(std::move(api)), devices_(std::move(devices)), kind_(kind), opened_(devices_.size()) {}

Result<std::shared_ptr<Machine>> Machine::open(const Host& host) {
  static auto& opened = *new std::map<std::string, std::weak_ptr<Machine>>;  // by the options
  static auto& mutex = *new std::mutex;
  std::string key;
  for (const char* option : {"opencl.library", "opencl.devices", "opencl.memory"})
    key += host.option(option).value_or("") + "\n";
  const std::lock_guard lock(mutex);
  if (auto found = opened[key].lock(); found != nullptr && !found->devices_.empty()) return found;
  KMUX_ASSIGN(auto made, make(host));
  opened[key] = made;
  return made;
}

Result<std::shared_ptr<Machine>> Machine::make(const Host& host) {
  KMUX_ASSIGN(const Bits types, wanted_types(host));
  KMUX_ASSIGN(const MemoryKind kind, wanted_memory(host));
  KMUX_ASSIGN(Api api, Api::open(host.option("opencl.library").value_or("")));
  std::vector<DeviceInfo> devices = find_devices(api, types);
  return std::shared_ptr<Machine>(new Machine(std::move(api), std::move(devices), kind));
}

Result<const DeviceInfo*> Machine::info(int device) const {
  if (device >= 0 && static_cast<std::size_t>(device) < devices_.size())
    return &devices_[static_cast<std::size_t>(device)];
  return make_error(ErrorCode::kInvalidArgument, "there is no device " + std::to_string(device) +
                                                     " (OpenCL's drivers have " + std::to_string(devices_.size()) +
                                                     "). `kmux devices` lists those that are there.");
}

Result<OpenDevice*> Machine::device(int device) {
  KMUX_ASSIGN(const DeviceInfo* const info, this->info(device));
  std::atomic<OpenDevice*>& slot = opened_[static_cast<std::size_t>(device)];
  if (OpenDevice* const found = slot.load(std::memory_order_acquire)) return found;
  const std::lock_guard lock(mutex_);
  if (OpenDevice* const found = slot.load(std::memory_order_acquire)) return found;
  KMUX_ASSIGN(auto made, OpenDevice::open(api_, *info, device, kind_));
  owned_.push_back(std::move(made));
  slot.store(owned_.back().get(), std::memory_order_release);
  return owned_.back().get();
}

Result<int> Machine::ordinal_of(std::string_view arch) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].arch == arch) return static_cast<int>(i);
    known.push_back(devices_[i].arch);
  }
  if (known.empty()) return no_device();
  return make_error(ErrorCode::kUnavailable, "no device is \"" + std::string(arch) +
                                                 "\" (OpenCL compiles for devices that are "
                                                 "here: " +
                                                 join(known) + "). Use one of them.");
}

Error Machine::no_device() const {
  return make_error(ErrorCode::kUnavailable,
                    "no OpenCL device (the drivers that are installed have none, or no driver is). "
                    "Install the driver of the device; for processors Debian has pocl-opencl-icd.");
}

}  // namespace kmux::opencl
