// kmux-worker PLUGIN: answers the cold calls of the plugin with that manifest on descriptor 3, until it is closed.
// libkmux.so starts it; it is of no use to people.
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "kmux/log.h"
#include "kmux/plugin/start_thread.h"

#include "isolation/worker_process.h"
#include "worker_server.h"

namespace {

constexpr int kSocket = 3;

bool is_socket(int descriptor) {
  struct stat info{};
  return fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
}

/// Ends this process and what it started when the application goes away in the middle of a call, however it went.
/// PR_SET_PDEATHSIG would end it with the thread that started it, which may well be gone before the application is.
void watch(const kmux::WorkerServer& server) {
  constexpr auto kGrace = std::chrono::seconds(2);
  pollfd end{kSocket, POLLRDHUP, 0};
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
  if (!watching) {  // without it, the end of the application would not be seen in the middle of a call
    std::fprintf(stderr, "kmux-worker: %s\n", watching.error().message.c_str());
    return 3;
  }
  watching->detach();
  const bool clean = server.serve();
  _exit(clean ? 0 : 1);  // the plugin is destroyed by now; nothing else is worth unwinding under the watcher
}
