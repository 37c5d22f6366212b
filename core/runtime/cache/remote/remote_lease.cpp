#include "remote_lease.h"

namespace kmux {

RemoteLease::RemoteLease(std::shared_ptr<LeaseRenewer> renewer, std::function<void()> renew,
                         std::chrono::milliseconds renew_every, std::function<void()> release)
    : renewer_(std::move(renewer)),
      release_(std::move(release)),
      number_(renewer_->add(std::move(renew), renew_every)) {}

RemoteLease::~RemoteLease() {
  renewer_->remove(number_);
  try {
    release_();
  } catch (...) {  // NOLINT(bugprone-empty-catch): it ends by itself
  }
}

}  // namespace kmux
