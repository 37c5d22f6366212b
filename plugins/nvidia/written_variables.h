#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kmux::nvidia {

/// Compiled code, and the PTX that it was assembled from where that is known.
struct CodeText {
  std::string_view code;  // a cubin, a fatbin, or PTX
  bool is_ptx = false;
  std::string ptx = {};  // empty: not known
};

/// Returns the variables in global memory that `code` may write, sorted, under the names that C++ has for them: what the part
/// "state" of an artifact lists (kmux/plugin/code_state.h).
///
/// By PTX, a variable counts if its address leads to anything but loads; an address that is stored or passed to a function
/// counts. Of a cubin alone, each counts that its code refers to. Constants, tables of functions and text of compilers never
/// count. A compressed fatbin has none that can be seen here.
std::vector<std::string> written_variables(const CodeText& code);

/// Returns true if a cubin refers to variables in global memory, so that its PTX is worth reading.
bool refers_to_variables(std::string_view cubin);

/// Returns the variables in global memory that the functions of `ptx` may write, sorted: those whose address leads to anything
/// but loads. An address that is stored, passed to a function, or put into another variable counts as written.
///
/// Source: PTX ISA, "State Spaces", "Instruction Statements".
std::vector<std::string> stored_variables(std::string_view ptx);

}  // namespace kmux::nvidia
