#include "kmux/bench/contest.h"

#include <algorithm>
#include <optional>

#include "kmux/plugin/words.h"
#include "kmux/resolver.h"

#include "contest_stages.h"
#include "contest_times.h"
#include "contestant.h"

namespace kmux::bench {
namespace {

using Point = std::map<std::string, std::int64_t>;

Error no_axis(const Program& program, const std::string& name) {
  std::vector<std::string> known;
  known.reserve(program.signature.symbols.size() + program.signature.params.size());
  for (const Symbol& symbol : program.signature.symbols) known.push_back(symbol.name);
  for (const Param& param : program.signature.params) {
    if (as_scalar(param) != nullptr) known.push_back(param.name);
  }
  return make_error(ErrorCode::kInvalidArgument, "the program has no symbol or scalar \"" + name + "\" (--axis)." +
                                                     did_you_mean(name, known) + " It has: " + join(known, "-") + ".");
}

Result<Binding> bind(const Program& program, const Point& point, const BenchOptions& options) {
  Binding binding(program);
  for (const auto& [name, value] : point) {
    const std::string assignment = name + "=" + std::to_string(value);
    const bool is_symbol =
        std::ranges::find(program.signature.symbols, name, &Symbol::name) != program.signature.symbols.end();
    const Param* const param = find_param(program.signature, name);
    if (!is_symbol && (param == nullptr || as_scalar(*param) == nullptr)) return no_axis(program, name);
    KMUX_TRY(is_symbol ? binding.set_symbol(assignment) : binding.set_scalar(assignment));
  }
  for (const std::string& symbol : options.symbols) KMUX_TRY(binding.set_symbol(symbol));
  for (const std::string& scalar : options.scalars) KMUX_TRY(binding.set_scalar(scalar));
  return binding;
}

ResolveRequest request_of(const CompileOptions& options) {
  ResolveRequest request;
  request.target = options.target;
  request.device = options.device;
  request.compile_flags = options.compile_flags;
  request.include_dirs = options.include_dirs;
  return request;
}

/// Errors: invalid_argument for an extent below 0.
Status check_shapes(const Program& program, const Binding& binding) {
  for (const Param& param : program.signature.params) {
    if (as_buffer(param) == nullptr) continue;
    const auto shape = binding.shape_of(param);
    if (!shape) continue;  // where a value is missing, those who need it report that
    const auto negative = std::ranges::find_if(*shape, [](std::int64_t extent) { return extent < 0; });
    if (negative == shape->end()) continue;
    return make_error(ErrorCode::kInvalidArgument, "tensor \"" + param.name + "\" has the negative extent " +
                                                       std::to_string(*negative) + ". Give larger values.");
  }
  return Ok{};
}

Status check_words(const Program& program, const Point& point, const BenchOptions& options) {
  KMUX_ASSIGN(Binding binding, bind(program, point, options));
  KMUX_ASSIGN(Inputs inputs, Inputs::parse(program, options.inputs));
  KMUX_TRY(inputs.load(binding));
  KMUX_TRY(check_shapes(program, binding));
  return Ok{};
}

/// Errors: unavailable for a role of a backend that cannot run here.
Status check_roles(const Contest& contest, const BenchOptions& options) {
  if (!options.baseline.empty()) KMUX_TRY(check_role(contest, "baseline", options.baseline));
  if (!options.reference.empty()) KMUX_TRY(check_role(contest, "reference", options.reference));
  return Ok{};
}

Error in_program(const Program& program, Error error) {
  error.message = "program \"" + program.name + "\": " + error.message;
  return error;
}

double declared(const std::optional<Expr>& expr, const Binding& binding) {
  if (!expr) return 0;
  const auto value = binding.evaluate(*expr);
  return value ? static_cast<double>(*value) : 0;
}

/// The baseline and the reference, as named or by rule.
Status name_roles(const BenchOptions& options, const Resolution& resolution, const std::vector<Contestant>& contestants,
                  Contest& contest) {
  if (contestants.empty()) return Ok{};
  const auto name_of = [&](const Contestant& one) { return contest.entrants[one.entrant].backend; };
  const std::string chosen = resolution.chosen() == nullptr ? "" : resolution.chosen()->backend;
  const std::string usual = takes_part(contest, chosen) ? chosen : name_of(contestants.front());
  contest.baseline = options.baseline.empty() ? usual : options.baseline;
  KMUX_TRY(check_role(contest, "baseline", contest.baseline));
  const auto host =
      std::ranges::find_if(contestants, [](const Contestant& one) { return one.kernel->device().is_host(); });
  const std::string right = host == contestants.end() ? contest.baseline : name_of(*host);
  contest.reference = options.reference.empty() ? right : options.reference;
  return check_role(contest, "reference", contest.reference);
}

// Which part of a contest is done by then, as it usually is.
constexpr double kChecked = 0.2;
constexpr double kCompiled = 0.5;

void time_all_stages(Runtime& runtime, const Program& program, const BenchOptions& options,
                     const std::vector<Contestant>& contestants, Contest& contest, const BenchProgress& progress) {
  double part = kChecked;
  for (const Contestant& contestant : contestants) {
    if (options.cancel.stop_requested()) return;
    Entrant& entrant = contest.entrants[contestant.entrant];
    progress("compile on " + entrant.backend, part);
    time_stages_of(runtime, program, options, entrant, contestant);
    part += (kCompiled - kChecked) / static_cast<double>(contestants.size());
  }
}

}  // namespace

Status check_contest(Runtime& runtime, const Program& program, const Point& point, const BenchOptions& options) {
  Status fits = check_words(program, point, options);
  if (!fits) return in_program(program, std::move(fits).error());
  auto entrants = entrants_of(resolve(runtime, program, request_of(options.compile)), options.backends);
  if (!entrants) return in_program(program, std::move(entrants).error());
  return check_roles({.program = program.name, .entrants = *std::move(entrants)}, options);
}

Result<Contest> hold_contest(Runtime& runtime, const Program& program, const Point& point, const BenchOptions& options,
                             const BenchProgress& progress) {
  const Resolution resolution = resolve(runtime, program, request_of(options.compile));
  Contest contest{.program = program.name,
                  .description = program.metadata.description,
                  .point = point,
                  .baseline = {},
                  .reference = {},
                  .resolution = rows_of(resolution),
                  .stops = {},
                  .entrants = {}};
  KMUX_ASSIGN(contest.entrants, entrants_of(resolution, options.backends));
  KMUX_ASSIGN(Binding binding, bind(program, point, options));
  KMUX_ASSIGN(Inputs inputs, Inputs::parse(program, options.inputs));
  KMUX_TRY(inputs.load(binding));
  contest.flops = declared(program.metadata.flops, binding);
  contest.bytes = declared(program.metadata.bytes, binding);
  progress("compile and check", 0);
  SharedArguments memory(program, inputs, binding);
  std::vector<Contestant> contestants = prepare_all(runtime, program, options, memory, contest);
  KMUX_TRY(name_roles(options, resolution, contestants, contest));
  if (contestants.empty()) return contest;
  KMUX_TRY(drop_wrong(program, options, contest, contestants));
  KMUX_TRY(check_role(contest, "baseline", contest.baseline));
  time_all_stages(runtime, program, options, contestants, contest, progress);
  KMUX_ASSIGN(const bool is_steady, is_repeatable(program, options, contestants.front()));
  KMUX_TRY(time_calls(
      contest, contestants, options.stop, is_steady ? Refill::kOnce : Refill::kEachSample,
      [&](const std::string& what, double part) { progress(what, kCompiled + (1 - kCompiled) * part); },
      options.cancel));
  return contest;
}

}  // namespace kmux::bench
