#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kmux::conformance {

/// How kernels in the common subset of C and CUDA, each begun with KERNEL, are written in a dialect that is like C. The last
/// parameter of a kernel may begin with SHARED: it is the memory that a launch asks for with `dynamic_smem_bytes`. Or it may be
/// POSITIONS: then the kernel reads BLOCK_X, BLOCK_Y, THREAD_X and THREAD_Y, its block in the grid and its thread in the block.
struct DialectForm {
  std::string name;
  std::string file;  // of the source
  std::string first_line = {};  // a line above the kernels, whatever it has
  std::string kernel = {};  // in the place of KERNEL
  // A parameter that is a pointer, and one that is not; "$type", "$name" and "$index" stand for its parts.
  std::string pointer = "$type $name";
  std::string value = "$type $name";
  std::string shared = {};  // a parameter that begins with SHARED; empty: it is not known how a kernel has one
  // The index of the block, and of the thread in it, along "$axis" (x or y), which is number "$number" (0 or 1); empty: it is
  // not known how a kernel has one.
  std::string block = {};
  std::string thread = {};
  std::string positions = {};  // the parameters that these need; empty: none
  std::vector<std::pair<std::string, std::string>> replacements = {};  // in all of the text, one after another
};

/// Has a kernel of `text` a parameter that begins with SHARED?
bool has_shared(std::string_view text);

/// Has a kernel of `text` the parameter POSITIONS?
bool has_positions(std::string_view text);

/// The same kernel as CUDA has it: variables in the place of SHARED and POSITIONS. The lines stay what they are.
std::string shared_as_variable(std::string_view text);

/// `text` in the dialect; the lines stay what they are.
std::string kernels_in(const DialectForm& form, std::string_view text);

/// The same as Python of CuTe DSL: pointers are arrays (`cute_helpers`), a statement is a line. Line 3 of it is the first of a
/// body that begins below its kernel.
std::string cute_kernels(std::string_view text);

/// What they import, module kmux_c.
std::string_view cute_helpers();

}  // namespace kmux::conformance
