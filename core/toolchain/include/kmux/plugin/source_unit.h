#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux {

/// The sources of a variant as one translation unit that keeps the line numbers of the user's files.
struct SourceUnit {
  std::string path;                         // the text's name for the compiler: the first source
  std::string text;  // the unit's source
  std::vector<std::string> preludes = {};  // to include before the text, in order
  std::vector<File> files = {};            // files that the text may include, by these paths
};

/// Returns the unit of a variant of dialect cuda, which must have sources. `folder` ("" or ending in '/') is prefixed
/// to every path of the program, also in include lines of its files. Those are resolved here: first beside the
/// including file, then in the program's root. So the compiler needs no folder of the program, and files of the program
/// and the machine do not shadow each other.
SourceUnit make_unit(const Variant& variant, std::string_view folder);

/// Returns the standard to compile for: that of the settings, else "c++20".
std::string standard_of(const Settings& settings);

}  // namespace kmux
