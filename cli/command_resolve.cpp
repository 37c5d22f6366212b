#include <map>
#include <string>
#include <vector>

#include "kmux/bench/binding.h"
#include "kmux/bench/call_arguments.h"
#include "kmux/kernel.h"
#include "kmux/plugin/emit.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"
#include "kmux/tune.h"

#include "command.h"
#include "options.h"
#include "output_file.h"
#include "run_request.h"
#include "style.h"

namespace kmux::cli {
namespace {

/// Returns true if it was rejected only for the dialect of its variant.
bool is_of_other_dialect(const Candidate& candidate) {
  return candidate.stage == Stage::kManifest && candidate.reason.starts_with("takes dialect ");
}

/// Merges `rows`, the variants whose dialects a backend does not support, into one. `rows` must not be empty.
Candidate folded(const std::vector<Candidate>& rows) {
  Candidate row = rows.front();
  if (rows.size() == 1) return row;
  std::string variants = std::to_string(row.variant);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    row.dialect += ", " + rows[i].dialect;
    row.reason += ", '" + rows[i].dialect + "'";
    variants += ", " + std::to_string(rows[i].variant);
  }
  row.reason += " (variants " + variants + ")";
  return row;
}

/// Returns the table with the variants of unsupported dialects merged into one row per backend, at the first one's
/// position.
std::string short_table(const Resolution& resolution) {
  std::map<std::string, std::vector<Candidate>> others;
  for (const Candidate& one : resolution.candidates) {
    if (is_of_other_dialect(one)) others[one.backend].push_back(one);
  }
  Resolution shorter = resolution;
  shorter.candidates.clear();
  for (const Candidate& one : resolution.candidates) {
    const bool is_other = is_of_other_dialect(one);
    if (is_other && one.variant != others[one.backend].front().variant) continue;
    shorter.candidates.push_back(is_other ? folded(others[one.backend]) : one);
  }
  const std::size_t fewer = resolution.candidates.size() - shorter.candidates.size();
  if (fewer == 0) return resolution.explain();
  return shorter.explain() + "  (--all has " + std::to_string(fewer) +
         " more rows: one for each variant of a dialect that a backend does not take)\n";
}

Result<Report> run_resolve(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  const Purpose purpose = arguments.count("build") != 0 ? Purpose::kBuild : Purpose::kRun;
  KMUX_ASSIGN(const CompileOptions options, compile_options(arguments));
  const bool explains = arguments.count("explain") != 0;
  const Resolution resolution = resolve(*runtime, program, options, {.purpose = purpose, .gathers_times = explains});
  if (auto chosen = require(resolution); !chosen) return std::move(chosen).error();
  if (explains) return Report{resolution.explain_fully(), resolution.to_json()};
  const bool has_all = arguments.count("all") != 0;
  return Report{has_all ? resolution.explain() : short_table(resolution), resolution.to_json()};
}

void describe_resolve(po::options_description& options) {
  describe_selection(options);
  auto add = options.add_options();
  add("all", "a row for each variant and backend, also for dialects that a backend does not take");
  add("build", "where nothing here runs it: which backend would compile it");
  add("explain", "print all that is known: times, quarantine, policy, folders");
}

/// Only wraps: needs neither the toolchain nor a device.
Result<Report> run_launcher(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const CompileOptions options, compile_options(arguments));
  KMUX_ASSIGN(const WrapResult wrapped, wrap(*runtime, program, options));
  const bool is_whole = arguments.contains("whole");
  return Report{is_whole ? wrapped.launcher : own_text(wrapped.launcher),
                Json::Object{{"backend", wrapped.backend},
                             {"target", to_string(wrapped.target)},
                             {"reach", to_string(wrapped.resolution.chosen()->reach)},
                             {"launcher", wrapped.launcher}},
                kSuccess, notice_of(wrapped.resolution), true};
}

void describe_launcher(po::options_description& options) {
  describe_selection(options);
  options.add_options()("whole", "also what is the same in every launcher, as it is compiled (with --json: always)");
}

Result<Report> run_source(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const CompileOptions options, compile_options(arguments));
  const Resolution resolution = resolve(*runtime, program, options, {.purpose = Purpose::kWrap});
  KMUX_ASSIGN(const Candidate chosen, require(resolution));
  std::string text;
  Json::Array files;
  for (const File& file : program.variants[chosen.variant].sources) {
    text += file.content;
    files.emplace_back(Json::Object{{"path", file.path}, {"content", file.content}});
  }
  return Report{std::move(text),
                Json::Object{{"backend", chosen.backend},
                             {"target", chosen.target},
                             {"reach", to_string(chosen.reach)},
                             {"files", std::move(files)}},
                kSuccess, notice_of(resolution), true};
}

}  // namespace

const Command kResolveCommand{"resolve",
                              "show which backend would run a program, and why",
                              "resolve PROGRAM [options]",
                              "  kmux resolve gemm.kmux.json\n  kmux resolve gemm.kmux.json --backend cpu --json\n"
                              "  kmux resolve gemm.kmux.json --policy measured --explain\n",
                              {"program"},
                              describe_resolve,
                              run_resolve};

const Command kLauncherCommand{"launcher",
                               "print the launcher that a backend makes for a program",
                               "launcher PROGRAM [options]",
                               "  kmux launcher gemm.kmux.json --backend cpu\n",
                               {"program"},
                               describe_launcher,
                               run_launcher};

