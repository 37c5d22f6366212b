#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux::nvidia {

/// Compiled code, and the PTX that it was assembled from, if known.
struct CodeText {
  std::string_view code;  // a cubin, a fatbin, or PTX
  bool is_ptx = false;
  std::string ptx = {};  // empty: unknown
};

/// Returns the variables in global memory that `code` may write, sorted, by their C++ names: the part "state" of an
/// artifact (kmux/plugin/code_state.h).
///
/// With PTX, a variable counts if its address reaches anything but loads; a stored address or one passed to a function
/// counts. With a cubin alone, every variable counts that code refers to. Constants, tables of functions and compilers'
/// literals never count. Returns an empty list for a compressed fatbin, whose content is unreadable here.
std::vector<std::string> written_variables(const CodeText& code);

/// Returns true if a cubin refers to variables in global memory, so that its PTX is worth reading.
bool refers_to_variables(std::string_view cubin);

/// Returns the variables in global memory that the functions of `ptx` may write, sorted: those whose address reaches
/// anything but loads. An address that is stored, passed to a function, or an initializer of another variable counts as
/// written.
///
/// Source: PTX ISA, "State Spaces", "Instruction Statements".
std::vector<std::string> stored_variables(std::string_view ptx);

}  // namespace kmux::nvidia
