#include "unpublished.h"

namespace kmux {

std::shared_ptr<const UnpublishedEntry> Unpublished::find(const std::string& key) const {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.lock();
}

void Unpublished::add(const std::string& key, const std::shared_ptr<const UnpublishedEntry>& entry) {
  const std::lock_guard guard(mutex_);
  std::erase_if(entries_, [](const auto& item) { return item.second.expired(); });
  entries_[key] = entry;
}

}  // namespace kmux