const Command kSourceCommand{"source",
                             "print the sources of the variant that would run, or be compiled where nothing runs it",
                             "source PROGRAM [options]",
                             "  kmux source gemm.kmux.json\n",
                             {"program"},
                             describe_selection,
                             run_source};

namespace {

/// Errors: as for `kmux run` without --in.
Result<bench::Binding> bind(const Program& program, const po::variables_map& arguments) {
  bench::Binding binding(program);
  KMUX_TRY(binding.take(given_values(arguments)));
  KMUX_ASSIGN(bench::Inputs inputs, bench::Inputs::parse(program, {}));
  inputs.make_up();
  KMUX_TRY(inputs.check(binding));
  return binding;
}

/// One call in the requested shapes, without memory: tuning allocates its own.
///
/// Lifetime: the arguments borrow the tensors, which must stay valid.
struct Call {
  std::vector<Tensor> tensors;
  std::vector<Arg> args;
};

Result<Call> make_call(const Program& program, const bench::Binding& binding) {
  Call call;
  for (const Param& param : program.signature.params) {
    if (const ScalarParam* scalar = as_scalar(param)) {
      KMUX_ASSIGN(const Arg value, binding.scalar(param.name, scalar->dtype));
      call.args.push_back(value);
    } else if (const BufferParam* buffer = as_buffer(param)) {
      KMUX_ASSIGN(auto shape, binding.shape_of(param));
      Tensor tensor = Tensor::borrow(nullptr, std::move(shape), buffer->dtype);
      call.args.emplace_back(tensor);
      call.tensors.push_back(std::move(tensor));
    } else {
      call.args.push_back(Arg::pointer(nullptr));  // `tune` reports the error
    }
  }
  return call;
}

std::string name_of(const TunedCandidate& candidate) {
  return candidate.backend + " variant " + std::to_string(candidate.variant);
}

/// Pins the winner if it is certain, and adds the outcome to the report.
Status pin_winner(const std::string& lock, const Program& program, const Tuning& tuning, Report& report) {
  if (!tuning.is_sure) {
    report.text += "not pinned in " + lock + ": " + tuning.doubt() + ". Measure longer: --time, and --again.\n";
    report.code = kCheckFailed;
    return Ok{};
  }
  KMUX_ASSIGN(const auto replaced, pin(lock, program, tuning));
  report.text += "pinned in " + lock;
  report.json["lock"] = lock;
  if (replaced) {
    const std::string before =
        name_of(*replaced) + (replaced->build_id == tuning.best().build_id ? "" : " of another build");
    report.text +=
        " in place of " + before + " (a lock file has one winner for a program and target, whatever its shapes)";
    report.json["replaced"] = Json::Object{{"backend", replaced->backend},
                                           {"variant", static_cast<std::int64_t>(replaced->variant)},
                                           {"build_id", replaced->build_id}};
  }
  report.text += "\n";
  return Ok{};
}

Report make_report(const Program& program, const Tuning& tuning) {
  return {styled(Style::kBold, program.name) + ": " + name_of(tuning.best()) + " for " + tuning.best().target +
              (tuning.is_sure ? "" : " (undecided)") + "\n" + tuning.explain(),
          tuning.to_json()};
}

constexpr double kMaxTuneSeconds = 1e6;

Result<Report> run_tune(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const bench::Binding binding, bind(program, arguments));
  KMUX_ASSIGN(const Call call, make_call(program, binding));
  KMUX_ASSIGN(CompileOptions options, compile_options(arguments));
  options.policy = Policy::kMeasured;
  KMUX_ASSIGN(const double seconds, number_option(arguments, "time", 0, kMaxTuneSeconds));
  const std::string lock = value_of(arguments, "lock");
  OutputFiles outputs(arguments);
  outputs.protect(arguments["program"].as<std::string>(), program);
  if (arguments.count("lock") != 0) KMUX_TRY(outputs.add({"--lock", lock, OutputKind::kLock}));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const Kernel kernel, compile(*runtime, program, options));
  const TuneOptions how{.again = arguments.count("again") != 0, .time_s = seconds};
  KMUX_ASSIGN(const Tuning tuning, kernel.tune(call.args, how));
  Report report = make_report(program, tuning);
  if (!lock.empty()) KMUX_TRY(pin_winner(lock, program, tuning, report));
  return report;
}

void describe_tune(po::options_description& options) {
  describe_compilation(options);
  describe_values(options);
  auto add = options.add_options();
  add("again", "measure although there is a measurement");
  add("time", po::value<double>()->value_name("SECONDS")->default_value(2, "2"),
      "the most that measuring may take; it ends once the winner is sure");
  add("lock", po::value<std::string>()->value_name("FILE"), "pin the winner there, for policy pinned");
}

}  // namespace

const Command kTuneCommand{"tune",
                           "measure which backend runs a program fastest, and keep that",
                           "tune PROGRAM [options]",
                           "  kmux tune gemm.kmux.json\n"
                           "  kmux tune gemm.kmux.json --set m=4096 --lock production.lock\n"
                           "  KMUX_POLICY=pinned KMUX_LOCK_FILE=production.lock ./application\n",
                           {"program"},
                           describe_tune,
                           run_tune};

}  // namespace kmux::cli
