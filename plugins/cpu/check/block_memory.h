#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/fiber_launch.h"

namespace kmux::cpu {

/// The shared memory of a block: its static variables, then the dynamic ones. Where it is checked, bytes that belong to
/// nobody lie between.
class BlockMemory {
 public:
  struct Variable {
    std::string name;
    std::uint64_t begin;
    std::uint64_t bytes;
  };

  BlockMemory(const kmux_cpu_kernel& kernel, std::uint64_t dynamic_bytes);

  /// What code asks for: the sum that the limit of a block applies to.
  std::uint64_t asked_bytes() const { return asked_bytes_; }
  std::size_t bytes() const { return lines_.size() * sizeof(Line); }
  char* begin() { return lines_.front().bytes; }
  char* variable(std::uint64_t number) { return begin() + variables_[number].begin; }
  char* dynamic() { return begin() + variables_.back().begin; }
  /// Fills it with what nobody wrote.
  void spoil();

  bool has(const char* address) const;
  std::uint64_t offset_of(const char* address) const {
    return static_cast<std::uint64_t>(address - lines_.front().bytes);
  }
  /// The variable that all of `bytes` bytes from `offset` on lie in, or null.
  const Variable* find(std::uint64_t offset, std::uint64_t bytes) const;
  /// The variable nearest to `offset`.
  const Variable& nearest(std::uint64_t offset) const;

 private:
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Variable> variables_;  // the last one is the dynamic memory
  std::vector<Line> lines_;
  std::uint64_t asked_bytes_ = 0;
};

}  // namespace kmux::cpu
