#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux::nvidia {

/// The name of the translation unit of a variant; no file of a program can have it.
inline constexpr const char* kUnitName = "<kmux>.cu";

/// One translation unit out of a variant of dialect cuda: its preludes in order, then its sources, each by #include, so
/// that the compiler's messages have the user's files and lines. `kernels` that are name expressions ("scale<float>")
/// are instantiated at its end if `instantiate`.
enum class Instantiation { kByCompiler, kBySource };
std::string unit_text(const Variant& variant, const std::vector<std::string>& kernels, Instantiation instantiation);

/// All files of the variant: what `unit_text` includes, and what that may.
std::vector<File> unit_files(const Variant& variant);

/// The standard to compile by ("c++20" unless the settings name one).
std::string standard_of(const Settings& settings);

/// Is `kernel` the name of an instantiation, not a plain identifier?
bool is_name_expression(const std::string& kernel);

}  // namespace kmux::nvidia
