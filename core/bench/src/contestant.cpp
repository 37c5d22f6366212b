#include "contestant.h"

#include <algorithm>
#include <utility>

#include "kmux/bench/binding.h"
#include "kmux/kernel_attributes.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"

namespace kmux::bench {
namespace {

/// Returns the memory contents after `count` calls on the initial contents.
Result<std::vector<Tensor>> results_of(const Kernel& kernel, CallArguments& arguments, int count) {
  KMUX_TRY(arguments.refill());
  for (int i = 0; i < count; ++i) KMUX_TRY(kernel.launch(arguments.args()));
  KMUX_TRY(kernel.device().synchronize());
  return arguments.on_host();
}

/// Sets the columns of the compiled code's resources, if the backend reports them.
void set_code_columns(const Program& program, const Kernel& kernel, const Binding& binding, Entrant& entrant) {
  const auto kernels = attributes(kernel);
  const Candidate* const chosen = kernel.resolution().chosen();
  if (!kernels || kernels->empty() || chosen == nullptr) return;
  KernelAttributes most;
  std::optional<double> least;
  for (const KernelAttributes& one : *kernels) {
    most.registers = std::max(most.registers, one.registers);
    most.shared_bytes = std::max(most.shared_bytes, one.shared_bytes);
    most.local_bytes = std::max(most.local_bytes, one.local_bytes);
    if (const auto occupancy = occupancy_of(one, program.variants[chosen->variant], binding))
      least = std::min(least.value_or(1), occupancy->part);
  }
  set_column(entrant, Column::kRegisters, {static_cast<double>(most.registers)});
  set_column(entrant, Column::kSharedMemory, {static_cast<double>(most.shared_bytes)});
  set_column(entrant, Column::kLocalMemory, {static_cast<double>(most.local_bytes)});
  if (least) set_column(entrant, Column::kOccupancy, {100 * *least});
}

std::shared_ptr<const Program> variant_alone(const Program& program, std::size_t variant) {
  Program alone = program;
  alone.variants = {program.variants[variant]};
  return std::make_shared<const Program>(std::move(alone));
}

/// Compiles the variant that the entrant names, else the one selected by `choice`, and stores it.
Result<Kernel> compiled(Runtime& runtime, const Program& program, const CompileOptions& options, VariantChoice choice,
                        Entrant& entrant, Contestant& contestant) {
  if (read_backend(entrant.backend).value().variant) {
    contestant.own = variant_alone(program, entrant.variant);
    return compile(runtime, *contestant.own, options_for(entrant, options));
  }
  KMUX_ASSIGN(Kernel kernel, compile(runtime, program, options_for(entrant, options)));
  const Candidate* const chosen = kernel.resolution().chosen();
  if (chosen == nullptr || chosen->variant == entrant.variant) return kernel;
  if (choice == VariantChoice::kBackend) {
    entrant.variant = chosen->variant;
    return kernel;
  }
  contestant.own = variant_alone(program, entrant.variant);
  return compile(runtime, *contestant.own, options_for(entrant, options));
}

Status prepare(Runtime& runtime, const Program& whole, const CompileOptions& options, VariantChoice choice,
               SharedArguments& memory, Entrant& entrant, Contestant& contestant) {
  KMUX_ASSIGN(const Kernel kernel, compiled(runtime, whole, options, choice, entrant, contestant));
  const Program& program = contestant.own ? *contestant.own : whole;
  KMUX_TRY(kernel.await_best());
  KMUX_ASSIGN(contestant.arguments, memory.on(kernel.device()));
  KMUX_TRY(contestant.arguments->set_constants(kernel));
  KMUX_ASSIGN(contestant.results, results_of(kernel, *contestant.arguments, 1));
  entrant.target = to_string(kernel.target());
  entrant.tier = kernel.tier();
  entrant.launcher = kernel.launcher();
  entrant.source = kernel.source();
  set_code_columns(program, kernel, memory.binding(), entrant);
  contestant.kernel = kernel;
  return Ok{};
}

/// Returns the difference between actual and correct results; empty if none.
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
  exact.policy = Policy::kPriority;
  return exact;
}

std::vector<Contestant> prepare_all(Runtime& runtime, const Program& program, const BenchOptions& options,
                                    VariantChoice choice, SharedArguments& memory, Contest& contest) {
  std::vector<Contestant> contestants;
  for (std::size_t i = 0; i < contest.entrants.size(); ++i) {
    Entrant& entrant = contest.entrants[i];
    if (options.cancel.stop_requested()) break;
    if (entrant.state != EntrantState::kTimed) continue;
    Contestant contestant{i};
    const Status status = prepare(runtime, program, options.compile, choice, memory, entrant, contestant);
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

namespace {

/// Returns the best candidate of a backend, or of its variant, or null: the first possible one, else the first refusal.
const Candidate* best_of(const Resolution& resolution, const BackendSpec& spec) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : resolution.candidates) {
    if (candidate.backend != spec.name || (spec.variant && candidate.variant != *spec.variant)) continue;
    if (candidate.verdict != kmux::Verdict::kRefused) return &candidate;
    if (best == nullptr) best = &candidate;
  }
  return best;
}

Entrant entrant_of(const std::string& text, const Candidate& candidate) {
  Entrant entrant{.backend = text, .target = candidate.target, .tier = {}, .variant = candidate.variant};
  if (candidate.verdict != kmux::Verdict::kRefused) return entrant;
  entrant.state = EntrantState::kUnavailable;
  entrant.problem = candidate.reason;
  return entrant;
}

/// Returns the names of all candidates without duplicates, in order.
std::vector<std::string> all_names(const Resolution& resolution) {
  std::vector<std::string> names;
  for (const Candidate& candidate : resolution.candidates) {
    if (std::ranges::find(names, candidate.backend) == names.end()) names.push_back(candidate.backend);
  }
  return names;
}

}  // namespace

Result<BackendSpec> read_backend(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::size_t hash = std::min(text.find('#'), colon);
  BackendSpec spec{text, text.substr(0, hash), {}, {}};
  if (hash < colon) {
    const auto variant = parse_integer(text.substr(hash + 1, colon - hash - 1));
    if (!variant || *variant < 0) {
      return make_error(ErrorCode::kInvalidArgument, "\"" + text +
                                                         "\" names no variant (behind # is its number, from 0). "
                                                         "Write, say, " +
                                                         spec.name + "#1.");
    }
    spec.variant = static_cast<std::size_t>(*variant);
  }
  for (std::size_t begin = colon + 1; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    KMUX_ASSIGN(auto pair, split_assignment("the option of backend " + spec.name, text.substr(begin, end - begin)));
    spec.options.insert_or_assign(std::move(pair.first), std::move(pair.second));
    begin = end + 1;
  }
  return spec;
}

namespace {

Error not_measurable(const Resolution& resolution, const BackendSpec& spec, bool is_twice) {
  const std::vector<std::string> known = all_names(resolution);
  const bool is_known = std::ranges::find(known, spec.name) != known.end();
  const char* const why = is_twice   ? "it is named twice"
                          : is_known ? "the program has no such variant"
                                     : "there is no such backend";
  return make_error(ErrorCode::kInvalidArgument, "\"" + spec.text + "\" cannot be measured (" + why + ")." +
                                                     did_you_mean(spec.name, known) +
                                                     " Name each once: " + join(known) + ".");
}

}  // namespace

Result<std::vector<Entrant>> entrants_of(const Resolution& resolution, const std::vector<std::string>& wanted) {
  std::vector<Entrant> entrants;
  for (const std::string& text : wanted.empty() ? all_names(resolution) : wanted) {
    KMUX_ASSIGN(const BackendSpec spec, read_backend(text));
    const Candidate* const candidate = best_of(resolution, spec);
    const bool is_twice = std::ranges::find(entrants, text, &Entrant::backend) != entrants.end();
    if (candidate == nullptr || is_twice) return not_measurable(resolution, spec, is_twice);
    entrants.push_back(entrant_of(text, *candidate));
  }
  return entrants;
}

void set_column(Entrant& entrant, Column column, std::vector<double> samples) {
  if (samples.empty()) return;
  const Interval interval = median_interval(samples);
  entrant.columns[column] = {std::move(samples), interval};
}

const Entrant* find_entrant(const Contest& contest, std::string_view backend) {
  const auto found = std::ranges::find(contest.entrants, backend, &Entrant::backend);
  return found == contest.entrants.end() ? nullptr : &*found;
}

bool takes_part(const Contest& contest, std::string_view backend) {
  const Entrant* const entrant = find_entrant(contest, backend);
  return entrant != nullptr && entrant->state == EntrantState::kTimed;
}

Status check_role(const Contest& contest, const std::string& role, const std::string& backend) {
  if (takes_part(contest, backend)) return Ok{};
  std::vector<std::string> names;
  for (const Entrant& entrant : contest.entrants) {
    if (entrant.state == EntrantState::kTimed) names.push_back(entrant.backend);
  }
  return make_error(ErrorCode::kUnavailable, "the " + role + " \"" + backend + "\" does not run program \"" +
                                                 contest.program + "\" here." + did_you_mean(backend, names) +
                                                 " Name one that does: " + join(names, "none") + ".");
}

Result<CallArguments*> SharedArguments::on(const Device& device) {
  const auto found = std::ranges::find(sets_, device, &Set::device);
  if (found != sets_.end()) return found->arguments.get();
  KMUX_ASSIGN(CallArguments made, CallArguments::make(program_, inputs_, binding_, device, constants_));
  sets_.push_back({device, std::make_unique<CallArguments>(std::move(made))});
  return sets_.back().arguments.get();
}

}  // namespace kmux::bench
