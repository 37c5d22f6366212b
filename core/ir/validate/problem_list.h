#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/validate.h"

#include "ir/json_pointer.h"

namespace kmux {

/// Problems in the order in which they are found; beyond ten thousand they are counted only.
class ProblemList {
 public:
  void add(const JsonPointer& at, std::string message);
  bool empty() const { return problems_.empty(); }
  std::vector<Problem> take() && { return std::move(problems_); }

  /// ok, or invalid_argument: how many problems `subject` has, the first one, and a "problem" note for each of the
  /// others.
  Status status(std::string_view subject) const;

 private:
  std::vector<Problem> problems_;
  std::size_t count_ = 0;
};

}  // namespace kmux
