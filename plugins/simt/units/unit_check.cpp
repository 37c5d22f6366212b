#include "simt/units/unit_check.h"

#include "simt/check/mbarrier_state.h"

namespace kmux::simt {
namespace {

FiberLaunch& launch() { return FiberLaunch::current(); }
BlockGroup& group() { return *launch().block().group; }

const kmux_cpu_site* site() { return launch().thread().site; }

void add_finding(Finding::Kind kind, const std::string& problem, const std::string& why, const char* advice) {
  launch().findings().add({kind, site(), launch().thread().index, problem, why, advice});
}

void check_visible(const void* address, const CheckedMbarrier& known) {
  if (launch().thread().clock->is_after(known.init.actor, known.init.time)) return;
  const bool is_own = group().block_at(address)->rank == launch().block().rank;
  add_finding(Finding::Kind::kMbarrier, "uses an mbarrier before its initialisation is visible",
              place_in_shared(address) + ", initialised by " +
                  group().check->actors.text(known.init.actor, launch().block().rank) + " at " +
                  Findings::place(known.init.site),
              is_own ? "Put __syncthreads() between the two" : "Put a barrier of the cluster between the two");
}

void check_reuse(const std::uint64_t* barrier, const CheckedMbarrier& known) {
  const MbarrierState state = MbarrierState::read(*barrier);
  const bool is_begun = state.is_valid && (state.pending != state.expected || state.bytes != 0);
  if (!is_begun && known.waiting == 0) return;
  add_finding(Finding::Kind::kMbarrier, "initialises an mbarrier that is in use",
              place_in_shared(barrier) + ", " +
                  (known.waiting != 0 ? std::to_string(known.waiting) + " threads wait for it" : state.missing()) +
                  ", initialised at " + Findings::place(known.init.site),
              "Let its phase end, and all that wait for it pass, before");
}

Actor actor_of(WorkGroups& work, ActorKind kind) {
  const Thread& thread = launch().thread();
  if (work.actor == kNoActor) work.actor = group().check->actors.add({kind, launch().block().rank, thread.number});
  return work.actor;
}

// Checks an access of a unit in the shared memory of any block of the cluster.
void check_access(const UnitAccess& access, const char* address, std::uint64_t bytes) {
  FiberBlock* const block = group().block_at(address);
  if (block == nullptr) return;
  const Thread& thread = launch().thread();
  block->check->check_unit(thread, *thread.clock, access, address, bytes);
}

WarpGroupCheck& warp_group_of(const Thread& thread) {
  return group().check->groups[{launch().block().rank, thread.group()}];
}

void check_sequence(const Thread& first, std::string_view instruction) {
  const GroupStep other = warp_group_of(first).sequence.note(first.warp_of_group(), {first.site, instruction});
  if (other.site == first.site) return;
  launch().findings().add(
      {Finding::Kind::kGroup, first.site, first.index,
       "executes another " + std::string(instruction) + " than the other warps of its group of four",
       "they execute the " + std::string(other.instruction) + " at " + Findings::place(other.site),
       "Let all four warps take the same path"});
}

// The groups that have executed setmaxnreg must fit together, whatever the others have.
void check_register_file(const Thread& first) {
  constexpr unsigned kRegisters = 65536;  // of a multiprocessor of sm_90
  unsigned sum = 0;
  for (const auto& [of, state] : group().check->groups) {
    if (of.first == launch().block().rank) sum += state.registers * kGroupWarps * kWarpLanes;
  }
  if (sum <= kRegisters) return;
  launch().findings().add({Finding::Kind::kRegisters, first.site, first.index,
                           "asks by setmaxnreg for more registers than a block can have",
                           "its groups have " + std::to_string(sum) + " of " + std::to_string(kRegisters),
                           "Ask for fewer, or give some back in other groups first"});
}

}  // namespace

std::string place_in_shared(const void* address) {
  const FiberBlock* const block = group().block_at(address);
  const bool is_own = block == nullptr || block->rank == launch().block().rank;
  return "byte " + std::to_string(group().windows.offset_of(static_cast<const char*>(address))) + " of shared memory" +
         (is_own ? "" : " of block " + std::to_string(block->rank) + " of the cluster");
}

CheckedMbarrier* find_mbarrier(const void* address) {
  return is_checked() ? group().check->mbarriers.find(address) : nullptr;
}

CheckedMbarrier* use_mbarrier(const void* address) {
  CheckedMbarrier* const known = find_mbarrier(address);
  if (known != nullptr) check_visible(address, *known);
  return known;
}

void check_arrival(const void* address, CheckedMbarrier* known) {
  if (known == nullptr) return;
  const Thread& thread = launch().thread();
  group().block_at(address)->check->note_foreign(thread, thread.clock->actor(), thread.clock->now(), thread.site);
  known->clock.arrive(*thread.clock);
}

void check_init(std::uint64_t* barrier) {
  FiberBlock* const block = is_checked() ? group().block_at(barrier) : nullptr;
  if (block == nullptr) return;
  MbarrierTable& all = group().check->mbarriers;
  CheckedMbarrier* known = all.find(barrier);
  if (known != nullptr) check_reuse(barrier, *known);
  const std::uint64_t offset = group().windows.offset_of(reinterpret_cast<const char*>(barrier));
  block->check->shadow().note_mbarrier(offset, false);
  check_own_access(reinterpret_cast<char*>(barrier), sizeof *barrier, access_kind::kWrite);
  block->check->shadow().note_mbarrier(offset, true);
  const ThreadClock& clock = *launch().thread().clock;
  if (known == nullptr) {
    known = &all.at(barrier);
    known->copies = group().check->actors.add({ActorKind::kMbarrier, block->rank, static_cast<unsigned>(offset)});
  }
  ++known->phases;  // copies of the earlier mbarrier do not complete here
  known->init = {.time = clock.now(), .actor = clock.actor(), .site = site()};
  known->clock = {};
}

void check_invalidation(std::uint64_t* barrier) {
  FiberBlock* const block = is_checked() ? group().block_at(barrier) : nullptr;
  if (block == nullptr) return;
  const std::uint64_t offset = group().windows.offset_of(reinterpret_cast<const char*>(barrier));
  block->check->shadow().note_mbarrier(offset, false);
  check_own_access(reinterpret_cast<char*>(barrier), sizeof *barrier, access_kind::kWrite);
  group().check->mbarriers.erase(barrier);
}

void check_copy_write(const char* to, std::uint64_t bytes, const void* barrier, TileSwizzle swizzle) {
  const CheckedMbarrier* const known = find_mbarrier(barrier);
  if (known != nullptr) check_access({known->copies, known->now(), true, site(), swizzle}, to, bytes);
}

void check_copy_read(const char* from, std::uint64_t bytes, const void* barrier) {
  if (!is_checked() || group().block_at(from) == nullptr) return;
  if (barrier == nullptr) {
    WorkGroups& bulk = launch().thread().clock->bulk;
    const Actor actor = actor_of(bulk, ActorKind::kBulk);
    return check_access({actor, bulk.issue(site()), false, site()}, from, bytes);
  }
  const CheckedMbarrier* const known = find_mbarrier(barrier);
  if (known != nullptr) check_access({known->copies, known->now(), false, site()}, from, bytes);
}

void check_small_copy(const char* to, std::uint64_t bytes) {
  WorkGroups& copies = launch().thread().clock->copies;
  const Actor actor = actor_of(copies, ActorKind::kCopies);
  launch().check()->make_asynchronous({actor, copies.issue(site()), true, site()}, to, bytes);
}

void arrive_copies(const void* barrier) {
  CheckedMbarrier* const known = use_mbarrier(barrier);
  WorkGroups& copies = launch().thread().clock->copies;
  copies.commit();
  if (known != nullptr && copies.actor != kNoActor) known->clock.raise(copies.actor, copies.committed);
}

void check_product_reads(std::span<Thread* const> lanes, const ProductOperands& operands, const SharedWindow& window) {
  if (!is_checked()) return;
  const Thread& first = *lanes.front();
  check_sequence(first, "wgmma");
  ThreadClock all = *first.clock;
  Actor& actor = warp_group_of(first).products;
  if (actor == kNoActor) {
    actor = group().check->actors.add({ActorKind::kProducts, launch().block().rank, first.group()});
  }
  for (const Thread* const lane : lanes) {
    all.merge(*lane->clock);
    lane->clock->products.actor = actor;
    lane->clock->products.issue(first.site);
  }
  MemoryCheck& check = *launch().check();
  const MatrixProduct& product = *operands.product;
  const auto read = [&](std::uint64_t descriptor, const MatrixPart& part) {
    const UnitAccess access{first.clock->products.actor, first.clock->products.issued, false, first.site,
                            swizzle_of(descriptor)};
    for_each_chunk(window, descriptor, part,
                   [&](const char* chunk) { check.check_unit(first, all, access, chunk, kChunkBytes); });
  };
  const unsigned warp = first.warp_of_group();
  if (operands.a == nullptr)
    read(operands.a_descriptor, {product.a, product.is_a_mn_major, warp * product.m, product.m, packed(product).k});
  if (operands.b == nullptr) read(operands.b_descriptor, {product.b, product.is_b_mn_major, 0, product.n, product.k});
}

void check_registers(std::span<Thread* const> lanes, unsigned registers) {
  const Thread& first = *lanes.front();
  check_sequence(first, "setmaxnreg");
  warp_group_of(first).registers = registers;
  check_register_file(first);
}

char* check_own_access(char* address, std::uint64_t bytes, unsigned kind) {
  MemoryCheck* const check = launch().check();
  if (check == nullptr) return address;
  const Thread& thread = launch().thread();
  return check->check(thread, {address, address, bytes, 1, kind, 0, thread.site});
}

void arrive_clock(BarrierClock& barrier) {
  if (ThreadClock* const clock = launch().thread().clock.get()) barrier.arrive(*clock);
}

void acquire_clock(BarrierClock& barrier) {
  if (ThreadClock* const clock = launch().thread().clock.get()) clock->acquire(barrier);
}

}  // namespace kmux::simt
