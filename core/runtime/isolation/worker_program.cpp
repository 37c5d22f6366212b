#include "worker_program.h"

#include "kmux/plugin/words.h"

#include "system/own_folder.h"
#include "system/trust.h"

namespace kmux {

namespace fs = std::filesystem;

std::vector<fs::path> worker_places() {
  std::vector<fs::path> places;
  if (const fs::path own = own_folder(); !own.empty()) places.push_back(own / KMUX_WORKER_FROM_LIBRARY);
  places.emplace_back(KMUX_WORKER_INSTALLED);
  return places;
}

Result<fs::path> find_worker(const std::vector<fs::path>& places) {
  std::vector<std::string> looked_at;
  for (const fs::path& place : places) {
    std::error_code missing;
    const fs::path program = fs::canonical(place, missing);
    looked_at.push_back(place.lexically_normal().string());
    if (missing) continue;
    KMUX_TRY(check_trusted(program.parent_path()));
    KMUX_TRY(check_trusted(program));
    return program;
  }
  return make_error(ErrorCode::kUnavailable, "there is no kmux-worker (looked for " + join(looked_at) +
                                                 "). Install kmux as a whole, or leave isolation at \"none\".");
}

}  // namespace kmux
