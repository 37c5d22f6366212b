// The layout of plugin.h on every LP64 machine. A line that no longer compiles is a broken ABI: fields may only be
// appended, and the lines below must not change.
#include <cstddef>

#include "kmux/plugin/plugin.h"

#define KMUX_AT(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field " moved")
#define KMUX_SIZE(type, size) static_assert(sizeof(type) == (size), #type " changed its size")

static_assert(sizeof(void*) == 8 && sizeof(std::size_t) == 8 && sizeof(long) == 8, "kmux is for LP64 machines");
static_assert(KMUX_PLUGIN_ABI_VERSION == 1, "a new version of the ABI needs new lines here");

KMUX_AT(kmux_bytes, data, 0);
KMUX_AT(kmux_bytes, size, 8);
KMUX_SIZE(kmux_bytes, 16);

KMUX_AT(kmux_sink, self, 0);
KMUX_AT(kmux_sink, write, 8);
KMUX_SIZE(kmux_sink, 16);

KMUX_AT(kmux_slot, ptr, 0);
KMUX_AT(kmux_slot, i64, 0);
KMUX_AT(kmux_slot, bits, 0);
KMUX_SIZE(kmux_slot, 8);

KMUX_AT(kmux_allocator, struct_size, 0);
KMUX_AT(kmux_allocator, self, 8);
KMUX_AT(kmux_allocator, allocate, 16);
KMUX_AT(kmux_allocator, free, 24);
KMUX_SIZE(kmux_allocator, 32);

KMUX_AT(kmux_launch_env, struct_size, 0);
KMUX_AT(kmux_launch_env, device, 4);
KMUX_AT(kmux_launch_env, stream, 8);
KMUX_AT(kmux_launch_env, allocator, 16);
KMUX_AT(kmux_launch_env, lane, 24);
KMUX_AT(kmux_launch_env, reserved, 28);
KMUX_SIZE(kmux_launch_env, 32);

KMUX_AT(kmux_program_view, struct_size, 0);
KMUX_AT(kmux_program_view, json, 8);
KMUX_AT(kmux_program_view, blobs, 24);
KMUX_AT(kmux_program_view, blob_count, 32);
KMUX_SIZE(kmux_program_view, 40);

KMUX_AT(kmux_call, struct_size, 0);
KMUX_AT(kmux_call, self, 8);
KMUX_AT(kmux_call, cancelled, 16);
KMUX_AT(kmux_call, nanoseconds_left, 24);
KMUX_AT(kmux_call, progress, 32);
KMUX_AT(kmux_call, log, 40);
KMUX_SIZE(kmux_call, 48);

KMUX_AT(kmux_build_request, struct_size, 0);
KMUX_AT(kmux_build_request, program, 8);
KMUX_AT(kmux_build_request, variant, 16);
KMUX_AT(kmux_build_request, target, 24);
KMUX_AT(kmux_build_request, options, 40);
KMUX_AT(kmux_build_request, launcher, 56);
KMUX_AT(kmux_build_request, artifact, 72);
KMUX_AT(kmux_build_request, call, 88);
KMUX_SIZE(kmux_build_request, 96);

KMUX_AT(kmux_load_request, struct_size, 0);
KMUX_AT(kmux_load_request, artifact, 8);
KMUX_AT(kmux_load_request, device, 24);
KMUX_AT(kmux_load_request, reserved, 28);
KMUX_AT(kmux_load_request, call, 32);
KMUX_SIZE(kmux_load_request, 40);

KMUX_AT(kmux_host_api, struct_size, 0);
KMUX_AT(kmux_host_api, abi_version, 8);
KMUX_AT(kmux_host_api, reserved, 12);
KMUX_AT(kmux_host_api, self, 16);
KMUX_AT(kmux_host_api, option, 24);
KMUX_AT(kmux_host_api, log, 32);
KMUX_AT(kmux_host_api, trace, 40);
KMUX_AT(kmux_host_api, stopping, 48);
KMUX_AT(kmux_host_api, run_on_threads, 56);
KMUX_AT(kmux_host_api, interrupted, 64);
KMUX_SIZE(kmux_host_api, 72);

