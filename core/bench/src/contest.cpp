#include "contest.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "kmux/bench/sampling.h"
#include "kmux/bench/verdict.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"
#include "kmux/resolver.h"

#include "contestant.h"

namespace kmux::bench {
namespace {

/// When the initial contents of the calls' memory are restored.
enum class Refill {
  kOnce,  // before all samples: every call reads the same values
  kEachSample,  // before each sample, if a call changes the input of the next; all samples then have equally many calls
};

using TimeOnce = Result<double> (CallTimer::*)();

constexpr std::array<std::pair<Column, TimeOnce>, 4> kTimed = {{{Column::kDeviceHot, &CallTimer::device_hot},
                                                                {Column::kDeviceCold, &CallTimer::device_cold},
                                                                {Column::kHostCall, &CallTimer::host_call},
                                                                {Column::kEndToEnd, &CallTimer::end_to_end}}};

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Fills `column` with `amount` divided by the times of a call, which are in microseconds.
void set_rate(Entrant& entrant, Column column, double amount, Column time) {
  if (amount <= 0) return;
  std::vector<double> rates = entrant.columns.at(time).samples;
  for (double& value : rates) value = amount / value;
  set_column(entrant, column, std::move(rates));
}

void note_remarks(Entrant& entrant, const CallTimer& timer) {
  if (!timer.has_events()) entrant.remarks.emplace_back("no clock of its own: device times are the host's");
  if (!timer.can_flush()) entrant.remarks.emplace_back("no cache can be flushed: cold is one call, as it comes");
}

/// The calls of a contest while they are timed.
class CallRounds {
 public:
  CallRounds(Contest& contest, std::vector<Contestant>& contestants, const StopRule& rule, Refill refill,
             const BenchProgress& progress, const std::stop_token& cancel)
      : contest_(contest),
        contestants_(contestants),
        rule_(rule),
        refill_(refill),
        progress_(progress),
        cancel_(cancel) {}

  Status prepare() {
    for (Contestant& contestant : contestants_) {
      KMUX_TRY(contestant.arguments->refill());
      KMUX_ASSIGN(CallTimer timer, CallTimer::make(*contestant.kernel, *contestant.arguments));
      note_remarks(entrant_of(contestant), timer);
      contestant.timer.emplace(std::move(timer));
    }
    if (refill_ == Refill::kEachSample) make_alike();
    for (Contestant& contestant : contestants_) KMUX_TRY(contestant.arguments->refill());
    return Ok{};
  }

  /// Times all in rounds, and judges them.
  Status time_column(Column column, TimeOnce time) {
    std::vector<Sample> samples;
    samples.reserve(contestants_.size());
    for (Contestant& contestant : contestants_) {
      samples.emplace_back([this, time, &contestant] { return sample(contestant, time); });
    }
    title_ = info(column).title;
    begin_ = now();
    KMUX_ASSIGN(const Sampling sampling, sample_in_rounds(samples, rule_, now));
    ++done_;
    contest_.stops[column] = std::string(to_string(sampling.stop));
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      set_column(entrant_of(contestants_[i]), column, sampling.series[i]);
    }
    judge_column(column, sampling);
    judge_against_baseline(column, sampling);
    if (column == Column::kDeviceHot || column == Column::kDeviceCold) note_device_drift(sampling);
    return Ok{};
  }

  void finish() {
    constexpr double kGigaASecond = 1e-3;  // one per microsecond is 10^6 a second
    contest_.host_drift = drift_of(clock_);
    for (const Contestant& contestant : contestants_) {
      Entrant& entrant = entrant_of(contestant);
      set_rate(entrant, Column::kThroughput, 1e6, Column::kEndToEnd);
      set_rate(entrant, Column::kBytesRate, contest_.bytes * kGigaASecond, kHeadline);
      set_rate(entrant, Column::kFlopRate, contest_.flops * kGigaASecond, kHeadline);
    }
  }

 private:
  Entrant& entrant_of(const Contestant& contestant) { return contest_.entrants[contestant.entrant]; }

