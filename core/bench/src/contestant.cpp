#include "contestant.h"

#include <algorithm>
#include <utility>

#include "entrants.h"

namespace kmux::bench {
namespace {

Status prepare(Runtime& runtime, const Program& program, const CompileOptions& options, const Inputs& inputs,
               const Binding& binding, Entrant& entrant, Contestant& contestant) {
  KMUX_ASSIGN(const Kernel kernel, compile(runtime, program, options_for(entrant, options)));
  KMUX_TRY(kernel.await_best());
  KMUX_ASSIGN(CallArguments arguments, CallArguments::make(program, inputs, binding, kernel.device()));
  contestant.arguments = std::make_unique<CallArguments>(std::move(arguments));
  KMUX_TRY(kernel.launch(contestant.arguments->args()));
  KMUX_TRY(kernel.device().synchronize());
  KMUX_ASSIGN(contestant.results, contestant.arguments->on_host());
  entrant.target = to_string(kernel.target());
  entrant.tier = kernel.tier();
  entrant.launcher = kernel.launcher();
  entrant.source = kernel.source();
  contestant.kernel = kernel;
  return Ok{};
}

/// How the results of one differ from the reference's; empty if they do not.
Result<std::string> difference(const Program& program, const Contestant& actual, const Contestant& expected,
                               const std::optional<Tolerance>& tolerance) {
  for (std::size_t i = 0; i < program.signature.params.size(); ++i) {
    const Tensor& tensor = actual.results[i];
    if (!tensor) continue;
    KMUX_ASSIGN(const Comparison comparison,
                compare(tensor, expected.results[i], tolerance.value_or(default_tolerance(tensor.dtype()))));
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
                                    const Inputs& inputs, const Binding& binding, Contest& contest) {
  std::vector<Contestant> contestants;
  for (std::size_t i = 0; i < contest.entrants.size(); ++i) {
    Entrant& entrant = contest.entrants[i];
    if (entrant.state != EntrantState::kTimed) continue;
    Contestant contestant{i};
    const Status status = prepare(runtime, program, options.compile, inputs, binding, entrant, contestant);
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
    KMUX_ASSIGN(const std::string problem, difference(program, contestant, reference, options.tolerance));
    if (problem.empty()) continue;
    contest.entrants[contestant.entrant].state = EntrantState::kWrong;
    contest.entrants[contestant.entrant].problem = problem;
  }
  std::erase_if(contestants,
                [&](const Contestant& one) { return contest.entrants[one.entrant].state == EntrantState::kWrong; });
  return Ok{};
}

}  // namespace kmux::bench
