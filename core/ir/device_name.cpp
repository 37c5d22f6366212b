#include "device_name.h"

#include "ir/printed/dlpack_facts.h"

namespace kmux {
std::string to_string(DLDevice device) {
  if (device.device_type == kDLCPU) return "cpu";
  const std::string ordinal = std::to_string(device.device_id);
  const char* name = device_type_name(device.device_type);
  if (name != nullptr) return std::string(name) + ":" + ordinal;
  return "device type " + std::to_string(static_cast<int>(device.device_type)) + ", ordinal " + ordinal;
}

}  // namespace kmux
