#include "check/memory_check.h"

#include <algorithm>
#include <cstring>

namespace kmux::cpu {
namespace {

constexpr std::uintptr_t kNullBytes = 4096;  // what lies there comes from a null pointer
constexpr std::size_t kWidestAlignment = 64;

std::uintptr_t place_of(const char* address) { return reinterpret_cast<std::uintptr_t>(address); }

bool contains(const kmux_cpu_extent& extent, const char* address, std::uint64_t bytes) {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(extent.begin);
  if (place_of(address) < begin || place_of(address) - begin > extent.bytes) return false;
  return bytes <= extent.bytes - (place_of(address) - begin);
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string shared_name(const SharedMemory::Variable& variable) {
  return variable.name.empty() ? "the dynamic shared memory" : "shared variable \"" + variable.name + "\"";
}

}  // namespace

MemoryCheck::MemoryCheck(const kmux_cpu_fiber_kernel& kernel, std::span<const kmux_cpu_extent> extents,
                         SharedMemory& shared, Findings& findings)
    : shared_(shared), findings_(findings) {
  for (const kmux_cpu_extent& extent : extents) {
    if (extent.bytes == kmux_cpu_any) {
      all_known_ = false;
    } else if (extent.begin != nullptr) {
      known_.push_back(extent);
    }
  }
  known_.insert(known_.end(), kernel.globals, kernel.globals + kernel.global_count);
  shadow_.resize(shared.bytes());
}

void MemoryCheck::begin_block() {
  shared_.spoil();
  shadow_.begin_block();
}

char* MemoryCheck::nowhere(std::uint64_t bytes) {
  nowhere_.assign(bytes / sizeof(std::max_align_t) + 1 + kWidestAlignment, {});
  char* const begin = reinterpret_cast<char*>(nowhere_.data());
  return begin + (kWidestAlignment - place_of(begin) % kWidestAlignment) % kWidestAlignment;
}

void MemoryCheck::report(Finding::Kind kind, const Thread& thread, const MemoryAccess& access, const std::string& rest,
                         const std::string& why, const std::string& advice) {
  findings_.add({kind, access.site, thread.index,
                 std::string(access.verb()) + " " + bytes_text(access.bytes) + " " + rest, why, advice});
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

void MemoryCheck::note_shared(const Thread& thread, const MemoryAccess& access,
                              const SharedMemory::Variable& variable) {
  const SharedShadow::Verdict verdict = shadow_.note(thread, access, shared_.offset_of(access.address), access.address);
  if (verdict.unwritten && !findings_.count_known(Finding::Kind::kUninitialised, access.site)) {
    report(Finding::Kind::kUninitialised, thread, access, "of " + shared_name(variable) + " that no thread wrote",
           "byte " + std::to_string(*verdict.unwritten - variable.begin), "Write it before that");
  }
  if (verdict.conflict) report_conflict(thread, access, variable, *verdict.conflict);
}

void MemoryCheck::report_conflict(const Thread& thread, const MemoryAccess& access,
                                  const SharedMemory::Variable& variable, const SharedShadow::Conflict& conflict) {
  if (findings_.count_known(Finding::Kind::kRace, access.site)) return;
  report(Finding::Kind::kRace, thread, access,
         "of " + shared_name(variable) + " that another thread " + (conflict.was_write ? "wrote" : "read") +
             " with no barrier between",
         "byte " + std::to_string(conflict.byte - variable.begin) + ", thread number " +
             std::to_string(conflict.thread) + " of the block at " + Findings::place(conflict.site),
         "Put __syncthreads() between the two");
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
    // What begins where another ends, or has no bytes, is named as what the address was computed from.
    for (const kmux_cpu_extent& extent : known_) {
      if (contains(extent, access.base, 0) || contains(extent, access.address, 1)) meant = &extent;
    }
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

}  // namespace kmux::cpu
