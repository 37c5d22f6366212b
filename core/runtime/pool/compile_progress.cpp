#include "kmux/par_compile.h"

namespace kmux {

std::string_view to_string(JobStep step) {
  switch (step) {
    case JobStep::kQueued:
      return "queued";
    case JobStep::kStarted:
      return "started";
    case JobStep::kCompiling:
      return "compiling";
    case JobStep::kDone:
      return "done";
    case JobStep::kFailed:
      return "failed";
    case JobStep::kCancelled:
      return "cancelled";
  }
  return "?";
}

}  // namespace kmux