  Result<double> sample(Contestant& contestant, TimeOnce time) {
    if (cancel_.stop_requested()) return make_error(ErrorCode::kUnavailable, "the benchmark was stopped.");
    if (&contestant == &contestants_.front()) {
      clock_.push_back(time_reference_loop());
      tell();
    }
    if (refill_ == Refill::kEachSample) KMUX_TRY(contestant.arguments->refill());
    return (*contestant.timer.*time)();
  }

  /// Reports the completed fraction of all columns, as if each used its whole time limit.
  void tell() const {
    const std::chrono::duration<double> limit = rule_.time;
    const double part = limit.count() > 0 ? std::min(1.0, (now() - begin_) / limit) : 1;
    progress_(title_, (done_ + part) / static_cast<double>(kTimed.size()));
  }

  /// Sets the same number of calls per sample for all, so that all read the same values.
  void make_alike() {
    int fewest = std::numeric_limits<int>::max();
    for (const Contestant& contestant : contestants_) fewest = std::min(fewest, contestant.timer->burst());
    for (Contestant& contestant : contestants_) {
      contestant.timer->set_burst(fewest);
      entrant_of(contestant)
          .remarks.push_back("a call changes what the next one reads: before each sample of " + std::to_string(fewest) +
                             (fewest == 1 ? " call" : " calls") + " the memory is filled anew");
    }
  }

  void judge_column(Column column, const Sampling& sampling) {
    for (const Pair& pair : judge_pairs(sampling.series, sampling.looks, rule_.verdict)) {
      contest_.pairs[column].push_back({entrant_of(contestants_[pair.first]).backend,
                                        entrant_of(contestants_[pair.second]).backend, pair.judgement});
    }
  }

  /// Uses the rule of the pairs, so that these verdicts are equal to theirs.
  void judge_against_baseline(Column column, const Sampling& sampling) {
    const std::size_t baseline = index_of(contest_, contestants_, contest_.baseline);
    const VerdictRule rule = rule_of_pairs(rule_.verdict, contestants_.size());
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (i == baseline) continue;
      entrant_of(contestants_[i]).verdicts[column] =
          judge(sampling.series[i], sampling.series[baseline], sampling.looks, rule);
    }
  }

  /// Returns the device's name at its first contestant: each backend names it differently.
  std::string name_of_device(const Contestant& contestant) const {
    const Device device = contestant.kernel->device();
    const auto first =
        std::ranges::find_if(contestants_, [&](const Contestant& other) { return other.kernel->device() == device; });
    return first->kernel->device().to_string();
  }

  /// Stores each device's drift, unless another column had a larger one.
  void note_device_drift(const Sampling& sampling) {
    std::map<std::string, std::vector<std::vector<double>>> series;
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (contestants_[i].timer->has_events()) series[name_of_device(contestants_[i])].push_back(sampling.series[i]);
    }
    for (const auto& [device, times] : series) {
      double& drift = contest_.device_drift[device];
      const double found = common_drift(times);
      if (std::abs(found) > std::abs(drift)) drift = found;
    }
  }

  Contest& contest_;
  std::vector<Contestant>& contestants_;
  const StopRule& rule_;
  Refill refill_;
  const BenchProgress& progress_;
  const std::stop_token& cancel_;
  std::string title_ = {};  // of the current column
  std::chrono::nanoseconds begin_{};
  double done_ = 0;  // columns
  std::vector<double> clock_ = {};  // of the reference loop, one a round
};

/// Fills the columns of calls, in rounds of all contestants, with the verdicts on every pair. Between rounds,
/// `progress` receives the column and the completed fraction of all four.
///
/// Errors: those of calls; unavailable if cancelled.
Status time_calls(Contest& contest, std::vector<Contestant>& contestants, const StopRule& rule, Refill refill,
                  const BenchProgress& progress, const std::stop_token& cancel) {
  CallRounds rounds(contest, contestants, rule, refill, progress, cancel);
  KMUX_TRY(rounds.prepare());
  for (const auto& [column, time] : kTimed) KMUX_TRY(rounds.time_column(column, time));
  rounds.finish();
  return Ok{};
}

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
  KMUX_TRY(binding.take(options.values));
  return binding;
}

