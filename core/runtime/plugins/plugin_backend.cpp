#include "plugin_backend.h"

#include "kmux/dispatch_json.h"
#include "kmux/log.h"
#include "kmux/plugin/dependencies.h"

#include "base/json_text.h"
#include "launch_trail.h"
#include "plugin/backend_json.h"
#include "plugin/program_view.h"
#include "plugin_library.h"
#include "system/host_api.h"

namespace kmux {
namespace {

/// A build request in the form of the ABI. Borrows the request.
class RequestView {
 public:
  RequestView(const char* plugin, const BuildRequest& request)
      : program_(request.program),
        target_(to_string(request.target)),
        options_(to_json(request.options)),
        call_(plugin) {
    view_ = {.struct_size = sizeof view_,
             .program = program_.get(),
             .variant = request.variant,
             .target = bytes_view(target_),
             .options = bytes_view(options_),
             .launcher = {},
             .artifact = {},
             .call = call_.get()};
  }
  RequestView& with_launcher(std::string_view launcher) { return view_.launcher = bytes_view(launcher), *this; }
  RequestView& with_artifact(std::string_view artifact) { return view_.artifact = bytes_view(artifact), *this; }
  RequestView(const RequestView&) = delete;
  RequestView& operator=(const RequestView&) = delete;
  const kmux_build_request* get() const { return &view_; }

 private:
  ProgramView program_;
  std::string target_;
  std::string options_;
  HostCall call_;
  kmux_build_request view_{};
};

// Returns `status` with a note of earlier launches, which may have caused an error that the device reports only now.
Status told_late(const kmux_plugin_api& api, int device, Status status) {
  if (status) return status;
  return with_launches(std::move(status).error(), api.devices->device_type, device);
}

kmux_code allocate_on_device(void* self, int32_t device, void* stream, size_t bytes, size_t alignment, void** address) {
  const Result<void*> memory = static_cast<DeviceApi*>(self)->allocate(device, stream, bytes, alignment);
  if (!memory) {
    log(LogLevel::kWarning, memory.error().message);  // only the code reaches the launcher, not the reason
    return static_cast<kmux_code>(memory.error().code);
  }
  *address = *memory;
  return KMUX_OK;
}

void free_on_device(void* self, int32_t device, void* stream, void* address) {
  static_cast<DeviceApi*>(self)->free(device, stream, address);
}

}  // namespace

kmux_allocator workspaces_of(DeviceApi& devices) {
  return {sizeof(kmux_allocator), &devices, allocate_on_device, free_on_device};
}

Result<int> PluginDeviceApi::count() {
  std::int32_t count = 0;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) { return api_.devices->count(instance_, &count, error); }));
  if (count < 0) return malformed_answer(api_.name, std::to_string(count) + " devices", "a negative number");
  return count;
}

Result<Json> PluginDeviceApi::properties(int device) {
  KMUX_ASSIGN(const std::string json, answer_of(api_.name, [&](kmux_sink answer, kmux_sink error) {
                return api_.devices->properties(instance_, device, answer, error);
              }));
  Result<Json> read = read_json(json);
  if (!read) return malformed_answer(api_.name, "properties that cannot be read", read.error().message);
  if (read->as_object() == nullptr) return malformed_answer(api_.name, "properties that are not an object", json);
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
  return told_late(api_, device, call_plugin(api_.name, [&](kmux_sink error) {
                     return api_.devices->copy(instance_, device, stream, to, from, bytes, kind, error);
                   }));
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
  const int type = api_.devices->device_type;
  launch_trail.begin_wait(type, device, stream);
  Status waited = call_plugin(
      api_.name, [&](kmux_sink error) { return api_.devices->stream_synchronize(instance_, device, stream, error); });
  launch_trail.end_wait(type, device, stream, waited.ok());
  return told_late(api_, device, std::move(waited));
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
  KMUX_TRY(told_late(api_, device, call_plugin(api_.name, [&](kmux_sink error) {
                       return api_.devices->event_elapsed(instance_, device, begin, end, &milliseconds, error);
                     })));
  return milliseconds;
}

