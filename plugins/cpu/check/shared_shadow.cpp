#include "check/shared_shadow.h"

#include <cstring>

namespace kmux::cpu {

// Between two barriers of the block only __syncwarp orders what threads do, and only within a warp.
bool SharedShadow::is_concurrent(const Touch& before, const Thread& thread, bool is_atomic) const {
  if (before.epoch != epoch_ || before.thread == thread.number) return false;
  if (before.is_atomic && is_atomic) return false;
  const bool same_warp = before.thread / kWarpLanes == thread.number / kWarpLanes;
  return !same_warp || thread.seen[before.thread % kWarpLanes] < before.time;
}

// Writes of the same value agree, whichever comes last: `is_same`.
const SharedShadow::Touch* SharedShadow::conflict_of(const Cell& cell, const Thread& thread, const MemoryAccess& access,
                                                     bool is_same) const {
  const bool is_atomic = access.is(access_kind::kAtomic);
  if (!is_same && is_concurrent(cell.writer, thread, is_atomic)) return &cell.writer;
  if (!access.is(access_kind::kWrite)) return nullptr;
  for (const Touch& reader : cell.readers) {
    if (is_concurrent(reader, thread, is_atomic)) return &reader;
  }
  return nullptr;
}

// Keeps two readers of different threads, those that a later write is most likely not ordered with.
void SharedShadow::add_reader(Cell& cell, const Touch& reader, const Thread& thread) {
  Touch& first = cell.readers[0];
  Touch& second = cell.readers[1];
  if (!is_concurrent(first, thread, false)) {
    first = reader;
  } else if (second.epoch != epoch_ || second.thread == reader.thread || !is_concurrent(second, thread, false)) {
    second = reader;
  }
}

SharedShadow::Verdict SharedShadow::note(const Thread& thread, const MemoryAccess& access, std::uint64_t offset,
                                         const char* now) {
  Verdict verdict;
  const bool is_same = access.is(access_kind::kHasValue) && access.bytes <= sizeof access.value &&
                       std::memcmp(now, &access.value, access.bytes) == 0;
  const bool is_atomic = access.is(access_kind::kAtomic);
  const Touch touch{epoch_, thread.seen[thread.lane()], static_cast<std::uint16_t>(thread.number), is_atomic,
                    access.site};
  for (std::uint64_t i = 0; i < access.bytes; ++i) {
    Cell& cell = cells_[offset + i];
    const bool is_written = cell.writer.epoch >= first_epoch_;
    if (access.is(access_kind::kRead) && !is_written && !verdict.unwritten) verdict.unwritten = offset + i;
    const Touch* const other = verdict.conflict ? nullptr : conflict_of(cell, thread, access, is_same);
    if (other != nullptr) verdict.conflict = {other->site, other->thread, other == &cell.writer, offset + i};
    if (access.is(access_kind::kWrite)) {
      cell.writer = touch;
    } else {
      add_reader(cell, touch, thread);
    }
  }
  return verdict;
}

}  // namespace kmux::cpu
