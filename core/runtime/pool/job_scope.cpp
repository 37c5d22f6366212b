#include "job_scope.h"

#include <algorithm>

#include "system/process_memory.h"

namespace kmux {
namespace {

using Clock = CompileRunState::Clock;

constexpr std::uint64_t kUnknownBytes = std::uint64_t{512} << 20;  // of a plugin that nothing was learned of yet

/// A process of its own takes other memory than a part of this one.
std::string cost_name_of(const std::string& plugin, bool isolated) { return isolated ? plugin + "@process" : plugin; }

}  // namespace

/// The time between admission and the compiler's end.
class JobScope::Compilation {
 public:
  Compilation(CompileRunState& run, CompileRunState::Record& record, std::shared_ptr<Admission::Permit> permit)
      : run_(run), record_(record), permit_(std::move(permit)) {}
  ~Compilation() {
    run_.sample_memory();
    const std::lock_guard lock(run_.mutex_);
    record_.compiling = false;
    record_.compiled = Clock::now() - record_.admitted;
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

 private:
  CompileRunState& run_;
  CompileRunState::Record& record_;
  std::shared_ptr<Admission::Permit> permit_;
};

std::shared_ptr<Admission::Permit> JobScope::wait_for_permit(const std::string& cost_name) {
  const std::optional<CompileCost> cost = run_.pool_.costs().of(cost_name);
  {
    const std::lock_guard lock(run_.mutex_);
    record_.waits = true;
    if (cost) run_.pace_.expect(std::chrono::duration<double, std::milli>(cost->milliseconds));
  }
  const auto began = Clock::now();
  auto permit = run_.pool_.admission().acquire({.bytes = cost ? cost->peak_bytes : kUnknownBytes,
                                                .budget = run_.plan_.memory_budget,
                                                .most = run_.plan_.most_compilers},
                                               [this] { return record_.unwanted.load(); });
  const std::lock_guard lock(run_.mutex_);
  record_.waits = false;
  if (record_.deadline) *record_.deadline += Clock::now() - began;  // it was not the compiler that took that long
  return permit;
}

Result<std::shared_ptr<void>> JobScope::admit(const std::string& plugin, bool isolated) {
  const std::string cost_name = cost_name_of(plugin, isolated);
  std::shared_ptr<Admission::Permit> permit = wait_for_permit(cost_name);
  if (permit == nullptr) return cancellation("it was not compiled (nobody waits for it any more).");
  const std::uint64_t resident = isolated ? 0 : resident_bytes();
  const std::lock_guard lock(run_.mutex_);
  record_.permit = permit;
  record_.isolated = isolated;
  record_.compiling = true;
  record_.cost_name = cost_name;
  record_.admitted = Clock::now();
  record_.bytes_before = resident;
  run_.push({.step = JobStep::kCompiling, .group = group_, .backend = plugin});
  return std::shared_ptr<void>(std::make_shared<Compilation>(run_, record_, std::move(permit)));
}

CompileScope::Limit JobScope::time_left() const {
  const std::lock_guard lock(run_.mutex_);
  if (!record_.deadline) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*record_.deadline - Clock::now());
  return std::max(left, std::chrono::milliseconds(1));  // no time at all would mean no limit
}

void JobScope::took_memory(std::uint64_t bytes) {
  const std::lock_guard lock(run_.mutex_);
  record_.peak_bytes = std::max(record_.peak_bytes, bytes);
}

}  // namespace kmux
