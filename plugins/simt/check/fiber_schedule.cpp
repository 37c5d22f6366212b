// The order in which blocks and their threads run.
#include <algorithm>
#include <numeric>
#include <utility>

#include "simt/check/fiber_block.h"

namespace kmux::simt {
namespace {

constexpr std::uint64_t kMaxResidents = 16384;  // threads that exist at the same time, each with a stack
constexpr unsigned kMaxClusterBlocks = 16;
constexpr unsigned kMaxIdleRounds = 64;  // of polls, before blocks that may end them begin
constexpr unsigned kMaxFruitless = 4;

std::uint64_t product_of(const unsigned (&extents)[3]) { return std::uint64_t{extents[0]} * extents[1] * extents[2]; }
unsigned product_of(const Index& extents) { return extents[0] * extents[1] * extents[2]; }

Index index_of(std::uint64_t number, const Index& extents) {
  const std::uint64_t row = number / extents[0];
  return {static_cast<unsigned>(number % extents[0]), static_cast<unsigned>(row % extents[1]),
          static_cast<unsigned>(row / extents[1])};
}

}  // namespace

Status FiberLaunch::check_clusters() const {
  const std::uint64_t blocks = std::uint64_t{cluster_[0]} * cluster_[1] * cluster_[2];
  bool divides = true;
  for (unsigned axis = 0; axis < 3; ++axis) divides = divides && launch_.grid[axis] % cluster_[axis] == 0;
  if (divides && blocks <= kMaxClusterBlocks) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "a cluster of " + to_string(cluster_) + " blocks (" +
                        (divides ? "there are at most 16" : "the grid is not a multiple of it in each dimension") +
                        "). Choose another extent.");
}

Status FiberLaunch::check_residents() const {
  const std::uint64_t blocks = product_of(launch_.grid);
  if (launch_.is_cooperative == 0 || blocks <= kMaxResidents / order_.size()) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "the grid is too large for a cooperative launch (" +
                                                     std::to_string(blocks) + " blocks of " +
                                                     std::to_string(order_.size()) +
                                                     " threads, which have a stack each; there are 16384). Use fewer "
                                                     "blocks, each of which does more.");
}

Status FiberLaunch::run_blocks() {
  order_.resize(product_of(launch_.block));
  std::iota(order_.begin(), order_.end(), 0U);
  KMUX_TRY(check_clusters());
  KMUX_TRY(check_residents());
  const std::uint64_t all = product_of(launch_.grid) / product_of(cluster_);
  std::uint64_t begun = 0;
  while (launch_.is_cooperative != 0 && begun < all) begin_group(begun++);
  while (begun < all || !groups_.empty()) {
    KMUX_TRY(check_interruption());
    if (groups_.empty()) begin_group(begun++);
    if (needs_more(run_groups(), begun < all)) begin_group(begun++);
  }
  return Ok{};
}

// Resumes threads that nothing else can resume. Returns true if there is none, and one of `has_more` groups should begin
// beside those that wait.
bool FiberLaunch::needs_more(Progress progress, bool has_more) {
  if (progress == Progress::kSome || groups_.empty()) {
    idle_rounds_ = 0;
    return false;
  }
  if (release_stuck(progress == Progress::kPolls)) return false;
  const std::uint64_t most = std::max<std::uint64_t>(1, kMaxResidents / order_.size() / product_of(cluster_));
  const bool may_begin = has_more && groups_.size() < most;
  if (!may_begin && progress == Progress::kNone) throw KernelFailure(waits_text());
  return may_begin;
}

// Runs each block of each group once, and drops the groups that have ended.
FiberLaunch::Progress FiberLaunch::run_groups() {
  Progress progress = Progress::kNone;
  for (const auto& group : groups_) {
    for (FiberBlock& block : group->blocks) {
      enter(block);
      progress = std::max(progress, run_block());
    }
  }
  drop_ended();
  return progress;
}

// Those of a cooperative launch stay: a barrier of the grid tells of their threads.
void FiberLaunch::drop_ended() {
  const auto has_ended = [](const auto& group) { return group->has_ended(); };
  if (launch_.is_cooperative != 0 && !std::ranges::all_of(groups_, has_ended)) return;
  for (auto& group : groups_) {
    if (has_ended(group)) idle_.push_back(std::move(group));
  }
  std::erase(groups_, nullptr);
}

// Resumes threads that nothing else can resume. Returns false if none is, and later blocks may help those that wait.
bool FiberLaunch::release_stuck(bool any_polls) {
  if (any_polls) return ++idle_rounds_ % kMaxIdleRounds != 0 || give_up_waits();
  return (launch_.is_cooperative != 0 && release_grid()) || give_up_waits();
}

