#include <algorithm>
#include <new>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/sink.h"

#include "base/json_text.h"
#include "plugin_guard.h"

namespace kmux {
namespace {

DeviceApi& devices_of(void* instance) { return static_cast<Backend*>(instance)->devices(); }

kmux_code count(void* instance, std::int32_t* count, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(*count, devices_of(instance).count());
    return Ok{};
  });
}

kmux_code properties(void* instance, std::int32_t device, kmux_sink json, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(const Json answer, devices_of(instance).properties(device));
    write(json, dump(answer));
    return Ok{};
  });
}

kmux_code allocate(void* instance, std::int32_t device, void* stream, std::size_t bytes, std::size_t alignment,
                   void** address, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(*address, devices_of(instance).allocate(device, stream, bytes, alignment));
    return Ok{};
  });
}

void free(void* instance, std::int32_t device, void* stream, void* address) {
  devices_of(instance).free(device, stream, address);
}

kmux_code copy(void* instance, std::int32_t device, void* stream, void* to, const void* from, std::size_t bytes,
               std::int32_t kind, kmux_sink error) {
  return guard(error, [&] {
    return devices_of(instance).copy(device, stream, to, from, bytes, static_cast<kmux_copy_kind>(kind));
  });
}

kmux_code memset(void* instance, std::int32_t device, void* stream, void* address, std::uint8_t value,
                 std::size_t bytes, kmux_sink error) {
  return guard(error, [&] { return devices_of(instance).memset(device, stream, address, value, bytes); });
}

kmux_code memory_info(void* instance, std::int32_t device, std::uint64_t* free_bytes, std::uint64_t* total_bytes,
                      kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(const DeviceApi::MemoryInfo info, devices_of(instance).memory_info(device));
    *free_bytes = info.free_bytes;
    *total_bytes = info.total_bytes;
    return Ok{};
  });
}

kmux_code stream_create(void* instance, std::int32_t device, void** stream, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(*stream, devices_of(instance).stream_create(device));
    return Ok{};
  });
}

void stream_destroy(void* instance, std::int32_t device, void* stream) {
  devices_of(instance).stream_destroy(device, stream);
}

kmux_code stream_synchronize(void* instance, std::int32_t device, void* stream, kmux_sink error) {
  return guard(error, [&] { return devices_of(instance).stream_synchronize(device, stream); });
}

kmux_code event_create(void* instance, std::int32_t device, void** event, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(*event, devices_of(instance).event_create(device));
    return Ok{};
  });
}

void event_destroy(void* instance, std::int32_t device, void* event) {
  devices_of(instance).event_destroy(device, event);
}

kmux_code event_record(void* instance, std::int32_t device, void* event, void* stream, kmux_sink error) {
  return guard(error, [&] { return devices_of(instance).event_record(device, event, stream); });
}

kmux_code event_elapsed(void* instance, std::int32_t device, void* begin, void* end, double* milliseconds,
                        kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(*milliseconds, devices_of(instance).event_elapsed(device, begin, end));
    return Ok{};
  });
}

kmux_code l2_flush(void* instance, std::int32_t device, void* stream, kmux_sink error) {
  return guard(error, [&] { return devices_of(instance).l2_flush(device, stream); });
}

kmux_code stream_wait_event(void* instance, std::int32_t device, void* stream, void* event, kmux_sink error) {
  return guard(error, [&] { return devices_of(instance).stream_wait_event(device, stream, event); });
}

kmux_code stream_capture(void* instance, std::int32_t device, void* stream, std::uint64_t* capture, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(*capture, devices_of(instance).stream_capture(device, stream));
    return Ok{};
  });
}

kmux_code event_create_untimed(void* instance, std::int32_t device, void** event, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(*event, devices_of(instance).event_create_untimed(device));
    return Ok{};
  });
}

kmux_code host_allocate(void* instance, std::int32_t device, std::size_t bytes, std::size_t alignment, void** address,
                        kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(*address, devices_of(instance).host_allocate(device, bytes, alignment));
    return Ok{};
  });
}

void host_free(void* instance, std::int32_t device, void* address) { devices_of(instance).host_free(device, address); }

kmux_code stream_create_with_priority(void* instance, std::int32_t device, std::int32_t priority, void** stream,
                                      kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(*stream, devices_of(instance).stream_create_with_priority(device, priority));
    return Ok{};
  });
}

