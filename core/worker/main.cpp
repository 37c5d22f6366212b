// kmux-worker PLUGIN: serves the cold calls of the plugin with that manifest on descriptor 3, until it is closed.
// Internal: only libkmux.so starts it.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "kmux/guarded.h"
#include "kmux/log.h"
#include "kmux/plugin/platform.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/start_thread.h"
#include "kmux/registry.h"

#include "isolation/code_trial.h"
#include "isolation/worker_frame.h"
#include "isolation/worker_process.h"
#include "plugins/plugin_backend.h"
#include "plugins/plugin_library.h"
#include "plugins/plugin_search.h"
#include "pool/machine_share.h"
#include "system/host_api.h"

namespace kmux {
namespace {

/// Returns the peak memory of this process plus that of the largest compiler it started: both may run at once. Units:
/// bytes.
std::uint64_t peak_bytes() { return peak_resident_bytes() + most_resident(RUSAGE_CHILDREN); }

Frame reply(kmux_code code, std::string output, std::string error) {
  return {FrameKind::kReply, {std::to_string(code), std::move(output), std::move(error), std::to_string(peak_bytes())}};
}

Frame reply(const Error& error) {
  ByteSink text;
  const kmux_code code = write_error(error, text.get());
  return reply(code, "", text.take());
}

Error unexpected(const Frame& frame) {
  return make_error(ErrorCode::kInternal, "a frame is damaged (" + std::string(to_string(frame.kind)) + " with " +
                                              std::to_string(frame.parts.size()) + " parts).");
}

/// One call of a plugin: its table and instance, and the two sinks.
class Call {
 public:
  Call(const PluginLibrary& plugin, const Frame& frame)
      : api_(plugin.api()), instance_(plugin.instance()), parts_(frame.parts) {}

  Result<Frame> make(const Frame& frame) {
    KMUX_ASSIGN(const kmux_code code, code_of(frame));
    if (output_.is_cut()) return out_of_memory();
    return reply(code, output_.take(), error_.take());
  }

 private:
  Result<kmux_code> code_of(const Frame& frame) {
    switch (frame.kind) {
      case FrameKind::kProbe:
        return api_.probe(instance_, output_.get(), error_.get());
      case FrameKind::kResolveTarget:
        return resolve_target(frame);
      case FrameKind::kToolchain:
        if (parts_.size() != 3) return unexpected(frame);
        return api_.toolchain(instance_, bytes_view(parts_[1]), bytes_view(parts_[2]), output_.get(), error_.get());
      case FrameKind::kSupports:
      case FrameKind::kWrap:
      case FrameKind::kBuild:
      case FrameKind::kStandalone:
        return with_request(frame);
      case FrameKind::kLoad:
      case FrameKind::kLaunch:
        return try_code(frame);
      case FrameKind::kOpen:
      case FrameKind::kReply:
      case FrameKind::kLog:
        break;
    }
    return unexpected(frame);
  }

  Result<kmux_code> try_code(const Frame& frame) {
    PluginBackend backend(api_, instance_);
    KMUX_TRY(kmux::try_code(backend, frame));
    return KMUX_OK;
  }

  Result<kmux_code> resolve_target(const Frame& frame) {
    if (parts_.size() != 3) return unexpected(frame);
    KMUX_ASSIGN(const std::int64_t device, read_number(parts_[2]));
    return api_.resolve_target(instance_, bytes_view(parts_[1]), static_cast<std::int32_t>(device), output_.get(),
                               error_.get());
  }

  Result<kmux_code> with_request(const Frame& frame) {
    KMUX_ASSIGN(RequestParts parts, RequestParts::read(frame, 1));
    const HostCall call(api_.name);
    const kmux_build_request request = parts.get(call.get());
    switch (frame.kind) {
      case FrameKind::kSupports:
        return api_.supports(instance_, &request, output_.get(), error_.get());
      case FrameKind::kWrap:
        return api_.wrap(instance_, &request, output_.get(), error_.get());
      case FrameKind::kBuild:
        return api_.build(instance_, &request, output_.get(), error_.get());
      default:
        return call_standalone(api_, instance_, request, output_.get(), error_.get());
    }
  }

  const kmux_plugin_api& api_;
  void* instance_;
  const std::vector<std::string>& parts_;
  ByteSink output_;
  ByteSink error_;
};

/// The worker's side of the connection: opens a plugin, makes the requested calls and returns their results.
class WorkerServer {
 public:
  WorkerServer(int socket, std::filesystem::path manifest) : socket_(socket), manifest_(std::move(manifest)) {}

  /// Serves calls until the application closes its end (returns true) or sends an invalid frame (returns false). Then
  /// destroys the plugin.
  bool serve();

