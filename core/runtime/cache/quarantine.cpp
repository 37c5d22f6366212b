#include "quarantine.h"

#include <sys/stat.h>

#include "staging.h"

namespace kmux {
namespace {

bool is_same_folder(const std::filesystem::path& path, const FileDescriptor& folder) {
  struct stat by_name{};
  struct stat open{};
  return ::stat(path.c_str(), &by_name) == 0 && ::fstat(folder.get(), &open) == 0 && by_name.st_ino == open.st_ino &&
         by_name.st_dev == open.st_dev;
}

}  // namespace

void put_into_quarantine(const CacheFolder& cache, const std::filesystem::path& entry, const FileDescriptor& found) {
  if (!cache.writable() || !is_same_folder(entry, found)) return;
  ::mkdir(cache.quarantine().c_str(), 0700);  // the rename says if it failed
  std::error_code ignored;                    // the entry stays damaged and is refused again
  std::filesystem::rename(entry, cache.quarantine() / staging_name(), ignored);
}

}  // namespace kmux