kmux_code copy_peer(void* instance, std::int32_t device, void* stream, void* to, std::int32_t from_device,
                    const void* from, std::size_t bytes, kmux_sink error) {
  return guard(error, [&] { return devices_of(instance).copy_peer(device, stream, to, from_device, from, bytes); });
}

Error unsupported(const std::string& what, const std::string& instead) {
  return make_error(ErrorCode::kUnsupported, "this backend has no " + what + ". " + instead);
}

}  // namespace

Status DeviceApi::l2_flush(int, void*) { return unsupported("way to flush its L2 cache", "Measure without it."); }
Result<void*> DeviceApi::host_allocate(int, std::size_t, std::size_t) {
  return unsupported("pinned memory", "Use other memory of the host.");
}
Result<void*> DeviceApi::stream_create_with_priority(int, int) {
  return unsupported("priorities of streams", "Make the stream without one.");
}
Status DeviceApi::copy_peer(int, void*, void*, int, const void*, std::size_t) {
  return unsupported("copies from one device to another", "Copy by way of the host.");
}

kmux_device_api device_functions(const PluginInfo& info) {
  return {.struct_size = sizeof(kmux_device_api),
          .device_type = info.device_type,
          .reserved = 0,
          .count = count,
          .properties = properties,
          .allocate = allocate,
          .free = free,
          .copy = copy,
          .memset = memset,
          .memory_info = memory_info,
          .stream_create = stream_create,
          .stream_destroy = stream_destroy,
          .stream_synchronize = stream_synchronize,
          .event_create = event_create,
          .event_destroy = event_destroy,
          .event_record = event_record,
          .event_elapsed = event_elapsed,
          .l2_flush = l2_flush,
          .stream_wait_event = stream_wait_event,
          .stream_capture = stream_capture,
          .event_create_untimed = event_create_untimed,
          .host_allocate = host_allocate,
          .host_free = host_free,
          .stream_create_with_priority = stream_create_with_priority,
          .copy_peer = copy_peer};
}

namespace {

constexpr char kJsonBegin = '{';

/// Returns `text` with a question mark for each byte that is not valid UTF-8: compiler output can contain any bytes.
std::string as_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t size = first_character(text).size;
    valid.append(size == 0 ? std::string_view("?") : text.substr(0, size));
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return valid;
}

std::string text_of(const Error& error) {
  if (error.notes.empty() && !error.message.starts_with(kJsonBegin)) return error.message;
  Json::Array notes;
  for (const Note& note : error.notes) {
    notes.emplace_back(Json::Object{{"kind", as_utf8(note.kind)}, {"text", as_utf8(note.text)}});
  }
  return dump(Json::Object{{"message", as_utf8(error.message)}, {"notes", std::move(notes)}});
}

std::string string_at(const Json& object, const char* key) {
  const Json* const value = object.find(key);
  const std::string* const text = value == nullptr ? nullptr : value->as_string();
  return text == nullptr ? "" : *text;
}

ErrorCode known_code(kmux_code code) {
  return code > KMUX_OK && code <= KMUX_OUT_OF_MEMORY ? static_cast<ErrorCode>(code) : ErrorCode::kInternal;
}

}  // namespace

kmux_code write_error(const Error& error, kmux_sink sink) noexcept {
  try {
    write(sink, text_of(error));
  } catch (const std::bad_alloc&) {
    write(sink, error.message);
  }
  return static_cast<kmux_code>(known_code(static_cast<kmux_code>(error.code)));  // never KMUX_OK
}

Error read_error(kmux_code code, std::string_view text) {
  const auto plain = [&] { return make_error(known_code(code), std::string(text)); };
  if (!text.starts_with(kJsonBegin)) return plain();
  const Result<Json> read = read_json(text);
  if (!read || read->as_object() == nullptr) return plain();
  Error error = make_error(known_code(code), string_at(*read, "message"));
  const Json* const notes = read->find("notes");
  if (notes == nullptr || notes->as_array() == nullptr) return error;
  for (const Json& note : *notes->as_array()) {
    error.notes.push_back({string_at(note, "kind"), string_at(note, "text")});
  }
  return error;
}

}  // namespace kmux
