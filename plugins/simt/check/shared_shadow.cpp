#include "simt/check/shared_shadow.h"

#include <algorithm>
#include <cstring>

namespace kmux::simt {

void SharedShadow::resize(std::size_t bytes, bool is_alone) {
  is_alone_ = is_alone;
  words_.resize(bytes / kWordBytes + 1);
  splits_.resize(words_.size());
}

void SharedShadow::begin_block() {
  first_epoch_ = ++epoch_;
  if (!parts_.empty()) std::ranges::fill(splits_, 0);
  parts_.clear();
}

const SharedShadow::Cell& SharedShadow::cell_of(std::uint64_t offset) const {
  const std::uint32_t split = splits_[offset / kWordBytes];
  return split == 0 ? words_[offset / kWordBytes] : parts_[split - 1][offset % kWordBytes];
}

// Returns the cell of one byte.
SharedShadow::Cell& SharedShadow::split_cell(std::uint64_t offset) {
  const std::uint64_t word = offset / kWordBytes;
  if (splits_[word] == 0) {
    parts_.emplace_back().fill(words_[word]);
    splits_[word] = static_cast<std::uint32_t>(parts_.size());
  }
  return parts_[splits_[word] - 1][offset % kWordBytes];
}

template <class Visit>
void SharedShadow::for_each_cell(std::uint64_t offset, std::uint64_t bytes, const Visit& visit) {
  const std::uint64_t end = offset + bytes;
  for (std::uint64_t at = offset; at < end;) {
    const bool is_whole = at % kWordBytes == 0 && end - at >= kWordBytes && splits_[at / kWordBytes] == 0;
    visit(is_whole ? words_[at / kWordBytes] : split_cell(at), at);
    at += is_whole ? kWordBytes : 1;
  }
}

bool SharedShadow::is_written(std::uint64_t offset) const {
  const Touch& writer = cell_of(offset).writer;
  return !is_none(writer) && !writer.is_of_nothing;
}

void SharedShadow::note_nothing(std::uint64_t offset) { split_cell(offset).writer.is_of_nothing = true; }

bool SharedShadow::is_concurrent(const Touch& before, const ThreadClock& clock, bool is_atomic) const {
  if (is_none(before) || before.actor == clock.actor()) return false;
  if (before.epoch != epoch_ && is_alone_ && !before.is_asynchronous) return false;
  if (before.is_atomic && is_atomic) return false;
  return !clock.is_after(before.actor, before.time);
}

namespace {

bool is_of_warp(Actor actor, const ThreadClock& clock) { return actor / kClockLanes == clock.actor() / kClockLanes; }

}  // namespace

// `is_same`: the access writes the value already there. Such writes agree, whichever comes last.
const Touch* SharedShadow::conflict_of(const Cell& cell, const ThreadClock& clock, const MemoryAccess& access,
                                       bool is_same) const {
  const bool is_atomic = access.is(access_kind::kAtomic);
  const bool agrees = is_same && !cell.writer.is_asynchronous;
  if (!agrees && is_concurrent(cell.writer, clock, is_atomic)) return &cell.writer;
  if (!access.is(access_kind::kWrite)) return nullptr;
  const Touch* conflict = nullptr;  // preferably with another warp: that needs the stronger barrier
  for (const Touch& reader : cell.readers) {
    if (!is_concurrent(reader, clock, is_atomic)) continue;
    if (conflict == nullptr || is_of_warp(conflict->actor, clock)) conflict = &reader;
  }
  return conflict;
}

// Keeps two readers of different threads: those that are most likely not ordered with a later write.
void SharedShadow::add_reader(Cell& cell, const Touch& reader, const ThreadClock& clock) {
  Touch& first = cell.readers[0];
  Touch& second = cell.readers[1];
  if (!is_concurrent(first, clock, false)) {
    first = reader;
  } else if (!is_concurrent(second, clock, false)) {
    second = reader;
  }
}

SharedShadow::Verdict SharedShadow::note(const ThreadClock& clock, const MemoryAccess& access, std::uint64_t offset,
                                         const char* now) {
  Verdict verdict;
  const bool is_write = access.is(access_kind::kWrite);
  const bool is_same = access.is(access_kind::kHasValue) && access.bytes <= sizeof access.value &&
                       std::memcmp(now, &access.value, access.bytes) == 0;
  const bool is_used = access.is(access_kind::kRead) && !access.is(access_kind::kPassedOn);
  const Touch touch{.epoch = epoch_,
                    .time = clock.now(),
                    .actor = clock.actor(),
                    .is_atomic = access.is(access_kind::kAtomic),
                    .site = access.site};
  for_each_cell(offset, access.bytes, [&](Cell& cell, std::uint64_t at) {
    const bool is_unwritten = is_none(cell.writer) || cell.writer.is_of_nothing;
    if (is_used && is_unwritten && !verdict.unwritten) verdict.unwritten = at;
    const Touch* const other = verdict.conflict ? nullptr : conflict_of(cell, clock, access, is_same);
    if (other != nullptr) verdict.conflict = {*other, other == &cell.writer, at};
    if (is_write) {
      cell.writer = touch;
    } else {
      add_reader(cell, touch, clock);
    }
  });
  if (is_write && !granules_.empty()) {
    check_granules(clock, kNoActor, offset, access.bytes, verdict);
    end_granules(offset, access.bytes, kUnknownSwizzle);
  }
  return verdict;
}

SharedShadow::Granule& SharedShadow::granule_at(std::uint64_t offset) {
  if (granules_.empty()) granules_.resize(words_.size() * kWordBytes / kGranuleBytes + 1);
  Granule& granule = granules_[offset / kGranuleBytes];
  if (granule.first_epoch != first_epoch_) {
    granule.first_epoch = first_epoch_;
    granule.readers_count = 0;
    granule.swizzle = kUnknownSwizzle;
    granule.mbarriers = 0;
  }
  return granule;
}

namespace {

constexpr std::uint64_t kMbarrierBytes = 8;

// Returns the bit of the half of a granule that has `offset`.
unsigned half_of(std::uint64_t offset) { return 1U << offset / kMbarrierBytes % 2; }

}  // namespace

void SharedShadow::note_mbarrier(std::uint64_t offset, bool is_there) {
  std::uint8_t& halves = granule_at(offset).mbarriers;
  halves = static_cast<std::uint8_t>(is_there ? halves | half_of(offset) : halves & ~half_of(offset));
}

std::optional<std::uint64_t> SharedShadow::mbarrier_in(std::uint64_t offset, std::uint64_t bytes) {
  for (std::uint64_t at = offset / kMbarrierBytes * kMbarrierBytes; at < offset + bytes; at += kMbarrierBytes) {
    if ((granule_at(at).mbarriers & half_of(at)) != 0) return at;
  }
  return std::nullopt;
}

// Checks a write against the reads of units other than `actor`.
void SharedShadow::check_granules(const ThreadClock& clock, Actor actor, std::uint64_t offset, std::uint64_t bytes,
                                  Verdict& verdict) {
  verdict.mbarrier = mbarrier_in(offset, bytes);
  for (std::uint64_t at = offset / kGranuleBytes * kGranuleBytes; at < offset + bytes; at += kGranuleBytes) {
    const Granule& granule = granule_at(at);
    for (unsigned i = 0; i < granule.readers_count && !verdict.conflict; ++i) {
      const Touch& reader = granule.readers[i];
      if (reader.actor == actor || clock.is_after(reader.actor, reader.time)) continue;
      verdict.conflict = {reader, false, std::max(at, offset)};
    }
  }
}

// Forgets the reads before a write, which it has been checked against.
void SharedShadow::end_granules(std::uint64_t offset, std::uint64_t bytes, TileSwizzle swizzle) {
  for (std::uint64_t at = offset / kGranuleBytes * kGranuleBytes; at < offset + bytes; at += kGranuleBytes) {
    Granule& granule = granule_at(at);
    granule.swizzle = swizzle;
    if (at >= offset && offset + bytes - at >= kGranuleBytes) granule.readers_count = 0;
  }
}

void SharedShadow::check_unit(const Cell& cell, const ThreadClock& clock, const UnitAccess& access, std::uint64_t byte,
                              Verdict& verdict) const {
  const Touch& writer = cell.writer;
  const bool is_own = writer.actor == access.actor && writer.time == access.time;
  if (!is_none(writer) && !is_own && !verdict.conflict) {
    if (!clock.is_after(writer.actor, writer.time)) {
      verdict.conflict = {writer, true, byte};
    } else if (!writer.is_asynchronous && !clock.has_fenced(writer.actor, writer.time) && !verdict.unfenced) {
      verdict.unfenced = {writer, true, byte};
    }
  }
  if (!access.is_write || verdict.conflict) return;
  for (const Touch& reader : cell.readers) {
    if (!is_none(reader) && !clock.is_after(reader.actor, reader.time)) verdict.conflict = {reader, false, byte};
  }
}

SharedShadow::Verdict SharedShadow::note_unit(const ThreadClock& clock, const UnitAccess& access, std::uint64_t offset,
                                              std::uint64_t bytes) {
  Verdict verdict;
  const Touch touch{
      .epoch = epoch_, .time = access.time, .actor = access.actor, .is_asynchronous = true, .site = access.site};
  for_each_cell(offset, bytes, [&](Cell& cell, std::uint64_t at) {
    check_unit(cell, clock, access, at, verdict);
    if (access.is_write) cell = {.writer = touch, .readers = {}};
  });
  if (access.is_write) {
    granule_at(offset);
    check_granules(clock, access.actor, offset, bytes, verdict);
    end_granules(offset, bytes, access.swizzle);
    return verdict;
  }
  for (std::uint64_t at = offset / kGranuleBytes * kGranuleBytes; at < offset + bytes; at += kGranuleBytes) {
    Granule& granule = granule_at(at);
    add_reader(granule, touch, clock);
    const bool has_both = granule.swizzle != kUnknownSwizzle && access.swizzle != kUnknownSwizzle;
    if (has_both && granule.swizzle != access.swizzle) verdict.swizzle = granule.swizzle;
  }
  return verdict;
}

// Replaces a read that this one comes after, if there is one.
void SharedShadow::add_reader(Granule& granule, const Touch& reader, const ThreadClock& clock) const {
  for (unsigned i = 0; i < granule.readers_count; ++i) {
    Touch& other = granule.readers[i];
    if (other.actor != reader.actor && !clock.is_after(other.actor, other.time)) continue;
    other = reader;
    return;
  }
  if (granule.readers_count < granule.readers.size()) granule.readers[granule.readers_count++] = reader;
}

void SharedShadow::make_asynchronous(const UnitAccess& access, std::uint64_t offset, std::uint64_t bytes) {
  for_each_cell(offset, bytes, [&](Cell& cell, std::uint64_t) {
    cell.writer.time = access.time;
    cell.writer.actor = access.actor;
    cell.writer.is_asynchronous = true;
  });
}

}  // namespace kmux::simt
