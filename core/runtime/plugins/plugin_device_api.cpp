#include "plugin_device_api.h"

#include "byte_sink.h"

namespace kmux {

Result<int> PluginDeviceApi::count() {
  std::int32_t count = 0;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) { return api_.devices->count(instance_, &count, error); }));
  if (count < 0) return malformed_answer(api_.name, std::to_string(count) + " devices", "a negative number");
  return count;
}

Result<Json> PluginDeviceApi::properties(int device) {
  ByteSink json;
  KMUX_TRY(call_plugin(
      api_.name, [&](kmux_sink error) { return api_.devices->properties(instance_, device, json.get(), error); }));
  Result<Json> read = parse_json(json.text());
  if (!read) return malformed_answer(api_.name, "properties that cannot be read", read.error().message);
  if (read->as_object() == nullptr) return malformed_answer(api_.name, "properties that are no object", json.text());
  return read;
}

Result<void*> PluginDeviceApi::allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) {
  void* address = nullptr;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->allocate(instance_, device, stream, bytes, alignment, &address, error);
  }));
  return address;
}

void PluginDeviceApi::free(int device, void* stream, void* address) noexcept {
  api_.devices->free(instance_, device, stream, address);
}

Status PluginDeviceApi::copy(int device, void* stream, void* to, const void* from, std::size_t bytes,
                             kmux_copy_kind kind) {
  return call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->copy(instance_, device, stream, to, from, bytes, kind, error);
  });
}

Status PluginDeviceApi::memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) {
  return call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->memset(instance_, device, stream, address, value, bytes, error);
  });
}

Result<DeviceApi::MemoryInfo> PluginDeviceApi::memory_info(int device) {
  MemoryInfo info;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->memory_info(instance_, device, &info.free_bytes, &info.total_bytes, error);
  }));
  return info;
}

Result<void*> PluginDeviceApi::stream_create(int device) {
  void* stream = nullptr;
  KMUX_TRY(call_plugin(
      api_.name, [&](kmux_sink error) { return api_.devices->stream_create(instance_, device, &stream, error); }));
  return stream;
}

void PluginDeviceApi::stream_destroy(int device, void* stream) noexcept {
  api_.devices->stream_destroy(instance_, device, stream);
}

Status PluginDeviceApi::stream_synchronize(int device, void* stream) {
  return call_plugin(
      api_.name, [&](kmux_sink error) { return api_.devices->stream_synchronize(instance_, device, stream, error); });
}

Result<void*> PluginDeviceApi::event_create(int device) {
  void* event = nullptr;
  KMUX_TRY(call_plugin(api_.name,
                       [&](kmux_sink error) { return api_.devices->event_create(instance_, device, &event, error); }));
  return event;
}

void PluginDeviceApi::event_destroy(int device, void* event) noexcept {
  api_.devices->event_destroy(instance_, device, event);
}

Status PluginDeviceApi::event_record(int device, void* event, void* stream) {
  return call_plugin(
      api_.name, [&](kmux_sink error) { return api_.devices->event_record(instance_, device, event, stream, error); });
}

Result<double> PluginDeviceApi::event_elapsed(int device, void* begin, void* end) {
  double milliseconds = 0;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->event_elapsed(instance_, device, begin, end, &milliseconds, error);
  }));
  return milliseconds;
}

Status PluginDeviceApi::l2_flush(int device, void* stream) {
  return call_plugin(api_.name,
                     [&](kmux_sink error) { return api_.devices->l2_flush(instance_, device, stream, error); });
}

Status PluginDeviceApi::stream_wait_event(int device, void* stream, void* event) {
  return call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->stream_wait_event(instance_, device, stream, event, error);
  });
}

Result<std::uint64_t> PluginDeviceApi::stream_capture(int device, void* stream) {
  std::uint64_t capture = 0;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->stream_capture(instance_, device, stream, &capture, error);
  }));
  return capture;
}

Result<void*> PluginDeviceApi::event_create_untimed(int device) {
  void* event = nullptr;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->event_create_untimed(instance_, device, &event, error);
  }));
  return event;
}

}  // namespace kmux
