#include "problem_list.h"

#include <algorithm>

namespace kmux {

namespace {

constexpr std::size_t kMaxKept = 10'000;
constexpr std::size_t kMaxNotes = 100;  // more help nobody

std::string line(const Problem& problem) {
  return (problem.path.empty() ? std::string("/") : problem.path) + ": " + problem.message;
}

}  // namespace

void ProblemList::add(const JsonPointer& at, std::string message) {
  if (++count_ <= kMaxKept) problems_.push_back({at.text(), std::move(message)});
}

Status ProblemList::status(std::string_view subject) const {
  if (problems_.empty()) return Ok{};
  const std::string number = count_ == 1 ? "a problem" : std::to_string(count_) + " problems, the first";
  Error error = make_error(ErrorCode::kInvalidArgument,
                           std::string(subject) + " has " + number + " at " + line(problems_.front()));
  for (std::size_t i = 1; i < std::min(count_, kMaxNotes); ++i) error.notes.push_back({"problem", line(problems_[i])});
  if (count_ > kMaxNotes) error.notes.push_back({"problem", "and " + std::to_string(count_ - kMaxNotes) + " more"});
  return error;
}

}  // namespace kmux
