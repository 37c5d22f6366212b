#pragma once

#include "compile_run_state.h"
#include "system/compile_scope.h"

namespace kmux {

/// One job of a run, as its compiler sees it.
///
/// Threads: that of the job.   Lifetime: borrows the run.
class JobScope final : public CompileScope {
 public:
  JobScope(CompileRunState& run, std::size_t group) : run_(run), group_(group), record_(run.records_[group]) {}

  Result<std::shared_ptr<void>> admit(const std::string& plugin, bool isolated) override;
  bool has_neighbours() const override { return run_.plan_.groups.size() > 1; }
  Limit time_left() const override;
  bool is_cancelled() const override { return record_.unwanted; }
  void took_memory(std::uint64_t bytes) override;

 private:
  class Compilation;
  std::shared_ptr<Admission::Permit> wait_for_permit(const std::string& cost_name);

  CompileRunState& run_;
  std::size_t group_;
  CompileRunState::Record& record_;
};

}  // namespace kmux
