#pragma once

#include <filesystem>

namespace kmux {

/// The folder of libkmux.so itself. Empty if the loader knows it by a relative path only: the current directory has no
/// say in where code is taken from.
std::filesystem::path own_folder();

}  // namespace kmux
