// Barriers that count: mbarrier, named barriers, and that of a cluster.
#include <cstdlib>
#include <string>

#include "simt/check/fiber_block.h"
#include "simt/check/mbarrier_state.h"
#include "simt/units/cluster.h"
#include "simt/units/mbarrier.h"
#include "simt/units/unit_calls.h"
#include "simt/units/unit_check.h"

namespace kmux::simt {
namespace {

FiberLaunch& launch() { return FiberLaunch::current(); }

// Returns the place of the running thread's call, if the kernel is checked: " (at k.cu:12)".
std::string place() {
  const kmux_cpu_site* const site = launch().thread().site;
  return site == nullptr ? "" : " (at " + Findings::place(site) + ")";
}

/// The mbarrier at an address, which may be in another block of the cluster. Each operation stores its state.
class Mbarrier {
 public:
  /// Errors: throws KernelFailure if no mbarrier is there.
  explicit Mbarrier(void* address)
      : word_(*static_cast<std::uint64_t*>(address)),
        state_(MbarrierState::read(word_)),
        known_(use_mbarrier(address)) {
    if (state_.is_valid && (known_ != nullptr || !is_checked())) return;
    throw KernelFailure(
        "the mbarrier at " + place_in_shared(address) +
        " is not initialised (or what else lies there has overwritten it)" + place() +
        ". Initialise it, and let all that use it, also in other blocks of its cluster, wait at a barrier before.");
  }

  void arrive(std::uint32_t count) {
    if (count == 0 || count > state_.pending) {
      throw KernelFailure("an mbarrier gets more arrivals than its count (" + std::to_string(count) + " where " +
                          std::to_string(state_.pending) + " of " + std::to_string(state_.expected) +
                          " are missing, at " + place_in_shared(&word_) + ")" + place() +
                          ". Initialise it with the number of arrivals of a phase.");
    }
    state_.pending -= count;
    check_arrival(&word_, known_);
    store();
  }
  void expect(std::uint32_t bytes) {
    state_.bytes += static_cast<std::int32_t>(bytes);
    store();
  }
  void complete(std::uint32_t bytes) {
    state_.bytes -= static_cast<std::int32_t>(bytes);
    store();
  }
  void drop() {
    --state_.expected;
    arrive(1);
  }
  /// Returns the word as read: before an arrival, the token of its phase.
  std::uint64_t token() const { return word_; }
  /// Returns what checks know of it, or null.
  CheckedMbarrier* known() const { return known_; }

 private:
  void store() {
    if (std::abs(state_.bytes) > MbarrierState::kMaxBytes) {
      throw KernelFailure("an mbarrier counts " + std::to_string(state_.bytes) + " bytes (there are 1048575)" +
                          place() + ". Expect as many bytes as copies of the phase bring.");
    }
    const bool ends = state_.end_phase();
    word_ = state_.word();
    launch().note_change();
    if (ends && known_ != nullptr) known_->end_phase();
  }

