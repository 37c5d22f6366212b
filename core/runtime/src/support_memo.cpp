#include "support_memo.h"

#include <algorithm>

namespace kmux {
namespace {

constexpr std::size_t kPrograms = 8;

}  // namespace

SupportMemo::Entry& SupportMemo::entry_of(const Program& program) {
  const auto known =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.program == program; });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
  } else {
    entries_.push_front({program, {}});
    if (entries_.size() > kPrograms) entries_.pop_back();
  }
  return entries_.front();
}

Result<std::vector<MissingFeature>> SupportMemo::ask(Plugin& plugin, const BuildRequest& request) {
  const Key key{plugin.manifest().name, request.variant, to_string(request.target), request.options};
  {
    const std::lock_guard lock(mutex_);
    const Entry& entry = entry_of(request.program);
    if (const auto known = entry.missing.find(key); known != entry.missing.end()) return known->second;
  }
  Result<std::vector<MissingFeature>> missing = plugin.backend().supports(request);
  if (!missing) return missing;
  const std::lock_guard lock(mutex_);
  entry_of(request.program).missing.emplace(key, *missing);
  return missing;
}

}  // namespace kmux