Status PluginDeviceApi::l2_flush(int device, void* stream) {
  if (api_.devices->l2_flush == nullptr) return DeviceApi::l2_flush(device, stream);
  return call_plugin(api_.name,
                     [&](kmux_sink error) { return api_.devices->l2_flush(instance_, device, stream, error); });
}

Status PluginDeviceApi::stream_wait_event(int device, void* stream, void* event) {
  return call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->stream_wait_event(instance_, device, stream, event, error);
  });
}

Result<std::uint64_t> PluginDeviceApi::stream_capture(int device, void* stream) {
  if (api_.devices->stream_capture == nullptr) return DeviceApi::stream_capture(device, stream);
  std::uint64_t capture = 0;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->stream_capture(instance_, device, stream, &capture, error);
  }));
  return capture;
}

Result<void*> PluginDeviceApi::event_create_untimed(int device) {
  if (api_.devices->event_create_untimed == nullptr) return event_create(device);
  void* event = nullptr;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->event_create_untimed(instance_, device, &event, error);
  }));
  return event;
}

Result<void*> PluginDeviceApi::host_allocate(int device, std::size_t bytes, std::size_t alignment) {
  if (api_.devices->host_allocate == nullptr) return DeviceApi::host_allocate(device, bytes, alignment);
  void* address = nullptr;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->host_allocate(instance_, device, bytes, alignment, &address, error);
  }));
  return address;
}

void PluginDeviceApi::host_free(int device, void* address) noexcept {
  api_.devices->host_free(instance_, device, address);
}

Result<void*> PluginDeviceApi::stream_create_with_priority(int device, int priority) {
  if (api_.devices->stream_create_with_priority == nullptr)
    return DeviceApi::stream_create_with_priority(device, priority);
  void* stream = nullptr;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.devices->stream_create_with_priority(instance_, device, priority, &stream, error);
  }));
  return stream;
}

Status PluginDeviceApi::copy_peer(int device, void* stream, void* to, int from_device, const void* from,
                                  std::size_t bytes) {
  if (api_.devices->copy_peer == nullptr) return DeviceApi::copy_peer(device, stream, to, from_device, from, bytes);
  return told_late(api_, device, call_plugin(api_.name, [&](kmux_sink error) {
                     return api_.devices->copy_peer(instance_, device, stream, to, from_device, from, bytes, error);
                   }));
}

Result<ProbeReport> PluginBackend::probe() {
  KMUX_ASSIGN(const std::string report, answer_of(api_.name, [&](kmux_sink answer, kmux_sink error) {
                return api_.probe(instance_, answer, error);
              }));
  auto read = probe_report_from_json(report);
  if (!read) return malformed_answer(api_.name, "a probe report that cannot be read", read.error().message);
  return read;
}

Result<Target> PluginBackend::resolve_target(std::string_view request, std::optional<int> device) {
  KMUX_ASSIGN(const std::string target, answer_of(api_.name, [&](kmux_sink answer, kmux_sink error) {
                return api_.resolve_target(instance_, bytes_view(request), device.value_or(-1), answer, error);
              }));
  auto read = parse_target(target);
  if (!read) return malformed_answer(api_.name, "a target that cannot be read", read.error().message);
  const std::string canonical = to_string(*read);
  if (canonical == target) return read;
  return malformed_answer(api_.name, "target \"" + target + "\"", "\"" + canonical + "\" is canonical");
}

Result<std::vector<MissingFeature>> PluginBackend::supports(const BuildRequest& request) {
  const RequestView view(api_.name, request);
  KMUX_ASSIGN(const std::string missing, answer_of(api_.name, [&](kmux_sink answer, kmux_sink error) {
                return api_.supports(instance_, view.get(), answer, error);
              }));
  auto read = missing_features_from_json(missing);
  if (!read) return malformed_answer(api_.name, "a list of missing features that cannot be read", read.error().message);
  return read;
}

Result<std::string> PluginBackend::toolchain(const Target& target, const Options& options) {
  const std::string target_text = to_string(target);
  const std::string options_text = to_json(options);
  return answer_of(api_.name, [&](kmux_sink answer, kmux_sink error) {
    return api_.toolchain(instance_, bytes_view(target_text), bytes_view(options_text), answer, error);
  });
}

