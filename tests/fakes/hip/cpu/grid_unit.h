#pragma once

#include <string>
#include <vector>

#include "kernels/grid_code.h"

namespace kmux::fake_hip {

/// HIP C++ as passed to hiprtc.
struct HipUnit {
  std::string text;
  std::vector<File> headers;
  std::vector<std::string> expressions;  // kernels by their names
  std::vector<std::string> variables;  // by their names
  std::vector<std::string> options;  // of the compiler
};

/// Returns the names of the unit's kernels: those without a template or namespace, then the stand-ins for the
/// expressions.
std::vector<std::string> kernels_of(const HipUnit& unit);

/// Returns the name that stands for expression number `index`.
std::string expression_name(std::size_t index);

/// Returns the name that stands for variable number `index`.
std::string variable_name(std::size_t index);

/// Returns `unit` for a device of `arch`, its kernels in the order of `kernels_of`. The kernel after them reports the
/// sizes of arguments (device_code.h), and each later one the address of a variable.
fakes::GridSource grid_source(const HipUnit& unit, const std::string& arch);

/// Returns an included file that is neither among the headers nor in an include folder; empty if none is missing.
std::string missing_header(const HipUnit& unit);

}  // namespace kmux::fake_hip
