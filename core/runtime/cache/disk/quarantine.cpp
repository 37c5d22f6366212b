#include "quarantine.h"

#include <sys/stat.h>

#include "staging.h"

namespace kmux {

void put_into_quarantine(const CacheFolder& cache, const std::filesystem::path& entry, const FileDescriptor& found) {
  if (!cache.writable() || !found.is_at(entry)) return;
  ::mkdir(cache.quarantine().c_str(), 0700);  // the rename says if it failed
  std::error_code ignored;                    // the entry stays damaged and is refused again
  std::filesystem::rename(entry, cache.quarantine() / staging_name(), ignored);
}

}  // namespace kmux
