#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "kmux/json.h"
#include "kmux/plugin/compilation_folder.h"
#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/process.h"

namespace kmux::cutedsl {

/// The oldest supported CuTe DSL.
inline constexpr const char* kRequirement = "nvidia-cutlass-dsl>=4.7.0";

/// A Python that has CuTe DSL among its packages.
struct Python {
  std::string program;   // absolute, links not resolved: the path identifies a virtual environment
  std::string packages;  // the folder that holds CuTe DSL
  std::string version;   // of CuTe DSL
  bool is_of_user = false;  // `packages` is of `pip install --user`, which an isolated Python does not search
};

/// Returns the command line that runs `script`, isolated: the user's folders and variables do not affect imports. The
/// exception is a package folder of `pip install --user`, which is an argument of the script.
std::vector<std::string> command_line(const Python& python, const std::string& script);

/// Returns the command that runs `script` in `folder`. It may also read the Python's installation and packages.
Command python_command(const Python& python, const std::string& script, const CompilationFolder& folder);

/// Returns the Python of option "cutedsl.python" if the option is set. Otherwise returns the first Python with CuTe DSL
/// of: the active virtual environment (option "cutedsl.venv"), python3 in PATH, in /usr/local/bin and in /usr/bin.
///
/// CuTe DSL is searched among the Python's own packages, then among those of `pip install --user`. The latter must
/// belong to this process's user, and are skipped for a virtual environment, which does not see them. Starts no
/// process.
///
/// Errors: unavailable that lists every searched place and the package to install.
Result<Python> find_python(const Host& host);

/// Returns the identity of this toolchain: path, size and time of the program, the version of CuTe DSL, and the records
/// of CuTe DSL and TileLang. Reads folders and the properties of files.
Json identify(const Python& python);

/// Returns the folders that the Python `program` searches for packages, by its path and a pyvenv.cfg beside it.
std::vector<std::string> package_folders(const std::string& program);

/// A persistent Python with CuTe DSL imported: a forked copy of it runs each compilation (`python/serve.py`).
///
/// Threads: thread-safe; one compilation at a time.   Lifetime: the process ends with the object, or with this process.
class PythonServer {
 public:
  explicit PythonServer(Host host) : host_(host) {}
  PythonServer(const PythonServer&) = delete;
  PythonServer& operator=(const PythonServer&) = delete;
  ~PythonServer();

  /// Runs kmux_compile.py of `folder`, the compilation's own folder, for `arch`. Returns its exit code. Returns nothing
  /// if no server can run: the caller may then use a separate Python. The output is in python.log in that folder.
  ///
  /// Errors: timed_out after `timeout`; cancelled if the process is about to end. Both kill the server's process group.
  Result<std::optional<int>> compile(const Python& python, const std::string& arch, const std::string& folder,
                                     std::chrono::seconds timeout);

 private:
  bool start(const Python& python, const std::string& arch);
  bool ask(const std::string& folder) const;
  Result<std::optional<int>> answer(std::chrono::seconds timeout);
  void end();

  Host host_;
  std::mutex mutex_;
  std::optional<CompilationFolder> folder_;  // of the script
  std::string serves_;  // the server's toolchain and architecture
  pid_t process_ = -1;
  Descriptor socket_;
};

}  // namespace kmux::cutedsl
