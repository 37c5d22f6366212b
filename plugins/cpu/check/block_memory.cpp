#include "check/block_memory.h"

#include <cstring>

namespace kmux::cpu {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr int kSpoiled = 0xcb;

std::uint64_t in_lines(std::uint64_t bytes) { return (bytes + kLine - 1) / kLine; }

}  // namespace

BlockMemory::BlockMemory(const kmux_cpu_kernel& kernel, std::uint64_t dynamic_bytes) {
  const std::uint64_t between = kernel.is_checked != 0 ? 2 : 0;  // lines
  std::uint64_t end = between;
  const auto add = [&](const char* name, std::uint64_t bytes) {
    variables_.push_back({name, end * kLine, bytes});
    if (bytes == 0) return;
    end += in_lines(bytes) + between;
    asked_bytes_ += in_lines(bytes) * kLine;
  };
  for (std::uint64_t i = 0; i < kernel.shared_count; ++i) add(kernel.shared[i].name, kernel.shared[i].bytes);
  add("", dynamic_bytes);
  lines_.resize(end + 1);
}

void BlockMemory::spoil() { std::memset(begin(), kSpoiled, bytes()); }

bool BlockMemory::has(const char* address) const {
  const char* const begin = lines_.front().bytes;
  return address >= begin && address < begin + bytes();
}

const BlockMemory::Variable* BlockMemory::find(std::uint64_t offset, std::uint64_t bytes) const {
  for (const Variable& variable : variables_) {
    if (offset >= variable.begin && offset - variable.begin < variable.bytes &&
        bytes <= variable.bytes - (offset - variable.begin)) {
      return &variable;
    }
  }
  return nullptr;
}

const BlockMemory::Variable& BlockMemory::nearest(std::uint64_t offset) const {
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

}  // namespace kmux::cpu
