#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "problem.h"

namespace kmux::bench::spmd {

/// The buffers of a problem, shared by all implementations.
class Memory {
 public:
  explicit Memory(const Problem& problem);

  void* const* addresses() const { return addresses_.data(); }
  void clear_output() const;
  /// Returns the elements of the output as numbers.
  std::vector<double> output() const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  Buffer output_;
  std::vector<std::unique_ptr<void, Free>> memory_;
  std::vector<void*> addresses_;
};

/// Throws if `found` differs from `wanted`, compared as `problem` requires; `who` names the implementation.
void check_output(const Problem& problem, const std::string& who, const std::vector<double>& found,
                  const std::vector<double>& wanted);

}  // namespace kmux::bench::spmd
