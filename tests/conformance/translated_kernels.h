#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kmux::conformance {

/// How kernels in the common subset of C and CUDA, each begun with KERNEL, are written in a C-like dialect. The last
/// parameter of a kernel may begin with SHARED: it is the memory that a launch requests with `dynamic_smem_bytes`. Or
/// it may be POSITIONS: then the kernel reads BLOCK_X, BLOCK_Y, THREAD_X and THREAD_Y, its block in the grid and its
/// thread in the block.
struct DialectForm {
  std::string name;
  std::string file;  // name of the source file
  std::string first_line = {};  // a line above the kernels, of any content
  std::string kernel = {};  // replaces KERNEL
  // Forms of a pointer parameter and of a value parameter; "$type", "$name" and "$index" stand for the parameter's
  // parts.
  std::string pointer = "$type $name";
  std::string value = "$type $name";
  std::string shared = {};  // form of a SHARED parameter; empty: the dialect has no known form
  // The index of the block, and of the thread in it, along "$axis" (x or y), which is number "$number" (0 or 1); empty:
  // the dialect has no known form.
  std::string block = {};
  std::string thread = {};
  std::string positions = {};  // the parameters that block and thread need; empty: none
  std::vector<std::pair<std::string, std::string>> replacements = {};  // applied to the whole text, in order
};

/// Returns true if a kernel of `text` has a parameter that begins with SHARED.
bool has_shared(std::string_view text);

/// Returns true if a kernel of `text` has the parameter POSITIONS.
bool has_positions(std::string_view text);

/// Returns the kernel for CUDA, with variables in place of SHARED and POSITIONS. Line numbers stay the same.
std::string shared_as_variable(std::string_view text);

/// Returns `text` in the dialect; line numbers stay the same.
std::string kernels_in(const DialectForm& form, std::string_view text);

/// Returns the kernels as Python of CuTe DSL: pointers become arrays (`cute_helpers`), each statement a line. A body
/// that begins below its kernel must begin in line 3.
std::string cute_kernels(std::string_view text);

/// Returns the source of module kmux_c, which these kernels import.
std::string_view cute_helpers();

}  // namespace kmux::conformance
