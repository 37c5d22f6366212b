#include "shared_arguments.h"

#include <algorithm>

namespace kmux::bench {

Result<CallArguments*> SharedArguments::on(const Device& device) {
  const auto found = std::ranges::find(sets_, device, &Set::device);
  if (found != sets_.end()) return found->arguments.get();
  KMUX_ASSIGN(CallArguments made, CallArguments::make(program_, inputs_, binding_, device));
  sets_.push_back({device, std::make_unique<CallArguments>(std::move(made))});
  return sets_.back().arguments.get();
}

}  // namespace kmux::bench
