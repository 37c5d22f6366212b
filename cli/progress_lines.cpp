#include "progress_lines.h"

#include "style.h"

namespace kmux::cli {
namespace {

/// What became of the program; empty while it is not known.
std::string fate(const CompileProgress& event, const std::vector<std::string>& names) {
  switch (event.step) {
    case JobStep::kQueued:
    case JobStep::kStarted:
    case JobStep::kCompiling:
      break;
    case JobStep::kDone:
      if (event.same_as) return "the same as " + names[*event.same_as];
      if (event.from_cache) return "found in the cache (" + std::string(event.backend) + ")";
      return "compiled with " + std::string(event.backend) + " in " +
             duration_text(static_cast<double>(event.elapsed.count()));
    case JobStep::kFailed:
      return "failed: " + event.error->message;
    case JobStep::kCancelled:
      return "cancelled";
  }
  return {};
}

}  // namespace

void ProgressLines::show(const CompileProgress& event) {
  const std::string text = fate(event, names_);
  if (text.empty()) return;
  write_("[" + std::to_string(++ended_) + "/" + std::to_string(event.counts.total) + "] " + names_[event.index] + ": " +
         text + "\n");
}

}  // namespace kmux::cli
