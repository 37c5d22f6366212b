#include "scope.h"

#include <algorithm>
#include <array>

#include "kmux/plugin/quoting.h"

#include "ir/json_reader.h"

namespace kmux {
namespace {

// Names used by launchers, and compiler macros; all other names in a launcher begin with "kmux_".
constexpr std::array kReserved = std::to_array<std::string_view>({"env", "error", "linux", "slots", "unix"});

constexpr std::size_t kMaxCompared = 1000;  // with more names a suggestion costs more than it helps

}  // namespace

bool is_reserved_name(std::string_view name) { return std::ranges::find(kReserved, name) != kReserved.end(); }

std::string_view to_string(NameKind kind) {
  constexpr std::array kNames = std::to_array<std::string_view>(
      {"a buffer", "a scalar", "a pointer", "a symbol", "a let", "a loop variable", "a workspace", "a tensor map"});
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_variable(NameKind kind) {
  return kind != NameKind::kBuffer && kind != NameKind::kPointer && kind != NameKind::kTensorMap;
}

void Scope::declare(const std::string& name, Name what, const JsonPointer& at) {
  what.path = at.text();
  names_.try_emplace(name, std::move(what));
}

void Scope::declare(const std::string& name, Name what, const JsonPointer& at, ProblemList& problems) {
  declare(name, std::move(what), at);
  check(name, at, problems);
}

void Scope::check(const std::string& name, const JsonPointer& at, ProblemList& problems) const {
  if (!is_identifier(name)) {
    problems.add(at, in_double_quotes(name) +
                         " is not a name (names reach generated code). Use a C identifier that is not a keyword " +
                         "and does not begin with \"kmux_\" or two underscores.");
    return;
  }
  const Name& holder = names_.find(name)->second;
  if (holder.path != at.text()) {
    problems.add(at, "the name " + in_double_quotes(name) + " is taken (" + std::string(to_string(holder.kind)) +
                         " at " + holder.path + " has it). Choose another one.");
  } else if (is_variable(holder.kind) && is_reserved_name(name)) {
    problems.add(at, "the name " + in_double_quotes(name) + " is reserved (launchers use it). Choose another one.");
  }
}

const Name* Scope::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

std::string Scope::suggestion(std::string_view name) const {
  if (names_.size() > kMaxCompared) return "";
  std::vector<std::string> known;
  known.reserve(names_.size());
  for (const auto& [candidate, what] : names_) known.push_back(candidate);
  return kmux::suggestion(name, known);
}

namespace {

constexpr std::size_t kMaxKept = 10'000;
constexpr std::size_t kMaxNotes = 100;  // more would not help

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
