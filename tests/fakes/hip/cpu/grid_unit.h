#pragma once

#include <string>
#include <vector>

#include "kernels/grid_code.h"

namespace kmux::fake_hip {

/// HIP C++ as hiprtc is given it.
struct HipUnit {
  std::string text;
  std::vector<File> headers;
  std::vector<std::string> expressions;  // kernels by their names
  std::vector<std::string> variables;  // by their names
  std::vector<std::string> options;  // of the compiler
};

/// The names of the unit's kernels: those that are no templates and in no namespace, then what stands for the expressions.
std::vector<std::string> kernels_of(const HipUnit& unit);

/// The name that stands for expression number `index`.
std::string expression_name(std::size_t index);

/// The name that stands for variable number `index`.
std::string variable_name(std::size_t index);

/// `unit` for a device of `arch`, its kernels in the order of `kernels_of`; the next kernel tells the sizes of arguments
/// (device_code.h), and each after it where a variable is.
fakes::GridSource grid_source(const HipUnit& unit, const std::string& arch);

/// An included file that is neither among the headers nor in a folder of the options; empty if there is none.
std::string missing_header(const HipUnit& unit);

}  // namespace kmux::fake_hip
