#include "kmux/device.h"
#include "kmux/runtime.h"

#include "base/text_table.h"
#include "command.h"
#include "style.h"

namespace kmux::cli {
namespace {

std::string text_of(const Json& properties, std::string_view key) {
  const Json* value = properties.find(key);
  if (value == nullptr) return "-";
  return value->as_string() != nullptr ? *value->as_string() : dump(*value);
}

std::string memory_of(const Json& properties) {
  const Json* bytes = properties.find("memory_bytes");
  if (bytes == nullptr || !bytes->as_number()) return "-";
  return std::to_string(static_cast<std::int64_t>(*bytes->as_number() / (1 << 30))) + " GiB";
}

Result<Report> run_devices(const po::variables_map&) {
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const auto found, devices(*runtime));
  TextTable table({{"DEVICE"}, {"BACKEND"}, {"ARCH"}, {"MEMORY", TextTable::Align::kRight}, {"NAME"}});
  Json::Array list;
  for (const Device& device : found) {
    KMUX_ASSIGN(const Json properties, device.properties());
    table.add({device.to_string(), device.backend(), text_of(properties, "arch"), memory_of(properties),
               text_of(properties, "name")});
    list.emplace_back(
        Json::Object{{"device", device.to_string()}, {"backend", device.backend()}, {"properties", properties}});
  }
  return Report{table.to_string(), Json::Object{{"devices", std::move(list)}}};
}

void describe_devices(po::options_description&) {}

}  // namespace

const Command kDevicesCommand{"devices",  "list the devices of all backends that can run here",
                              "devices",  "  kmux devices\n",
                              {},         describe_devices,
                              run_devices};

}  // namespace kmux::cli
