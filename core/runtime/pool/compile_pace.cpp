#include "compile_pace.h"

#include <algorithm>

namespace kmux {

void CompilePace::expect(Duration usual) {
  if (!expected_) expected_ = usual;
}

void CompilePace::ended(Duration took) {
  total_ += took;
  ++count_;
}

std::optional<CompilePace::Duration> CompilePace::average() const {
  return count_ == 0 ? expected_ : std::optional(total_ / static_cast<double>(count_));
}

double CompilePace::rate(std::size_t finished, Duration elapsed) const {
  return elapsed.count() > 0 ? static_cast<double>(finished) / elapsed.count() : 0;
}

std::optional<CompilePace::Duration> CompilePace::left(std::size_t queued, std::span<const Duration> running_since,
                                                       std::size_t workers) const {
  const auto one = average();
  if (!one) return std::nullopt;
  Duration work = *one * static_cast<double>(queued);
  for (const Duration since : running_since) work += std::max(*one - since, Duration{});
  const std::size_t rows = std::min(workers, queued + running_since.size());
  return rows == 0 ? Duration{} : work / static_cast<double>(rows);
}

}  // namespace kmux
