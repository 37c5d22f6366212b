#include "device.h"

#include <cstring>

#include "null/manifest.h"

namespace kmux::null {
namespace {

constexpr int kUnwritten = 0xcd;

}  // namespace

Status check_device(int device) { return check_host_device(manifest::kName, device); }

NullDevices::NullDevices() : HostDevices(manifest::kName) {}

Result<Json> NullDevices::properties(int device) {
  KMUX_TRY(check(device));
  return Json(Json::Object{{"name", "a device that does nothing"}, {"arch", "none"}});
}

Result<void*> NullDevices::allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) {
  KMUX_ASSIGN(void* const address, HostDevices::allocate(device, stream, bytes, alignment));
  return std::memset(address, kUnwritten, bytes);
}

Status NullDevices::l2_flush(int device, void*) { return check(device); }

}  // namespace kmux::null
