#include "contestant.h"

#include <algorithm>
#include <utility>

#include "entrants.h"

namespace kmux::bench {
namespace {

/// What the memory holds after `count` calls that find its first contents.
Result<std::vector<Tensor>> results_of(const Kernel& kernel, CallArguments& arguments, int count) {
  KMUX_TRY(arguments.refill());
  for (int i = 0; i < count; ++i) KMUX_TRY(kernel.launch(arguments.args()));
  KMUX_TRY(kernel.device().synchronize());
  return arguments.on_host();
}

Status prepare(Runtime& runtime, const Program& program, const CompileOptions& options, SharedArguments& memory,
               Entrant& entrant, Contestant& contestant) {
  KMUX_ASSIGN(const Kernel kernel, compile(runtime, program, options_for(entrant, options)));
  KMUX_TRY(kernel.await_best());
  KMUX_ASSIGN(contestant.arguments, memory.on(kernel.device()));
  KMUX_ASSIGN(contestant.results, results_of(kernel, *contestant.arguments, 1));
  entrant.target = to_string(kernel.target());
  entrant.tier = kernel.tier();
  entrant.launcher = kernel.launcher();
  entrant.source = kernel.source();
  contestant.kernel = kernel;
  return Ok{};
}

/// How results differ from those that are right; empty if they do not.
Result<std::string> difference(const Program& program, const std::vector<Tensor>& actual,
                               const std::vector<Tensor>& expected, const std::optional<Tolerance>& tolerance) {
  for (std::size_t i = 0; i < program.signature.params.size(); ++i) {
    const Tensor& tensor = actual[i];
    if (!tensor) continue;
    KMUX_ASSIGN(const Comparison comparison,
                compare(tensor, expected[i], tolerance.value_or(default_tolerance(tensor.dtype()))));
    if (!comparison.ok()) return "\"" + program.signature.params[i].name + "\" differs: " + comparison.text();
  }
  return std::string();
}

}  // namespace

CompileOptions options_for(const Entrant& entrant, const CompileOptions& options) {
  CompileOptions exact = options;
  const BackendSpec spec = read_backend(entrant.backend).value();
  exact.execution_backend = spec.name;
  for (const auto& [name, value] : spec.options) exact.options.insert_or_assign(name, value);
  exact.policy = "priority";
  return exact;
}

std::vector<Contestant> prepare_all(Runtime& runtime, const Program& program, const BenchOptions& options,
                                    SharedArguments& memory, Contest& contest) {
  std::vector<Contestant> contestants;
  for (std::size_t i = 0; i < contest.entrants.size(); ++i) {
    Entrant& entrant = contest.entrants[i];
    if (options.cancel.stop_requested()) break;
    if (entrant.state != EntrantState::kTimed) continue;
    Contestant contestant{i};
    const Status status = prepare(runtime, program, options.compile, memory, entrant, contestant);
    if (status) {
      contestants.push_back(std::move(contestant));
    } else {
      entrant.state = EntrantState::kFailed;
      entrant.problem = status.error().message;
    }
  }
  return contestants;
}

std::size_t index_of(const Contest& contest, const std::vector<Contestant>& contestants, std::string_view backend) {
  const auto found = std::ranges::find_if(
      contestants, [&](const Contestant& one) { return contest.entrants[one.entrant].backend == backend; });
  return static_cast<std::size_t>(found - contestants.begin());
}

Status drop_wrong(const Program& program, const BenchOptions& options, Contest& contest,
                  std::vector<Contestant>& contestants) {
  const Contestant& reference = contestants[index_of(contest, contestants, contest.reference)];
  for (const Contestant& contestant : contestants) {
    KMUX_ASSIGN(const std::string problem,
                difference(program, contestant.results, reference.results, options.tolerance));
    if (problem.empty()) continue;
    contest.entrants[contestant.entrant].state = EntrantState::kWrong;
    contest.entrants[contestant.entrant].problem = problem;
  }
  std::erase_if(contestants,
                [&](const Contestant& one) { return contest.entrants[one.entrant].state == EntrantState::kWrong; });
  return Ok{};
}

Result<bool> is_repeatable(const Program& program, const BenchOptions& options, const Contestant& contestant) {
  KMUX_ASSIGN(const std::vector<Tensor> twice, results_of(*contestant.kernel, *contestant.arguments, 2));
  KMUX_ASSIGN(const std::string change, difference(program, twice, contestant.results, options.tolerance));
  return change.empty();
}

}  // namespace kmux::bench
