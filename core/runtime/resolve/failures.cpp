#include "failures.h"

#include "isolation/failed_calls.h"
#include "system/compile_scope.h"

namespace kmux {

Blame blame_of(const Error& error) {
  if (error.note(kCalledOffNote) || error.note("worker") == kKilledWorker) return Blame::kNobody;
  switch (error.code) {
    case ErrorCode::kCompileFailed:
      return error.note("worker") ? Blame::kBackend : Blame::kSources;
    case ErrorCode::kUnavailable:
    case ErrorCode::kInternal:
      return Blame::kBackend;
    default:
      return Blame::kNobody;
  }
}

void Failures::note(const Pairing& pairing, const Error& error) {
  const Blame blame = blame_of(error);
  if (blame == Blame::kNobody) return;
  const std::lock_guard lock(mutex_);
  const auto now = now_();
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.until <= now; });
  entries_.insert_or_assign(pairing, Entry{error.message, blame, now + kFailureTime});
}

std::optional<Quarantine> Failures::find(const Pairing& pairing, bool in_background) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(pairing);
  if (found == entries_.end() || (found->second.blame == Blame::kSources && !in_background)) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::seconds>(found->second.until - now_());
  if (left <= std::chrono::seconds(0)) return std::nullopt;
  return Quarantine{found->second.reason, left};
}

bool Failures::empty() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty();
}

}  // namespace kmux