Result<std::string> PluginBackend::wrap(const BuildRequest& request) {
  const RequestView view(api_.name, request);
  return answer_of(api_.name,
                   [&](kmux_sink answer, kmux_sink error) { return api_.wrap(instance_, view.get(), answer, error); });
}

Result<Artifact> PluginBackend::build(const BuildRequest& request, std::string_view launcher) {
  RequestView view(api_.name, request);
  KMUX_ASSIGN(const std::string artifact, answer_of(api_.name, [&](kmux_sink answer, kmux_sink error) {
                return api_.build(instance_, view.with_launcher(launcher).get(), answer, error);
              }));
  if (built_) built_(request.options);
  auto read = deserialize(artifact, Digests::kZeroOrChecked);
  if (!read) return malformed_answer(api_.name, "an artifact that cannot be read", read.error().message);
  if (read->find(kDependenciesPart) == nullptr) add_unknown_dependencies(*read);
  return read;
}

/// Marks the dependencies as incomplete: a plugin that reports none may have read any file, so its builds are never
/// cached.
void PluginBackend::add_unknown_dependencies(Artifact& artifact) {
  artifact.set(std::string(kDependenciesPart), to_json(Dependencies{.complete = false}));
  if (told_of_dependencies_.exchange(true)) return;
  log(LogLevel::kWarning,
      "backend \"" + std::string(api_.name) +
          "\" does not report which files it reads, so nothing that it compiles is cached. Have its author "
          "add the part \"" +
          std::string(kDependenciesPart) + "\" (docs/plugin-abi.md).");
}

Result<std::unique_ptr<Adapter>> PluginBackend::load(const Artifact& artifact, int device) {
  const std::string bytes = serialize(artifact, Digests::kOmitted);
  const HostCall call(api_.name);
  const kmux_load_request request{sizeof request, bytes_view(bytes), device, 0, call.get()};
  void* handle = nullptr;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) { return api_.load(instance_, &request, &handle, error); }));
  if (handle == nullptr) return malformed_answer(api_.name, "no adapter", "and no error");
  return std::unique_ptr<Adapter>(std::make_unique<PluginAdapter>(api_, handle));
}

kmux_code call_standalone(const kmux_plugin_api& api, void* instance, const kmux_build_request& request,
                          kmux_sink parts, kmux_sink error) {
  if (api.standalone == nullptr) {
    return write_error(cannot_export("backend \"" + std::string(api.name) + "\""), error);
  }
  return api.standalone(instance, &request, parts, error);
}

Result<Artifact> PluginBackend::standalone(const BuildRequest& request, const Artifact& built) {
  RequestView view(api_.name, request);
  const std::string bytes = serialize(built);
  KMUX_ASSIGN(const std::string parts, answer_of(api_.name, [&](kmux_sink answer, kmux_sink error) {
                return call_standalone(api_, instance_, *view.with_artifact(bytes).get(), answer, error);
              }));
  auto read = deserialize(parts, Digests::kZeroOrChecked);
  if (!read) return malformed_answer(api_.name, "parts of a library that cannot be read", read.error().message);
  return read;
}

LaunchEntry PluginAdapter::entry() noexcept {
  LaunchEntry entry{{api_.launch, handle_}};
  if (api_.entry != nullptr) api_.entry(handle_, &entry);
  return entry;
}

Result<ConstantPlace> PluginAdapter::constant(int device, std::string_view name) {
  if (api_.constant == nullptr) {
    return no_constants("backend \"" + std::string(api_.name) + "\"");
  }
  ConstantPlace place;
  KMUX_TRY(call_plugin(api_.name, [&](kmux_sink error) {
    return api_.constant(handle_, device, bytes_view(name), &place.address, &place.bytes, error);
  }));
  if (place.address == nullptr) return malformed_answer(api_.name, "no address of a constant", "and no error");
  return place;
}

Status PluginAdapter::prepare(int device) {
  return call_plugin(api_.name, [&](kmux_sink error) { return api_.prepare(handle_, device, error); });
}

}  // namespace kmux