  std::uint64_t& word_;
  MbarrierState state_;
  CheckedMbarrier* known_;
};

void init(void* barrier, std::uint32_t count) {
  if (count == 0 || count > MbarrierState::kMaxCount) {
    throw KernelFailure("an mbarrier is initialised with " + std::to_string(count) +
                        " arrivals (there are 1 to 1048575)" + place() + ". Give the number of arrivals of a phase.");
  }
  check_init(static_cast<std::uint64_t*>(barrier));
  *static_cast<std::uint64_t*>(barrier) = MbarrierState{.is_valid = true, .pending = count, .expected = count}.word();
}

void invalidate(void* barrier) {
  [[maybe_unused]] const Mbarrier known(barrier);  // one must be there
  check_invalidation(static_cast<std::uint64_t*>(barrier));
  *static_cast<std::uint64_t*>(barrier) = 0;
}

std::uint64_t arrive(void* barrier, std::uint32_t count) {
  Mbarrier known(barrier);
  const std::uint64_t token = known.token();
  known.arrive(count);
  return token;
}

std::uint64_t arrive_drop(void* barrier) {
  Mbarrier known(barrier);
  const std::uint64_t token = known.token();
  known.drop();
  return token;
}

void expect(void* barrier, std::uint32_t bytes) { Mbarrier(barrier).expect(bytes); }
void complete(void* barrier, std::uint32_t bytes) { Mbarrier(barrier).complete(bytes); }

// Waits for a phase, but not for ever. Returns true if it has ended.
bool try_wait(const Wait& wait, CheckedMbarrier* known) {
  if (known != nullptr) ++known->waiting;
  const bool is_over = launch().wait_for(wait);
  known = find_mbarrier(wait.word);
  if (known != nullptr && known->waiting > 0) --known->waiting;
  return is_over;
}

// Returns true if the phase is over. `tries`: waits for it.
bool is_over(const Wait& wait, bool tries, CheckedMbarrier* known) {
  if (wait.is_over()) return true;
  if (tries) return try_wait(wait, known);
  launch().yield();
  return wait.is_over();
}

// Returns 1 if the phase with the parity of `token` has ended.
unsigned wait(void* barrier, std::uint64_t token, unsigned tries) {
  const Mbarrier known(barrier);
  const Wait wait{.kind = Wait::Kind::kMbarrier,
                  .may_give_up = true,
                  .word = static_cast<const std::uint64_t*>(barrier),
                  .mask = kPhaseBit,
                  .unlike = token & kPhaseBit};
  if (!is_over(wait, tries != 0, known.known())) return 0;
  if (CheckedMbarrier* const checked = find_mbarrier(barrier)) acquire_clock(checked->clock);
  return 1;
}

unsigned pending(std::uint64_t token) { return MbarrierState::read(token).pending; }

// Counts the running thread at barrier `number` of its block. Returns its generation before that.
std::uint64_t arrive_at(unsigned number, unsigned threads, unsigned predicate) {
  FiberBlock& block = launch().block();
  if (number >= NamedBarriers::kCount || threads % kWarpLanes != 0) {
    throw KernelFailure("barrier " + std::to_string(number) + " of " + std::to_string(threads) +
                        " threads (there are barriers 0 to 15, of multiples of 32 threads)" + place() +
                        ". Choose another one.");
  }
  const std::uint64_t generation = block.barriers[number].generation;
  arrive_clock(block.barriers[number].clock);
  if (block.barriers.arrive(number, threads, block.live, predicate != 0)) {
    launch().note_change();
  }
  return generation;
}

void wait_at(unsigned number, std::uint64_t generation) {
  launch().wait_for({.kind = Wait::Kind::kNamedBarrier,
                     .word = &launch().block().barriers[number].generation,
                     .mask = ~std::uint64_t{0},
                     .unlike = generation});
  acquire_clock(launch().block().barriers[number].clock);
}

void sync_named(unsigned number, unsigned threads) { wait_at(number, arrive_at(number, threads, 1)); }
void arrive_named(unsigned number, unsigned threads) { arrive_at(number, threads, 1); }

// Returns how many threads came with the predicate. `all`: 1 if each of them did, else 0.
unsigned reduce_named(unsigned number, unsigned threads, unsigned predicate, unsigned all) {
  wait_at(number, arrive_at(number, threads, predicate));
  const NamedBarriers::Barrier& barrier = launch().block().barriers[number];
  if (all == 0) return barrier.last_with_predicate;
  return barrier.last_with_predicate == barrier.last_arrived ? 1 : 0;
}

void arrive_cluster() {
  Thread& thread = launch().thread();
  ClusterBarrier& barrier = launch().block().group->barrier;
  thread.has_arrived = true;
  thread.cluster_generation = barrier.generation;
  arrive_clock(barrier.clock);
  if (barrier.arrive()) launch().note_change();
}

void wait_cluster() {
  Thread& thread = launch().thread();
  if (!thread.has_arrived) {
    throw KernelFailure("a thread waits at the barrier of its cluster before it arrives there" + place() +
                        ". Arrive first.");
  }
  thread.has_arrived = false;
  launch().wait_for({.kind = Wait::Kind::kCluster,
                     .word = &launch().block().group->barrier.generation,
                     .mask = ~std::uint64_t{0},
                     .unlike = thread.cluster_generation});
  acquire_clock(launch().block().group->barrier.clock);
}

char* map_rank(const char* address, unsigned rank) { return peer_address(address, rank); }

unsigned rank_of(const char* address) {
  const FiberBlock* const block = launch().block().group->block_at(address);
  return block == nullptr ? 0 : block->rank;
}

unsigned is_shared(const char* address, unsigned of_cluster) {
  FiberBlock& own = launch().block();
  const bool is_of_cluster = own.group->block_at(address) != nullptr;
  return is_of_cluster && (of_cluster != 0 || own.memory.has(address)) ? 1 : 0;
}

}  // namespace

void complete_transaction(void* barrier, std::uint32_t bytes) { complete(barrier, bytes); }

char* peer_address(const void* own, unsigned rank) {
  const SharedWindows& windows = launch().block().group->windows;
  const char* const address = static_cast<const char*>(own);
  if (rank >= windows.count() || !windows.has(address)) {
    throw KernelFailure("no block " + std::to_string(rank) + " of the cluster has that shared memory (a cluster of " +
                        std::to_string(windows.count()) + ")" + place() +
                        ". Launch larger clusters, or take another rank.");
  }
  return windows.window(rank) + windows.offset_of(address);
}

std::span<const UnitCall> barrier_calls() {
  static const UnitCall calls[] = {
      unit_call_of("kmux.unit.mbarrier.init", &init),
      unit_call_of("kmux.unit.mbarrier.inval", &invalidate),
      unit_call_of("kmux.unit.mbarrier.arrive", &arrive),
      unit_call_of("kmux.unit.mbarrier.arrive_drop", &arrive_drop),
      unit_call_of("kmux.unit.mbarrier.expect", &expect),
      unit_call_of("kmux.unit.mbarrier.complete", &complete),
      unit_call_of("kmux.unit.mbarrier.wait", &wait),
      unit_call_of("kmux.unit.mbarrier.pending", &pending),
      unit_call_of("kmux.unit.barrier.sync", &sync_named),
      unit_call_of("kmux.unit.barrier.arrive", &arrive_named),
      unit_call_of("kmux.unit.barrier.reduce", &reduce_named),
      unit_call_of("kmux.unit.cluster.arrive", &arrive_cluster),
      unit_call_of("kmux.unit.cluster.wait", &wait_cluster),
      unit_call_of("kmux.unit.cluster.map", &map_rank),
      unit_call_of("kmux.unit.cluster.rank", &rank_of),
      unit_call_of("kmux.unit.cluster.is_shared", &is_shared),
  };
  return calls;
}

}  // namespace kmux::simt
