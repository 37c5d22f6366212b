#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>

#include "isolation/worker_frame.h"
#include "plugins/plugin_library.h"

namespace kmux {

/// The worker's end: opens a plugin and answers calls with what the plugin says.
class WorkerServer {
 public:
  WorkerServer(int socket, std::filesystem::path manifest) : socket_(socket), manifest_(std::move(manifest)) {}

  /// Answers until the application closes its end (true) or sends what is no frame (false); then destroys the plugin.
  bool serve();

  /// Sends a line of the log. Threads: any.
  void log(std::int32_t level, std::string_view text);

  /// Is a call being answered? Threads: any.
  bool is_busy() const { return busy_; }

 private:
  bool answer_all();
  Frame answer(const Frame& frame);
  Status open(const Frame& frame);
  Result<Frame> call(const Frame& frame);
  void send(const Frame& frame);

  int socket_;
  std::filesystem::path manifest_;
  std::shared_ptr<PluginLibrary> plugin_;
  std::mutex sending_;
  std::atomic<bool> busy_{false};
};

}  // namespace kmux
