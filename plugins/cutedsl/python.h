#pragma once

#include <string>
#include <vector>

#include "kmux/json.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux::cutedsl {

/// The oldest CuTe DSL that has what is used here.
inline constexpr const char* kRequirement = "nvidia-cutlass-dsl>=4.7.0";

/// A Python that has CuTe DSL among its packages.
struct Python {
  std::string program;   // absolute; not resolved, for a virtual environment is told by where its program lies
  std::string packages;  // the folder that holds CuTe DSL
  std::string version;   // of CuTe DSL
};

/// The Python of option "cutedsl.python", whatever others there are; else the first with CuTe DSL of: the active virtual
/// environment's (option "cutedsl.venv"), python3 in PATH, in /usr/local/bin and in /usr/bin. Starts no process.
///
/// Errors: unavailable that names every place, and what to install.
Result<Python> find_python(const Host& host);

/// What tells this toolchain from others: path, size and time of the program, and the version and the record of CuTe DSL and
/// of what else code is made with. Reads folders and the properties of files.
Json identify(const Python& python);

/// The folders in which the Python `program` looks for packages, as its place and a pyvenv.cfg beside it say.
std::vector<std::string> package_folders(const std::string& program);

}  // namespace kmux::cutedsl