// Answers "not yet" to threads that may do other work before they wait again. They do not when they only repeat the
// same wait.
bool FiberLaunch::give_up_waits() {
  fruitless_ = changes_ == changes_at_give_up_ ? fruitless_ + 1 : 0;
  changes_at_give_up_ = changes_;
  if (fruitless_ > kMaxFruitless) return false;
  bool any = false;
  for (const auto& group : groups_) {
    for (FiberBlock& block : group->blocks) {
      for (Thread& thread : block.threads) {
        if (thread.state != Thread::State::kWaiting || !thread.wait.may_give_up) continue;
        thread.state = Thread::State::kReady;
        thread.has_given_up = any = true;
      }
    }
  }
  return any;
}

Status FiberLaunch::check_interruption() {
  if (!interruption_.is_requested()) return Ok{};
  return make_error(ErrorCode::kCancelled, kInterruptionMessage);
}

std::unique_ptr<BlockGroup> FiberLaunch::new_group() {
  const unsigned blocks = product_of(cluster_);
  auto group = std::make_unique<BlockGroup>(blocks, layout_.bytes());
  if (kernel_.is_checked != 0)
    group->check = std::make_unique<ClusterCheck>(Actors(blocks, static_cast<unsigned>(order_.size())));
  for (unsigned rank = 0; rank < blocks; ++rank) {
    FiberBlock& block = group->blocks.emplace_back(FiberBlock{{}, layout_, group.get(), rank});
    block.memory.place_in(group->windows, rank);
    if (kernel_.is_checked != 0) block.check.emplace(kernel_, extents_, block.memory, findings_, *group, rank);
  }
  return group;
}

// Blocks of a cluster are neighbours: its first block has multiples of its extents as index.
Index FiberLaunch::index_in_grid(std::uint64_t group, unsigned rank) const {
  Index clusters;
  for (unsigned axis = 0; axis < 3; ++axis) clusters[axis] = launch_.grid[axis] / cluster_[axis];
  const Index begin = index_of(group, clusters);
  Index index = index_of(rank, cluster_);
  for (unsigned axis = 0; axis < 3; ++axis) index[axis] += begin[axis] * cluster_[axis];
  return index;
}

void FiberLaunch::begin_group(std::uint64_t number) {
  if (idle_.empty()) idle_.push_back(new_group());
  BlockGroup& group = *groups_.emplace_back(std::move(idle_.back()));
  idle_.pop_back();
  group.barrier = {.live = static_cast<unsigned>(order_.size() * group.blocks.size())};
  if (group.check) group.check->clear();
  for (FiberBlock& block : group.blocks) begin_block(block, index_in_grid(number, block.rank));
}

void FiberLaunch::begin_block(FiberBlock& block, const Index& index) {
  block.index = index;
  block.live = static_cast<unsigned>(order_.size());
  block.barriers = {};
  constexpr unsigned kThreadsOfGroup = kGroupWarps * kWarpLanes;
  block.products.assign((order_.size() + kThreadsOfGroup - 1) / kThreadsOfGroup, {});
  block.threads.clear();
  block.threads.resize(order_.size());
  const Index extents = {launch_.block[0], launch_.block[1], launch_.block[2]};
  for (unsigned i = 0; i < block.threads.size(); ++i) {
    Thread& thread = block.threads[i];
    thread.number = i;
    thread.index = index_of(i, extents);
    if (!block.check) continue;
    thread.clock =
        std::make_unique<ThreadClock>(block.group->check->actors.first_of_warp(block.rank, i), thread.lane());
  }
  enter(block);
  if (block.check) block.check->begin_block();
}

// Releases warp calls before barriers where no thread of a warp can run: a barrier waits for these threads, too.
FiberLaunch::Progress FiberLaunch::run_block() {
  for (std::size_t i = order_.size(); kernel_.seed != 0 && i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
  Progress all = Progress::kNone;
  for (bool goes_on = true; goes_on;) {
    const Progress progress = run_ready();
    const bool any_released = release_warps();  // others may poll for them in a loop
    goes_on = progress == Progress::kSome || any_released;
    if (progress == Progress::kNone && !goes_on) goes_on = release_barrier();
    all = std::max(all, goes_on ? Progress::kSome : progress);
  }
  return all;
}

FiberLaunch::Progress FiberLaunch::run_ready() {
  Progress progress = Progress::kNone;
  for (const unsigned number : order_) {
    Thread& thread = block_->threads[number];
    if (!thread.is_runnable()) continue;
    resume(thread);
    progress = std::max(progress, thread.only_polls ? Progress::kPolls : Progress::kSome);
  }
  return progress;
}

}  // namespace kmux::simt