KMUX_AT(kmux_device_api, struct_size, 0);
KMUX_AT(kmux_device_api, device_type, 8);
KMUX_AT(kmux_device_api, reserved, 12);
KMUX_AT(kmux_device_api, count, 16);
KMUX_AT(kmux_device_api, properties, 24);
KMUX_AT(kmux_device_api, allocate, 32);
KMUX_AT(kmux_device_api, free, 40);
KMUX_AT(kmux_device_api, copy, 48);
KMUX_AT(kmux_device_api, memset, 56);
KMUX_AT(kmux_device_api, memory_info, 64);
KMUX_AT(kmux_device_api, stream_create, 72);
KMUX_AT(kmux_device_api, stream_destroy, 80);
KMUX_AT(kmux_device_api, stream_synchronize, 88);
KMUX_AT(kmux_device_api, event_create, 96);
KMUX_AT(kmux_device_api, event_destroy, 104);
KMUX_AT(kmux_device_api, event_record, 112);
KMUX_AT(kmux_device_api, event_elapsed, 120);
KMUX_AT(kmux_device_api, l2_flush, 128);
KMUX_AT(kmux_device_api, stream_wait_event, 136);
KMUX_AT(kmux_device_api, stream_capture, 144);
KMUX_AT(kmux_device_api, event_create_untimed, 152);
KMUX_AT(kmux_device_api, host_allocate, 160);
KMUX_AT(kmux_device_api, host_free, 168);
KMUX_AT(kmux_device_api, stream_create_with_priority, 176);
KMUX_AT(kmux_device_api, copy_peer, 184);
KMUX_SIZE(kmux_device_api, 192);

KMUX_AT(kmux_plugin_api, struct_size, 0);
KMUX_AT(kmux_plugin_api, abi_version, 8);
KMUX_AT(kmux_plugin_api, reserved, 12);
KMUX_AT(kmux_plugin_api, name, 16);
KMUX_AT(kmux_plugin_api, version, 24);
KMUX_AT(kmux_plugin_api, create, 32);
KMUX_AT(kmux_plugin_api, destroy, 40);
KMUX_AT(kmux_plugin_api, probe, 48);
KMUX_AT(kmux_plugin_api, resolve_target, 56);
KMUX_AT(kmux_plugin_api, supports, 64);
KMUX_AT(kmux_plugin_api, toolchain, 72);
KMUX_AT(kmux_plugin_api, wrap, 80);
KMUX_AT(kmux_plugin_api, build, 88);
KMUX_AT(kmux_plugin_api, load, 96);
KMUX_AT(kmux_plugin_api, prepare, 104);
KMUX_AT(kmux_plugin_api, launch, 112);
KMUX_AT(kmux_plugin_api, unload, 120);
KMUX_AT(kmux_plugin_api, devices, 128);
KMUX_AT(kmux_plugin_api, entry, 136);
KMUX_AT(kmux_plugin_api, standalone, 144);
KMUX_AT(kmux_plugin_api, constant, 152);
KMUX_SIZE(kmux_plugin_api, 160);

KMUX_AT(kmux_launch_entry, function, 0);
KMUX_AT(kmux_launch_entry, adapter, 8);
KMUX_SIZE(kmux_launch_entry, 16);

// Codes and kinds cross the ABI as numbers.
static_assert(KMUX_OK == 0);
static_assert(KMUX_INVALID_ARGUMENT == 1);
static_assert(KMUX_UNSUPPORTED == 2);
static_assert(KMUX_UNAVAILABLE == 3);
static_assert(KMUX_COMPILE_FAILED == 4);
static_assert(KMUX_LAUNCH_FAILED == 5);
static_assert(KMUX_INTERNAL == 6);
static_assert(KMUX_CANCELLED == 7);
static_assert(KMUX_TIMED_OUT == 8);
static_assert(KMUX_OUT_OF_MEMORY == 9);
static_assert(KMUX_COPY_HOST_TO_DEVICE == 0);
static_assert(KMUX_COPY_DEVICE_TO_HOST == 1);
static_assert(KMUX_COPY_DEVICE_TO_DEVICE == 2);

// The minimum sizes of version 1, whatever is appended later.
static_assert(KMUX_PLUGIN_API_LEAST == 160);
static_assert(KMUX_DEVICE_API_LEAST == 192);
static_assert(KMUX_HOST_API_LEAST == 64);
static_assert(KMUX_PROGRAM_VIEW_LEAST == 40);
static_assert(KMUX_BUILD_REQUEST_LEAST == 96);
static_assert(KMUX_LOAD_REQUEST_LEAST == 40);
