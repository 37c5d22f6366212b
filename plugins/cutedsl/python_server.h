#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>

#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/private_folder.h"

#include "python.h"

namespace kmux::cutedsl {

/// A Python that stays, with CuTe DSL imported: each compilation is done by a copy of it (`python/serve.py`).
///
/// Threads: any; one compilation at a time.   Lifetime: the process ends with the object, or with this process.
class PythonServer {
 public:
  explicit PythonServer(Host host) : host_(host) {}
  PythonServer(const PythonServer&) = delete;
  PythonServer& operator=(const PythonServer&) = delete;
  ~PythonServer();

  /// Runs kmux_compile.py in `folder`, for `arch`; gives its exit code, or nothing where no server can be had: then a Python of
  /// its own can do it. What it says is in python.log there.
  ///
  /// Errors: unavailable if it takes longer than `timeout`, or the process is about to end. Then all of it is killed.
  Result<std::optional<int>> compile(const Python& python, const std::string& arch, const std::string& folder,
                                     std::chrono::seconds timeout);

 private:
  bool start(const Python& python, const std::string& arch);
  bool ask(const std::string& folder) const;
  Result<std::optional<int>> answer(std::chrono::seconds timeout);
  void end();

  Host host_;
  std::mutex mutex_;
  std::optional<PrivateFolder> folder_;  // of the script
  std::string serves_;  // toolchain and architecture
  pid_t process_ = -1;
  Descriptor socket_;
};

}  // namespace kmux::cutedsl