/// Returns the options for all backends, whichever they name.
CompileOptions for_all_backends(CompileOptions options) {
  options.execution_backend.clear();
  return options;
}

/// With a measured or pinned policy, the entrant's variant is compiled; otherwise the backend chooses it.
VariantChoice variant_choice(const Resolution& resolution) {
  const bool is_chosen = resolution.policy == Policy::kMeasured || resolution.policy == Policy::kPinned;
  return is_chosen ? VariantChoice::kEntrant : VariantChoice::kBackend;
}

/// Errors: invalid_argument for an extent below 0.
Status check_shapes(const Program& program, const Binding& binding) {
  for (const Param& param : program.signature.params) {
    if (as_buffer(param) == nullptr) continue;
    const auto shape = binding.shape_of(param);
    if (!shape) continue;  // users of a missing value report it
    const auto negative = std::ranges::find_if(*shape, [](std::int64_t extent) { return extent < 0; });
    if (negative == shape->end()) continue;
    return make_error(ErrorCode::kInvalidArgument, "tensor \"" + param.name + "\" has the negative extent " +
                                                       std::to_string(*negative) + ". Give larger values.");
  }
  return Ok{};
}

/// Returns the values of the program's constants: the given ones, and generated ones for other required constants.
Result<ConstantValues> constants_of(const Program& program, const BenchOptions& options) {
  KMUX_ASSIGN(ConstantValues constants, ConstantValues::parse(program, options.constants));
  KMUX_TRY(constants.make_up());
  return constants;
}

Status check_words(const Program& program, const Point& point, const BenchOptions& options) {
  KMUX_ASSIGN(Binding binding, bind(program, point, options));
  KMUX_ASSIGN(Inputs inputs, Inputs::parse(program, options.inputs));
  KMUX_TRY(inputs.load(binding));
  KMUX_TRY(inputs.check(binding));
  KMUX_TRY(constants_of(program, options));
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

/// Sets the baseline and the reference, as named or by rule.
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

// Typical completed fractions of a contest after each phase.
constexpr double kChecked = 0.2;
constexpr double kCompiled = 0.5;

void time_all_stages(Runtime& runtime, const Program& program, const BenchOptions& options,
                     const std::vector<Contestant>& contestants, Contest& contest, const BenchProgress& progress) {
  double part = kChecked;
  for (const Contestant& contestant : contestants) {
    if (options.cancel.stop_requested()) return;
    Entrant& entrant = contest.entrants[contestant.entrant];
    progress("compile on " + entrant.backend, part);
    time_stages_of(runtime, contestant.own ? *contestant.own : program, options, entrant, contestant);
    part += (kCompiled - kChecked) / static_cast<double>(contestants.size());
  }
}

}  // namespace

Status check_contest(Runtime& runtime, const Program& program, const Point& point, const BenchOptions& options) {
  Status fits = check_words(program, point, options);
  if (!fits) return in_program(program, std::move(fits).error());
  const Resolution resolution = resolve(runtime, program, for_all_backends(options.compile));
  if (resolution.policy_error) return in_program(program, *resolution.policy_error);
  auto entrants = entrants_of(resolution, options.backends);
  if (!entrants) return in_program(program, std::move(entrants).error());
  return check_roles({.program = program.name, .entrants = *std::move(entrants)}, options);
}

Result<Contest> hold_contest(Runtime& runtime, const Program& program, const Point& point, const BenchOptions& options,
                             const BenchProgress& progress) {
  const Resolution resolution = resolve(runtime, program, for_all_backends(options.compile));
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
  KMUX_ASSIGN(ConstantValues constants, constants_of(program, options));
  SharedArguments memory(program, inputs, binding, std::move(constants));
  std::vector<Contestant> contestants =
      prepare_all(runtime, program, options, variant_choice(resolution), memory, contest);
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
