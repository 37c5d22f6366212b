#include <map>
#include <set>
#include <utility>

#include "kmux/jit_core.h"
#include "kmux/log.h"

#include "jit_state.h"

namespace kmux {

/// One par_compile of a wrapper: what is known, what others make, what is left for the pool.
class JitCore::Batch {
 public:
  Batch(JitCore& core, Runtime& runtime, std::span<const JitRequest> requests, const ParCompileOptions& how)
      : core_(core),
        state_(*core.state_),
        runtime_(runtime),
        requests_(requests),
        how_(how),
        begun_before_(state_.kernels.count()),
        kernels_(requests.size()) {}

  Result<std::vector<std::optional<Kernel>>> run() {
    for (std::size_t i = 0; i < requests_.size() && !failure_; ++i) gather(i);
    KMUX_TRY(compile());
    KMUX_TRY(await());
    if (failure_) return *std::move(failure_);
    return std::move(kernels_);
  }

 private:
  void gather(std::size_t index) {
    if (const FoundKernel known = core_.find(requests_[index].form)) {
      kernels_[index] = *known;
      return;
    }
    Result<JitJob> job = state_.job_of(core_, runtime_, requests_[index]);
    const Status written =
        job ? state_.debug_files.write_program(job->job.program, requests_[index].key) : Status(job.error());
    if (!written) return fail(index, written.error());
    if (const auto same = first_of_.find(job->key); same != first_of_.end()) {
      same_.emplace_back(index, same->second);
      return;
    }
    KernelShelf::Place place = state_.kernels.take(job->key);
    if (!place.duty) return awaited_.emplace_back(index, std::move(place)), void();
    first_of_.emplace(std::move(job->key), index);
    duties_.push_back(*std::move(place.duty));
    places_.push_back(index);
    jobs_.push_back(std::move(job->job));
  }

  /// Those before it are compiled first, so that the failure that is returned is the first in input order.
  void fail(std::size_t index, const Error& error) {
    if (!how_.ignore_error) {
      failure_ = error;
      return;
    }
    leave_out(index, error);
  }
  void leave_out(std::size_t index, const Error& error) const {
    if (how_.left_out) return how_.left_out(index, error);
    log(LogLevel::kWarning, "configuration " + requests_[index].key + " is left out: " + error.message);
  }

  /// And those that were to share its kernel.
  void leave_out_all(std::size_t first, const Error& error) const {
    leave_out(first, error);
    for (const auto& [index, other] : same_)
      if (other == first) leave_out(index, error);
  }

  Status compile() {
    if (jobs_.empty()) return Ok{};
    ParCompileOptions how = how_;
    how.progress = [this](const CompileProgress& event) { pass_on(event); };
    how.left_out = [this](std::size_t job, const Error& error) { leave_out_all(places_[job], error); };
    auto made = kmux::par_compile(runtime_, jobs_, how);
    if (!made) return named(std::move(made).error());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!(*made)[i]) continue;  // the pool has said why; the duty is given up
      Kernel& kernel = *(*made)[i];
      KMUX_TRY(state_.debug_files.write_launcher(jobs_[i].program, kernel));
      duties_[i].settle(Result<Kernel>(kernel));
      keep(places_[i], kernel);
    }
    duties_.clear();
    for (const auto& [index, first] : same_) {
      if (kernels_[first]) keep(index, *kernels_[first]);
    }
    return Ok{};
  }

  /// What other threads make. If they give up, or made it of older headers, it is made here.
  Status await() {
    for (auto& [index, place] : awaited_) {
      const KernelShelf::Outcome told = KernelShelf::outcome_of(place, begun_before_);
      const Result<Kernel> kernel = told ? *told : core_.compile(requests_[index]);
      if (kernel) {
        keep(index, *kernel);
      } else if (how_.ignore_error) {
        fail(index, kernel.error());
      } else {
        return in_call(kernel.error(), requests_[index].key);
      }
    }
    return Ok{};
  }

  void keep(std::size_t index, const Kernel& kernel) {
    kernels_[index] = kernel;
    state_.remember(core_, requests_[index], kernel);
  }

  /// The pool counts jobs and names programs, the caller counts and names configurations.
  void pass_on(const CompileProgress& event) {
    if (event.step == JobStep::kFailed) failed_.insert(places_[event.index]);
    if (!how_.progress) return;
    CompileProgress mine = event;
    mine.index = places_[event.index];
    if (event.same_as) mine.same_as = places_[*event.same_as];
    how_.progress(mine);
  }

  /// All programs may have one name; configurations tell them apart.
  Error named(Error error) const {
    for (const std::size_t index : failed_) error.notes.push_back({"config", requests_[index].key});
    return error;
  }

  JitCore& core_;
  State& state_;
  Runtime& runtime_;
  std::span<const JitRequest> requests_;
  const ParCompileOptions& how_;
  std::uint64_t begun_before_;
  std::vector<std::optional<Kernel>> kernels_;
  std::optional<Error> failure_;  // before anything was compiled
  std::vector<CompileJob> jobs_;
  std::vector<KernelShelf::Duty> duties_;  // of the jobs
  std::vector<std::size_t> places_;        // of the jobs, among the requests
  std::map<std::string, std::size_t> first_of_;
  std::vector<std::pair<std::size_t, std::size_t>> same_;  // a request, and the one before it that is compiled for both
  std::vector<std::pair<std::size_t, KernelShelf::Place>> awaited_;
  std::set<std::size_t> failed_;
};

Result<std::vector<std::optional<Kernel>>> JitCore::par_compile(std::span<const JitRequest> requests,
                                                                const ParCompileOptions& how) {
  KMUX_TRY(initialize());
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, runtime_of(options_));
  return Batch(*this, *runtime, requests, how).run();
}

}  // namespace kmux
