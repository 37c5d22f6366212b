#include "kernel_headers.h"

#include <algorithm>

#include "cache/disk/cache_entry.h"

namespace kmux {
namespace {

Result<DependencyState> state_of(const Artifact& artifact, FileTime began) {
  KMUX_ASSIGN(const Dependencies dependencies, dependencies_of(artifact));
  return capture(dependencies, began, FileContents::kLeft);
}

/// Compares two states without their digests, since one of them may be hashed already.
bool is_same_state(const DependencyState& a, const DependencyState& b) {
  const auto is_same_file = [](const DependencyState::File& x, const DependencyState::File& y) {
    return x.path == y.path && x.identity == y.identity;
  };
  return a.machine == b.machine && a.folders == b.folders && std::ranges::equal(a.files, b.files, is_same_file);
}

}  // namespace

KernelHeaders::KernelHeaders(const Artifact& artifact, FileTime began) : began_(began) {
  Result<DependencyState> state = state_of(artifact, began);
  is_known_ = state.ok();
  has_any_ = !is_known_ || !state->empty();
  if (state && !state->empty()) keep(*std::move(state));
}

void KernelHeaders::add_file(const std::string& path) {
  Result<DependencyState> state = capture({.files = {path}}, began_, FileContents::kLeft);
  if (state) return keep(*std::move(state));
  is_known_ = false;
  has_any_ = true;
}

Status KernelHeaders::add(const Artifact& other) {
  KMUX_ASSIGN(DependencyState state, state_of(other, began_));
  // Its files have not changed since, but a header of the kernel may have been removed, so that this code read another
  // one.
  if (!are_unchanged()) {
    return make_error(ErrorCode::kUnavailable, "a header changed since the kernel was compiled. Compile it again.");
  }
  if (!state.empty()) keep(std::move(state));
  return Ok{};
}

void KernelHeaders::keep(DependencyState state) {
  const auto kept = std::make_shared<const DependencyState>(std::move(state));
  const auto is_known = [&](const auto& known) { return is_same_state(*known, *kept); };
  const std::lock_guard lock(mutex_);
  if (std::ranges::any_of(*states_, is_known)) return;
  States more = *states_;
  more.push_back(kept);
  states_ = std::make_shared<const States>(std::move(more));
  has_any_.store(true, std::memory_order_release);
}

/// Returns a snapshot, so that the file system is not read under the lock.
std::shared_ptr<const KernelHeaders::States> KernelHeaders::states() const {
  const std::lock_guard lock(mutex_);
  return states_;
}

bool KernelHeaders::look() const {
  if (!is_known_) return false;
  return std::ranges::none_of(*states(), [](const auto& state) { return find_change(*state).has_value(); });
}

void KernelHeaders::hash() {
  const std::shared_ptr<const States> known = states();
  for (const std::shared_ptr<const DependencyState>& state : *known) {
    DependencyState hashed = *state;
    hash_contents(hashed);
    const auto kept = std::make_shared<const DependencyState>(std::move(hashed));
    const std::lock_guard lock(mutex_);
    States all = *states_;
    std::ranges::replace(all, state, kept);
    states_ = std::make_shared<const States>(std::move(all));
  }
}

}  // namespace kmux
