#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux {

/// The sources of a variant as one translation unit. Its lines are those of the user's files.
struct SourceUnit {
  std::string path;                         // what the compiler calls the text: the first source
  std::string text;  // what is compiled
  std::vector<std::string> preludes = {};  // to be included before the text, in order
  std::vector<File> files = {};            // what the text may include, by these paths
};

/// The unit of a variant of dialect cuda with sources. `folder` ("" or one that ends in '/') goes before every path of
/// the program, in the include lines that mean one of its files, too: those are looked up here, first beside the file
/// they stand in, then in the program's root. So a compiler needs no folder of the program, and its files and those of
/// the machine do not hide one another.
SourceUnit make_unit(const Variant& variant, std::string_view folder);

/// The standard to compile by: that of the settings, else "c++20".
std::string standard_of(const Settings& settings);

}  // namespace kmux
