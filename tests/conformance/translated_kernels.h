#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kmux::conformance {

/// How kernels in the common subset of C and CUDA, each begun with KERNEL, are written in a dialect that is like C.
struct DialectForm {
  std::string name;
  std::string file;             // of the source
  std::string first_line = {};  // a line above the kernels, whatever it has
  std::string kernel = {};      // in the place of KERNEL
  // A parameter that is a pointer, and one that is not; "$type", "$name" and "$index" stand for its parts.
  std::string pointer = "$type $name";
  std::string value = "$type $name";
  std::vector<std::pair<std::string, std::string>> replacements = {};  // in all of the text, one after another
};

/// `text` in the dialect; the lines stay what they are.
std::string kernels_in(const DialectForm& form, std::string_view text);

/// The same as Python of CuTe DSL: pointers are arrays (`cute_helpers`), a statement is a line. Line 3 of it is the first of a
/// body that begins below its kernel.
std::string cute_kernels(std::string_view text);

/// What they import, module kmux_c.
std::string_view cute_helpers();

}  // namespace kmux::conformance
