#include "simt/check/memory_check.h"

#include <algorithm>
#include <cstring>

#include "simt/check/block_group.h"
#include "simt/check/race_text.h"

namespace kmux::simt {
namespace {

constexpr std::uint64_t kLineBytes = 64;
constexpr int kSpoiled = 0xcb;

constexpr std::uint64_t kDynamicAlignment = 1024;  // bytes: swizzled copies of tensors take multiples

std::uint64_t in_lines(std::uint64_t bytes) { return (bytes + kLineBytes - 1) / kLineBytes; }

}  // namespace

SharedMemory::SharedMemory(const kmux_cpu_fiber_kernel& kernel, std::uint64_t dynamic_bytes) {
  const std::uint64_t between = kernel.is_checked != 0 ? 2 : 0;  // lines
  std::uint64_t end = between;
  const auto add = [&](const char* name, std::uint64_t bytes, std::uint64_t alignment) {
    const std::uint64_t step = in_lines(alignment);
    end = (end + step - 1) / step * step;
    variables_.push_back({name, end * kLineBytes, bytes});
    if (bytes == 0) return;
    end += in_lines(bytes) + between;
    asked_bytes_ += in_lines(bytes) * kLineBytes;
  };
  for (std::uint64_t i = 0; i < kernel.shared_count; ++i) {
    const kmux_cpu_variable& variable = kernel.shared[i];
    add(variable.name, variable.bytes, variable.alignment);
  }
  add("", dynamic_bytes, kDynamicAlignment);
  bytes_ = (end + 1) * kLineBytes;
}

void SharedMemory::place_in(const SharedWindows& windows, std::size_t number) {
  windows_ = &windows;
  begin_ = windows.window(number);
}

void SharedMemory::spoil() { std::memset(begin(), kSpoiled, bytes()); }

const SharedMemory::Variable* SharedMemory::find(std::uint64_t offset, std::uint64_t bytes) const {
  for (const Variable& variable : variables_) {
    if (offset >= variable.begin && offset - variable.begin < variable.bytes &&
        bytes <= variable.bytes - (offset - variable.begin)) {
      return &variable;
    }
  }
  return nullptr;
}

const SharedMemory::Variable& SharedMemory::nearest(std::uint64_t offset) const {
  const auto distance = [&](const Variable& variable) {
    if (offset < variable.begin) return variable.begin - offset;
    return offset - variable.begin < variable.bytes ? 0 : offset - variable.begin - variable.bytes;
  };
  const Variable* best = &variables_.back();
  for (const Variable& variable : variables_) {
    if (variable.bytes != 0 && (best->bytes == 0 || distance(variable) < distance(*best))) best = &variable;
  }
  return *best;
}

namespace {

constexpr std::uintptr_t kNullBytes = 4096;  // lower addresses come from a null pointer
constexpr std::size_t kWidestAlignment = 64;

std::uintptr_t place_of(const char* address) { return reinterpret_cast<std::uintptr_t>(address); }

bool contains(const kmux_cpu_extent& extent, const char* address, std::uint64_t bytes) {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(extent.begin);
  if (place_of(address) < begin || place_of(address) - begin > extent.bytes) return false;
  return bytes <= extent.bytes - (place_of(address) - begin);
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

// Returns "reads 4 bytes".
std::string access_text(const MemoryAccess& access) {
  return std::string(access.verb()) + " " + bytes_text(access.bytes);
}

std::string shared_name(const SharedMemory::Variable& variable) {
  return variable.name.empty() ? "the dynamic shared memory" : "shared variable \"" + variable.name + "\"";
}

}  // namespace

MemoryCheck::MemoryCheck(const kmux_cpu_fiber_kernel& kernel, std::span<const kmux_cpu_extent> extents,
                         SharedMemory& shared, Findings& findings, BlockGroup& group, unsigned rank)
    : shared_(shared), findings_(findings), group_(group), rank_(rank) {
  for (const auto& some : {extents, std::span(kernel.globals, kernel.global_count)}) {
    for (const kmux_cpu_extent& extent : some) {
      if (extent.bytes == kmux_cpu_any) {
        all_known_ = false;
      } else if (extent.begin != nullptr) {
        known_.push_back(extent);
      }
    }
  }
  shadow_.resize(shared.bytes(), group.windows.count() == 1);
}

void MemoryCheck::begin_block() {
  shared_.spoil();
  shadow_.begin_block();
  foreign_.clear();
}

char* MemoryCheck::nowhere(std::uint64_t bytes) {
  nowhere_.assign(bytes / sizeof(std::max_align_t) + 1 + kWidestAlignment, {});
  char* const begin = reinterpret_cast<char*>(nowhere_.data());
  return begin + (kWidestAlignment - place_of(begin) % kWidestAlignment) % kWidestAlignment;
}

void MemoryCheck::report(Finding::Kind kind, const Thread& thread, const MemoryAccess& access, const std::string& rest,
                         const std::string& why, const std::string& advice) {
  findings_.add({kind, access.site, thread.index, access_text(access) + " " + rest, why, advice});
}

void MemoryCheck::report_outside(const Thread& thread, const MemoryAccess& access, const std::string& name,
                                 const char* begin, std::uint64_t bytes) {
  if (findings_.count_known(Finding::Kind::kOutside, access.site)) return;
  const bool is_before = place_of(access.address) < place_of(begin);
  const std::uint64_t offset =
      is_before ? place_of(begin) - place_of(access.address) : place_of(access.address) - place_of(begin);
  report(Finding::Kind::kOutside, thread, access,
         is_before ? bytes_text(offset) + " before " + name : "at byte " + std::to_string(offset) + " of " + name,
         "it has " + bytes_text(bytes), "Compare the index with the extent before that");
}

char* MemoryCheck::check(const Thread& thread, const MemoryAccess& access) {
  if (access.bytes == 0 || is_sound(thread, access)) return const_cast<char*>(access.address);
  return nowhere(access.bytes);
}

char* MemoryCheck::check_variable(const Thread& thread, const MemoryAccess& access, std::uint64_t bytes) {
  const bool is_within = access.bytes <= bytes && access.address >= access.base &&
                         static_cast<std::uint64_t>(access.address - access.base) <= bytes - access.bytes;
  if (access.bytes == 0 || is_within) return const_cast<char*>(access.address);
  report_outside(thread, access, "a variable of the thread or of the sources", access.base, bytes);
  return nowhere(access.bytes);
}

// Returns which bytes of `access` no thread wrote, if it lies in a shared variable; else nothing.
std::vector<bool> MemoryCheck::unwritten(const MemoryAccess& access) const {
  if (!shared_.has(access.address)) return {};
  const std::uint64_t offset = shared_.offset_of(access.address);
  if (shared_.find(offset, access.bytes) == nullptr) return {};
  std::vector<bool> bytes(access.bytes);
  for (std::uint64_t i = 0; i < access.bytes; ++i) bytes[i] = !shadow_.is_written(offset + i);
  return bytes;
}

bool MemoryCheck::check_copy(const Thread& thread, const MemoryAccess& from, const MemoryAccess& to) {
  const std::vector<bool> nothing = shared_.has(to.address) ? unwritten(from) : std::vector<bool>();
  const bool may_read = check(thread, from) == from.address;
  const bool may_write = check(thread, to) == to.address;
  if (!may_read || !may_write) return false;
  for (std::uint64_t i = 0; i < nothing.size(); ++i) {
    if (nothing[i]) shadow_.note_nothing(shared_.offset_of(to.address) + i);
  }
  return true;
}

void MemoryCheck::check_record(const Thread& thread, const MemoryAccess& from, const char* to) {
  if (shared_.has(to)) return;
  const std::vector<bool> nothing = unwritten(from);
  if (nothing.empty() || std::ranges::find(nothing, false) != nothing.end()) return;
  const std::uint64_t offset = shared_.offset_of(from.address);
  report_unwritten(thread, from, *shared_.find(offset, 1), offset);
}

bool MemoryCheck::is_sound(const Thread& thread, const MemoryAccess& access) {
  if (place_of(access.address) < kNullBytes) {
    report(Finding::Kind::kNull, thread, access, "at a null pointer", "", "Pass a tensor, or test the pointer");
    return false;
  }
  if (place_of(access.address) % access.alignment != 0) {
    report(Finding::Kind::kMisaligned, thread, access, "at a misaligned address",
           "its type asks for multiples of " + std::to_string(access.alignment), "Access it by a smaller type");
    return false;
  }
  if (shared_.has(access.base) || shared_.has(access.address)) return check_shared(thread, access);
  if (shared_.is_of_peer(access.address)) return group_.block_at(access.address)->check->check_peer(thread, access);
  return thread.fiber->owns(access.address) || check_global(thread, access);
}

bool MemoryCheck::check_shared(const Thread& thread, const MemoryAccess& access) {
  const std::uint64_t offset = shared_.offset_of(access.address);
  const SharedMemory::Variable* const inside =
      shared_.has(access.address) ? shared_.find(offset, access.bytes) : nullptr;
  const SharedMemory::Variable* const meant =
      shared_.has(access.base) ? shared_.find(shared_.offset_of(access.base), 1) : nullptr;
  if (inside == nullptr || (meant != nullptr && inside != meant)) {
    const std::uint64_t near = shared_.has(access.base) ? shared_.offset_of(access.base) : offset;
    const SharedMemory::Variable& variable = meant != nullptr ? *meant : shared_.nearest(near);
    report_outside(thread, access, shared_name(variable), shared_.begin() + variable.begin, variable.bytes);
    return false;
  }
  note_shared(thread, access, *inside);
  return true;
}

namespace {

constexpr const char* kWaitForCluster = "Let all blocks wait at a barrier of the cluster before they end";

}  // namespace

void MemoryCheck::note_foreign(const Thread& thread, Actor actor, Time time, const kmux_cpu_site* site) {
  const unsigned rank = group_.check->actors.name_of(thread.clock->actor()).rank;
  if (rank == rank_) return;
  foreign_[actor] = {time, site, group_.blocks[rank].index, thread.index};
  if (group_.blocks[rank_].live != 0) return;
  findings_.add({Finding::Kind::kEnded, site, thread.index,
                 "uses shared memory of a block of its cluster that has ended",
                 "block " + std::to_string(rank_) + " of the cluster", kWaitForCluster});
}

void MemoryCheck::end_block() {
  if (foreign_.empty()) return;
  FiberBlock& block = group_.blocks[rank_];
  BarrierClock known;
  for (Thread& thread : block.threads) known.arrive(*thread.clock);
  for (const auto& [actor, access] : foreign_) {
    if (known.has(actor, access.time)) continue;
    findings_.set_block(access.block);
    findings_.add({Finding::Kind::kEnded, access.site, access.thread,
                   "uses shared memory of a block of its cluster that may have ended",
                   "nothing in block " + std::to_string(rank_) + " of the cluster waits for it", kWaitForCluster});
  }
  findings_.set_block(block.index);
}

// Checks an access of a thread of another block of the cluster.
bool MemoryCheck::check_peer(const Thread& thread, const MemoryAccess& access) {
  note_foreign(thread, thread.clock->actor(), thread.clock->now(), access.site);
  const std::uint64_t offset = shared_.offset_of(access.address);
  const SharedMemory::Variable* const variable = shared_.find(offset, access.bytes);
  if (variable == nullptr) {
    const SharedMemory::Variable& near = shared_.nearest(offset);
    report_outside(thread, access, name_of(near, thread), shared_.begin() + near.begin, near.bytes);
    return false;
  }
  note_shared(thread, access, *variable);
  return true;
}

std::string MemoryCheck::name_of(const SharedMemory::Variable& variable, const Thread& thread) const {
  const bool is_own = group_.check->actors.name_of(thread.clock->actor()).rank == rank_;
  return shared_name(variable) + (is_own ? "" : " of block " + std::to_string(rank_) + " of the cluster");
}

void MemoryCheck::note_shared(const Thread& thread, const MemoryAccess& access,
                              const SharedMemory::Variable& variable) {
  const SharedShadow::Verdict verdict =
      shadow_.note(*thread.clock, access, shared_.offset_of(access.address), access.address);
  if (verdict.unwritten) report_unwritten(thread, access, variable, *verdict.unwritten);
  if (verdict.conflict) report_conflict(thread, access, variable, *verdict.conflict);
  if (verdict.mbarrier)
    report_mbarrier(thread, access.site, access_text(access) + " of " + name_of(variable, thread), *verdict.mbarrier);
}

void MemoryCheck::report_unwritten(const Thread& thread, const MemoryAccess& access,
                                   const SharedMemory::Variable& variable, std::uint64_t offset) {
  if (findings_.count_known(Finding::Kind::kUninitialised, access.site)) return;
  report(Finding::Kind::kUninitialised, thread, access, "of " + name_of(variable, thread) + " that no thread wrote",
         "byte " + std::to_string(offset - variable.begin), "Write it before that");
}

void MemoryCheck::report_conflict(const Thread& thread, const MemoryAccess& access,
                                  const SharedMemory::Variable& variable, const SharedShadow::Conflict& conflict) {
  // Within a warp: a barrier of the block might wait forever for the other warps.
  constexpr const char* kOfWarp = "Put __syncwarp() between the two";
  constexpr const char* kOfBlock = "Put __syncthreads() between the two, where all threads of the block come";
  constexpr const char* kOfCluster = "Put a barrier of the cluster between the two";
  const Actors& actors = group_.check->actors;
  if (conflict.before.is_asynchronous) {
    const std::string what = access_text(access) + " of " + name_of(variable, thread);
    return report_unit(Finding::Kind::kUnit, thread, access.site, what, conflict, variable);
  }
  const ActorName own = actors.name_of(thread.clock->actor()), other = actors.name_of(conflict.before.actor);
  const bool same_block = own.rank == other.rank;
  const bool same_warp = same_block && own.number / kWarpLanes == other.number / kWarpLanes;
  const char* const advice = same_warp ? kOfWarp : same_block ? kOfBlock : kOfCluster;
  if (findings_.count_known(Finding::Kind::kRace, access.site, same_warp ? nullptr : advice)) return;
  const RaceText text = race_text(conflict.before, conflict.was_write, actors, own.rank);
  report(Finding::Kind::kRace, thread, access, "of " + name_of(variable, thread) + " that " + text.clause,
         "byte " + std::to_string(conflict.byte - variable.begin) + ", " + text.where, advice);
}

// Reports that `access`, as "reads 4 bytes of shared variable "s"", is not ordered after that of a unit, or one of a unit
// after another access.
void MemoryCheck::report_unit(Finding::Kind kind, const Thread& thread, const kmux_cpu_site* site,
                              const std::string& access, const SharedShadow::Conflict& conflict,
                              const SharedMemory::Variable& variable) {
  if (findings_.count_known(kind, site)) return;
  const Actors& actors = group_.check->actors;
  const unsigned rank = actors.name_of(thread.clock->actor()).rank;
  const RaceText text = kind == Finding::Kind::kUnfenced ? unfenced_text(conflict.before, actors, rank)
                                                         : race_text(conflict.before, conflict.was_write, actors, rank);
  findings_.add({kind, site, thread.index, access + " that " + text.clause,
                 "byte " + std::to_string(conflict.byte - variable.begin) + ", " + text.where, text.advice});
}

void MemoryCheck::report_mbarrier(const Thread& thread, const kmux_cpu_site* site, const std::string& access,
                                  std::uint64_t offset) {
  if (findings_.count_known(Finding::Kind::kMbarrier, site)) return;
  const CheckedMbarrier* const barrier = group_.check->mbarriers.find(shared_.begin() + offset);
  const std::string place = barrier == nullptr ? "" : ", initialised at " + Findings::place(barrier->init.site);
  findings_.add({Finding::Kind::kMbarrier, site, thread.index, access + " where an mbarrier is in use",
                 "byte " + std::to_string(offset) + " of shared memory" + place,
                 "Invalidate it before (mbarrier.inval), or use other memory"});
  shadow_.note_mbarrier(offset, false);
}

void MemoryCheck::make_asynchronous(const UnitAccess& access, const char* address, std::uint64_t bytes) {
  const std::uint64_t offset = shared_.offset_of(address);
  if (shared_.has(address) && shared_.find(offset, bytes) != nullptr) shadow_.make_asynchronous(access, offset, bytes);
}

void MemoryCheck::check_unit(const Thread& thread, const ThreadClock& issuer, const UnitAccess& access,
                             const char* address, std::uint64_t bytes) {
  const std::uint64_t offset = shared_.offset_of(address);
  const SharedMemory::Variable* const variable = shared_.find(offset, bytes);
  note_foreign(thread, access.actor, access.time, access.site);
  if (variable == nullptr) return;
  const SharedShadow::Verdict verdict = shadow_.note_unit(issuer, access, offset, bytes);
  if (!verdict.conflict && !verdict.unfenced && !verdict.swizzle && !verdict.mbarrier) return;
  const std::string what = unit_verb(group_.check->actors.name_of(access.actor).kind, access.is_write) + " " +
                           bytes_text(bytes) + " of " + name_of(*variable, thread);
  using enum Finding::Kind;
  if (verdict.conflict) report_unit(kUnit, thread, access.site, what, *verdict.conflict, *variable);
  if (verdict.unfenced) report_unit(kUnfenced, thread, access.site, what, *verdict.unfenced, *variable);
  if (verdict.mbarrier) report_mbarrier(thread, access.site, what, *verdict.mbarrier);
  if (verdict.swizzle && !findings_.count_known(kSwizzle, access.site)) {
    findings_.add({kSwizzle, access.site, thread.index, what + " with another swizzle than its tile has",
                   swizzle_text(access.swizzle) + " instead of " + swizzle_text(*verdict.swizzle),
                   "Give the tensor map and the descriptor the same one"});
  }
}

// Returns the extent that the address was computed from: also one that begins where another ends, or has no bytes.
const kmux_cpu_extent* MemoryCheck::computed_from(const MemoryAccess& access) const {
  const kmux_cpu_extent* meant = nullptr;
  for (const kmux_cpu_extent& extent : known_) {
    if (contains(extent, access.base, 0) || contains(extent, access.address, 1)) meant = &extent;
  }
  return meant;
}

bool MemoryCheck::check_global(const Thread& thread, const MemoryAccess& access) {
  const kmux_cpu_extent* meant = nullptr;
  for (const kmux_cpu_extent& extent : known_) {
    const bool has_base = contains(extent, access.base, 1);
    if (has_base && contains(extent, access.address, access.bytes)) return true;
    if (has_base) meant = &extent;
  }
  if (meant == nullptr) {
    const auto has_all = [&](const auto& extent) { return contains(extent, access.address, access.bytes); };
    if (!all_known_ || std::ranges::any_of(known_, has_all)) return true;
    meant = computed_from(access);
  }
  if (meant != nullptr) {
    report_outside(thread, access, "\"" + std::string(meant->name) + "\"", static_cast<const char*>(meant->begin),
                   meant->bytes);
    return false;
  }
  report(Finding::Kind::kOutside, thread, access, "outside all memory of the launch",
         "no tensor, workspace or variable is there", "Compare the index with the extent before that");
  return false;
}

}  // namespace kmux::simt
