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

/// The oldest CuTe DSL that has what is used here.
inline constexpr const char* kRequirement = "nvidia-cutlass-dsl>=4.7.0";

/// A Python that has CuTe DSL among its packages.
struct Python {
  std::string program;   // absolute; not resolved, for a virtual environment is told by where its program lies
  std::string packages;  // the folder that holds CuTe DSL
  std::string version;   // of CuTe DSL
  bool is_of_user = false;  // `packages` is what `pip install --user` fills, where an isolated Python does not look
};

/// The command that runs `script` in it, isolated: no folder and no variable of the user's decides what is imported, but for
/// packages that are only there.
std::vector<std::string> command_line(const Python& python, const std::string& script);

/// Returns the command that runs `script` in `folder`, which reads the Python's installation and packages besides.
Command python_command(const Python& python, const std::string& script, const CompilationFolder& folder);

/// The Python of option "cutedsl.python", whatever others there are; else the first with CuTe DSL of: the active virtual
/// environment's (option "cutedsl.venv"), python3 in PATH, in /usr/local/bin and in /usr/bin. Each has what is installed
/// with it; else what `pip install --user` has put into a folder of this process's user, unless it is a virtual environment,
/// which sees none of that. Starts no process.
///
/// Errors: unavailable that names every place, and what to install.
Result<Python> find_python(const Host& host);

/// What identifies this toolchain: path, size and time of the program, and the version and the record of CuTe DSL and
/// of what else code is made with. Reads folders and the properties of files.
Json identify(const Python& python);

/// The folders in which the Python `program` looks for packages, as its place and a pyvenv.cfg beside it say.
std::vector<std::string> package_folders(const std::string& program);

/// A Python that stays, with CuTe DSL imported: each compilation is done by a copy of it (`python/serve.py`).
///
/// Threads: any; one compilation at a time.   Lifetime: the process ends with the object, or with this process.
class PythonServer {
 public:
  explicit PythonServer(Host host) : host_(host) {}
  PythonServer(const PythonServer&) = delete;
  PythonServer& operator=(const PythonServer&) = delete;
  ~PythonServer();

  /// Runs kmux_compile.py of `folder`, a compilation's own one, for `arch`; gives its exit code, or nothing where no server can be had: then a Python of
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
  std::optional<CompilationFolder> folder_;  // of the script
  std::string serves_;  // toolchain and architecture
  pid_t process_ = -1;
  Descriptor socket_;
};

}  // namespace kmux::cutedsl
