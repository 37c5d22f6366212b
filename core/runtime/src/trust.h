#pragma once

#include <filesystem>

#include "kmux/error.h"

namespace kmux {

/// May code be taken from `path`, a file or a folder? It must belong to this user or to root, and nobody else may write
/// to it.
///
/// Errors: unavailable that says who owns it or that it is writable by all.
Status check_trusted(const std::filesystem::path& path);

}  // namespace kmux
