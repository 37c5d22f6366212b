#include "worker_table.h"

#include <filesystem>
#include <tuple>

#include "kmux/plugin/plugin.hpp"

#include "worker_frame.h"

namespace kmux {
namespace {

std::string text_of(kmux_bytes bytes) { return bytes.size == 0 ? std::string() : std::string(bytes.data, bytes.size); }

/// A call, with the folder that relative paths in its options are meant from.
Frame frame_of(FrameKind kind, std::vector<std::string> parts = {}) {
  std::error_code none;
  parts.insert(parts.begin(), std::filesystem::current_path(none).string());
  return {kind, std::move(parts)};
}

/// A function of the table that answers with an error, which goes to its last argument, or does nothing.
template <class Function>
struct Refused;
template <class... Arguments>
struct Refused<kmux_code (*)(Arguments...)> {
  static kmux_code call(Arguments... arguments) {
    return write_error(make_error(ErrorCode::kInternal,
                                  "a plugin in a worker process has no adapters and no devices. Ask the registry for "
                                  "the plugin."),
                       std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)));
  }
};
template <class... Arguments>
struct Refused<void (*)(Arguments...)> {
  static void call(Arguments...) {}
};
template <class Function>
void refuse(Function& function) {
  function = Refused<Function>::call;
}

const kmux_device_api& no_devices() {
  static const kmux_device_api devices = [] {
    kmux_device_api api{};
    api.struct_size = sizeof api;
    refuse(api.count), refuse(api.properties), refuse(api.allocate), refuse(api.free), refuse(api.copy);
    refuse(api.memset), refuse(api.memory_info), refuse(api.stream_create), refuse(api.stream_destroy);
    refuse(api.stream_synchronize), refuse(api.event_create), refuse(api.event_destroy), refuse(api.event_record);
    refuse(api.event_elapsed), refuse(api.l2_flush), refuse(api.stream_wait_event), refuse(api.stream_capture);
    refuse(api.event_create_untimed);
    return api;
  }();
  return devices;
}

}  // namespace

WorkerTable::WorkerTable(std::string name, std::shared_ptr<WorkerPool> pool,
                         std::optional<std::chrono::milliseconds> limit)
    : name_(std::move(name)), pool_(std::move(pool)), limit_(limit) {
  api_.struct_size = sizeof api_;
  api_.abi_version = KMUX_PLUGIN_ABI_VERSION;
  api_.name = name_.c_str();
  api_.version = "";
  api_.devices = &no_devices();
  refuse(api_.load), refuse(api_.prepare), refuse(api_.launch), refuse(api_.unload), refuse(api_.destroy);
  api_.create = [](const kmux_host_api*, void**, kmux_sink error) {
    return Refused<decltype(kmux_plugin_api::prepare)>::call(nullptr, 0, error);
  };
  api_.probe = [](void* self, kmux_sink report, kmux_sink error) {
    return forward(self, frame_of(FrameKind::kProbe), report, error);
  };
  api_.resolve_target = [](void* self, kmux_bytes request, std::int32_t device, kmux_sink target, kmux_sink error) {
    return forward(self, frame_of(FrameKind::kResolveTarget, {text_of(request), std::to_string(device)}), target,
                   error);
  };
  api_.supports = [](void* self, const kmux_build_request* request, kmux_sink missing, kmux_sink error) {
    Frame frame = frame_of(FrameKind::kSupports);
    append_request(frame, *request);
    return forward(self, frame, missing, error);
  };
  api_.toolchain = [](void* self, kmux_bytes target, kmux_bytes options, kmux_sink identity, kmux_sink error) {
    return forward(self, frame_of(FrameKind::kToolchain, {text_of(target), text_of(options)}), identity, error);
  };
  api_.wrap = [](void* self, const kmux_build_request* request, kmux_sink launcher, kmux_sink error) {
    Frame frame = frame_of(FrameKind::kWrap);
    append_request(frame, *request);
    return forward(self, frame, launcher, error);
  };
  api_.build = [](void* self, const kmux_build_request* request, kmux_bytes launcher, kmux_sink artifact,
                  kmux_sink error) {
    Frame frame = frame_of(FrameKind::kBuild, {text_of(launcher)});
    append_request(frame, *request);
    return forward(self, frame, artifact, error);
  };
  api_.standalone = [](void* self, const kmux_build_request* request, kmux_bytes artifact, kmux_sink parts,
                       kmux_sink error) {
    Frame frame = frame_of(FrameKind::kStandalone, {text_of(artifact)});
    append_request(frame, *request);
    return forward(self, frame, parts, error);
  };
}

kmux_code WorkerTable::forward(void* self, const Frame& frame, kmux_sink output, kmux_sink error) {
  const auto* table = static_cast<const WorkerTable*>(self);
  const Result<WorkerReply> reply = table->pool_->call(frame, table->limit_);
  if (!reply) return write_error(reply.error(), error);
  output.write(output.self, reply->output.data(), reply->output.size());
  error.write(error.self, reply->error.data(), reply->error.size());
  return reply->code;
}

}  // namespace kmux