  /// Sends a log line. Threads: any.
  void log(std::int32_t level, std::string_view text);

  /// Returns true while a call is in progress. Threads: any.
  bool is_busy() const { return busy_; }

 private:
  bool answer_all();
  Frame answer(const Frame& frame);
  Status open(const Frame& frame);
  Result<Frame> call(const Frame& frame);
  void send(const Frame& frame);

  int socket_;
  std::filesystem::path manifest_;
  Shared<PluginLibrary> plugin_;
  std::mutex sending_;
  std::atomic<bool> busy_{false};
};

bool WorkerServer::serve() {
  const bool clean = answer_all();
  plugin_.reset();
  return clean;
}

bool WorkerServer::answer_all() {
  FrameReader reader;
  for (;;) {
    auto frame = reader.next();
    if (!frame) {
      send(reply(frame.error()));
      return false;
    }
    if (*frame) {
      busy_ = true;
      send(answer(**frame));
      busy_ = false;
    } else if (receive_some(socket_, reader) == Transfer::kClosed) {
      return true;
    }
  }
}

Frame WorkerServer::answer(const Frame& frame) {
  if (frame.kind == FrameKind::kOpen) {
    const Status opened = open(frame);
    return opened ? reply(KMUX_OK, "", "") : reply(opened.error());
  }
  Result<Frame> called = call(frame);
  return called ? *std::move(called) : reply(called.error());
}

/// Checks the plugin as the caller did: the file may have changed since.
Status WorkerServer::open(const Frame& frame) {
  if (plugin_ != nullptr || frame.parts.size() % 2 != 0) return unexpected(frame);
  Options options;
  for (std::size_t i = 0; i < frame.parts.size(); i += 2) options[frame.parts[i]] = frame.parts[i + 1];
  PluginEntry entry{manifest_, {}, Ok{}};
  KMUX_ASSIGN(entry.manifest, read_manifest(manifest_));
  KMUX_TRY(check_library(entry));
  KMUX_ASSIGN(plugin_, open_plugin(entry.manifest, library_of(entry), options));
  return Ok{};
}

Result<Frame> WorkerServer::call(const Frame& frame) {
  if (plugin_ == nullptr || frame.parts.empty()) return unexpected(frame);
  std::error_code gone;
  std::filesystem::current_path(frame.parts[0], gone);  // else the current one stays: absolute paths still work
  return Call(*plugin_, frame).make(frame);
}

void WorkerServer::send(const Frame& frame) {
  Result<std::string> bytes = encode(frame);
  if (!bytes) bytes = encode(reply(bytes.error()));
  const std::lock_guard lock(sending_);
  send_all(socket_, *bytes, Deadline());  // if the application is gone, the next receive reports it
}

void WorkerServer::log(std::int32_t level, std::string_view text) {
  send({FrameKind::kLog, {std::to_string(level), std::string(text)}});
}

}  // namespace
}  // namespace kmux

namespace {

constexpr int kSocket = 3;

bool is_socket(int descriptor) {
  struct stat info{};
  return fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
}

/// Ends this process and its children if the application disappears during a call. PR_SET_PDEATHSIG would do so when
/// the thread that started the worker ends, which may be before the application does.
void watch(const kmux::WorkerServer& server) {
  constexpr auto kGrace = std::chrono::seconds(2);
  pollfd end{kSocket, kmux::hang_up_event(), 0};
  while (poll(&end, 1, -1) < 1) {
  }
  if (!server.is_busy()) std::this_thread::sleep_for(kGrace);
  kmux::end_session(getpid());
  _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::path(argv[1]).is_absolute() || !is_socket(kSocket)) {
    std::fputs("usage: kmux-worker /PATH/OF/NAME.plugin.json, with a socket as descriptor 3\n", stderr);
    return 2;
  }
  fcntl(kSocket, F_SETFD, FD_CLOEXEC);  // a compiler that inherits it would hide the worker's end
  kmux::WorkerServer server(kSocket, argv[1]);
  kmux::set_log_sink(kmux::LogLevel::kDebug, [&](kmux::LogLevel level, std::string_view text) {
    server.log(static_cast<std::int32_t>(level), text);
  });
  auto watching = kmux::start_thread([&server] { watch(server); });
  if (!watching) {  // without it, the application's end would go unnoticed during a call
    std::fprintf(stderr, "kmux-worker: %s\n", watching.error().message.c_str());
    return 3;
  }
  watching->detach();
  const bool clean = server.serve();
  _exit(clean ? 0 : 1);  // the plugin is destroyed already; nothing else must be unwound under the watcher
}
