#pragma once

#include <filesystem>

#include "cache_folder.h"
#include "file_descriptor.h"

namespace kmux {

/// Moves an entry that was found damaged out of the way, so that it can be looked at and made again.
///
/// Nothing happens if `found`, the folder that was read, is no longer the one of that name: somebody else was quicker.
void put_into_quarantine(const CacheFolder& cache, const std::filesystem::path& entry, const FileDescriptor& found);

}  // namespace kmux
