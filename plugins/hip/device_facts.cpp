#include "device_facts.h"

#include <array>
#include <cstring>

#include "opened_device.h"
#include "target.h"

namespace kmux::hip {
namespace {

// Larger than hipDeviceProp_t of any release.
using Properties = std::array<char, 8192>;

// Where gcnArchName is. Source: hip_runtime_api.h of ROCm 5.2.3 and hipDeviceProp_tR0600 of ROCm 6.
constexpr std::size_t kArchUntil5 = 396;
constexpr std::size_t kArchFrom6 = 1160;
constexpr std::size_t kArchBytes = 256;

std::string device_text(int ordinal) { return "device " + std::to_string(ordinal); }

struct FactReader {
  int (*call)(void*, int);
  const char* symbol;
  std::size_t arch_offset;
};

// The plain name stands for the layout of ROCm 5 even in later releases, for programs of that time.
Result<FactReader> reader_of(const HipTable& hip) {
  if (hip.properties_r0600) return FactReader{hip.properties_r0600, "hipGetDevicePropertiesR0600", kArchFrom6};
  if (hip.properties_r0000) return FactReader{hip.properties_r0000, "hipGetDevicePropertiesR0000", kArchUntil5};
  if (hip.properties) return FactReader{hip.properties, "hipGetDeviceProperties", kArchUntil5};
  return make_error(ErrorCode::kUnsupported,
                    "this release of HIP's runtime does not say what its devices are (it has no "
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
  return make_error(ErrorCode::kUnsupported, device_text(ordinal) + " says that its architecture is \"" + text +
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

}  // namespace kmux::hip
