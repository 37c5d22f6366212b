// SPDX-License-Identifier: Apache-2.0
#include "single_flight.h"

#include <unistd.h>
#include <utility>

namespace kmux {

SharedBuild::SharedBuild(std::uint64_t number) : number_(number), process_(::getpid()) {}

SingleFlight::Turn SingleFlight::join(const std::string& key) {
  const std::lock_guard guard(mutex_);
  std::shared_ptr<SharedBuild>& build = builds_[key];
  if (build != nullptr && build->process() == ::getpid()) return {build, false};
  build = std::make_shared<SharedBuild>(++count_);
  return {build, true};
}

const BuildOutcome& SingleFlight::complete(const std::string& key, SharedBuild& build, BuildOutcome outcome) {
  {
    const std::lock_guard guard(mutex_);
    const auto found = builds_.find(key);
    if (found != builds_.end() && found->second.get() == &build) builds_.erase(found);
  }
  build.promise_.set_value(std::move(outcome));
  return build.wait();
}

std::uint64_t SingleFlight::count() const {
  const std::lock_guard guard(mutex_);
  return count_;
}

}  // namespace kmux
