/* plugin.h is C11: this file is compiled as such, and plugin_abi_test.cpp calls a plugin that is written in C. */
#include <string.h>

#include "kmux/plugin/plugin.h"

static kmux_code create(const kmux_host_api* host, void** instance, kmux_sink error) {
  (void)error;
  *instance = (void*)host->self;
  return KMUX_OK;
}

static kmux_code resolve_target(void* instance, kmux_bytes request, int32_t device, kmux_sink target, kmux_sink error) {
  static const char kReason[] =
      "{\"message\": \"no target but c. Ask for that.\", \"notes\": [{\"kind\": \"why\", \"text\": \"it is a test\"}]}";
  (void)instance;
  (void)device;
  if (request.size == 1 && request.data[0] == 'c') {
    target.write(target.self, "c", 1);
    return KMUX_OK;
  }
  error.write(error.self, kReason, strlen(kReason));
  return KMUX_INVALID_ARGUMENT;
}

static kmux_code launch(void* adapter, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  (void)adapter;
  (void)env;
  (void)error;
  *(int64_t*)slots[0].ptr = slots[1].i64;
  return KMUX_OK;
}

static const kmux_device_api kDevices = {.struct_size = sizeof(kmux_device_api), .device_type = 12};

static const kmux_plugin_api kTable = {.struct_size = sizeof(kmux_plugin_api),
                                       .abi_version = KMUX_PLUGIN_ABI_VERSION,
                                       .name = "in_c",
                                       .version = "1",
                                       .create = create,
                                       .resolve_target = resolve_target,
                                       .launch = launch,
                                       .devices = &kDevices};

const kmux_plugin_api* kmux_test_plugin_in_c(uint32_t host_max_version, kmux_sink reason);
const kmux_plugin_api* kmux_test_plugin_in_c(uint32_t host_max_version, kmux_sink reason) {
  (void)host_max_version;
  (void)reason;
  return &kTable;
}
