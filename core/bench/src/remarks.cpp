#include "remarks.h"

#include <algorithm>
#include <utility>

#include "kmux/plugin/words.h"

namespace kmux::bench {

std::vector<std::string> remarks_of(const Contest& contest) {
  std::vector<std::pair<std::string, std::vector<std::string>>> said;  // with those of whom it is said
  for (const Entrant& entrant : contest.entrants) {
    for (const std::string& remark : entrant.remarks) {
      auto found = std::ranges::find(said, remark, &std::pair<std::string, std::vector<std::string>>::first);
      if (found == said.end()) found = said.insert(said.end(), {remark, {}});
      found->second.push_back(entrant.backend);
    }
  }
  std::vector<std::string> remarks;
  remarks.reserve(said.size());
  for (const auto& [remark, names] : said) remarks.push_back(join(names) + ": " + remark);
  return remarks;
}

}  // namespace kmux::bench
