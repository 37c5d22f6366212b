#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "kmux/bench/binding.h"
#include "kmux/compile.h"
#include "kmux/export_library.h"
#include "kmux/json.h"
#include "kmux/kernel_attributes.h"
#include "kmux/par_compile.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/word_list.h"
#include "kmux/program.h"
#include "kmux/runtime.h"

#include "base/duration_text.h"
#include "command.h"
#include "interrupt.h"
#include "options.h"
#include "output_file.h"
#include "program_input.h"
#include "progress_view.h"
#include "style.h"

namespace kmux::cli {
namespace {

struct CompileManyOptions {
  CompileOptions each = {};
  int jobs = 0;             // at the same time; 0: one a core
  bool keep_going = false;  // compile the rest if one fails
};

/// The outcome of one program.
struct Fate {
  std::string path;
  std::string state = "cancelled";  // "done", "failed"
  std::string backend = {};
  bool from_cache = false;
  double nanoseconds = 0;
  bool runs_nowhere = false;
  std::optional<Error> error = {};
};

/// The programs that could be read, and the outcomes of all.
struct Batch {
  std::vector<Fate> fates;
  std::vector<CompileJob> jobs;
  std::vector<std::size_t> places;  // indices of the jobs' outcomes
};

Batch read_all(const std::vector<std::string>& paths, const CompileOptions& options) {
  Batch batch;
  for (const std::string& path : paths) {
    Fate fate{.path = path};
    Result<Program> program = load_given_program(path);
    if (program) {
      batch.places.push_back(batch.fates.size());
      batch.jobs.push_back({*std::move(program), options});
    } else {
      fate.state = "failed";
      fate.error = std::move(program).error();
    }
    batch.fates.push_back(std::move(fate));
  }
  return batch;
}

void note(Fate& fate, const CompileProgress& event) {
  if (event.step != JobStep::kDone && event.step != JobStep::kFailed) return;
  fate.state = to_string(event.step);
  fate.backend = event.backend;
  fate.from_cache = event.from_cache;
  fate.nanoseconds = static_cast<double>(event.elapsed.count());
  if (event.error != nullptr) fate.error = *event.error;
}

void note_where(Batch& batch, const std::vector<Result<BuildResult>>& built) {
  for (std::size_t i = 0; i < built.size(); ++i)
    batch.fates[batch.places[i]].runs_nowhere = built[i] && built[i]->resolution.runs_nowhere();
}

/// Builds the programs of `batch`. With `keep_going`, each result may be an error.
Result<std::vector<Result<BuildResult>>> build_all(const Batch& batch, bool keep_going, const ParCompileOptions& how) {
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  if (keep_going) return try_par_build(*runtime, batch.jobs, how);
  KMUX_ASSIGN(std::vector<BuildResult> built, par_build(*runtime, batch.jobs, how));
  return std::vector<Result<BuildResult>>(std::make_move_iterator(built.begin()), std::make_move_iterator(built.end()));
}

/// Compiles the readable programs. Stores their errors in the fates; returns an error that concerns no single program.
Status compile_all(Batch& batch, const CompileManyOptions& options, const std::stop_token& cancel) {
  std::vector<std::string> names;
  names.reserve(batch.places.size());
  for (const std::size_t place : batch.places) names.push_back(batch.fates[place].path);
  const auto view = progress_on_stderr(std::move(names));
  std::size_t failed = 0;
  const auto show = [&](const CompileProgress& event) {
    note(batch.fates[batch.places[event.index]], event);
    failed = event.counts.failed;
    view->show(event);
  };
  const auto built =
      build_all(batch, options.keep_going, {.num_workers = options.jobs, .cancel = cancel, .progress = show});
  view->end();
  if (!built && failed == 0 && !cancel.stop_requested()) return built.error();
  if (built) note_where(batch, *built);
  return Ok{};
}

/// Returns the exit code, after a signal like that of a program ended by it.
ExitCode code_of(const std::vector<Fate>& fates, int signal) {
  if (signal != 0) return kInterrupted;
  for (const Fate& fate : fates)
    if (fate.error) return exit_code(fate.error->code);
  return kSuccess;
}

void print_errors(const std::vector<Fate>& fates) {
  for (const Fate& fate : fates) {
    if (!fate.error) continue;
    std::cerr << error_report(*fate.error, fate.path + ": ");
  }
}

std::size_t count(const std::vector<Fate>& fates, std::string_view state) {
  return static_cast<std::size_t>(std::ranges::count(fates, state, &Fate::state));
}

std::string summary(const std::vector<Fate>& fates, double nanoseconds) {
  const auto cached = std::ranges::count(fates, true, &Fate::from_cache);
  const std::size_t failed = count(fates, "failed"), cancelled = count(fates, "cancelled");
  std::string text =
      styled(failed == 0 && cancelled == 0 ? Style::kGood : Style::kBad,
             std::to_string(count(fates, "done")) + " of " + std::to_string(fates.size()) + " programs are compiled");
  if (cached != 0) text += ", " + std::to_string(cached) + " of them found in the cache";
  if (const auto nowhere = std::ranges::count(fates, true, &Fate::runs_nowhere); nowhere != 0)
    text += "; nothing here runs " + std::to_string(nowhere) + " of them";
  if (failed != 0) text += "; " + std::to_string(failed) + " failed";
  if (cancelled != 0) text += "; " + std::to_string(cancelled) + " cancelled";
  return text + " (" + duration_text(nanoseconds) + ")\n";
}

Json to_json(const Fate& fate) {
  Json json = Json::Object{{"program", fate.path}, {"state", fate.state}};
  if (fate.error) {
    json["error"] = cli::to_json(*fate.error);
  } else if (fate.state == "done") {
    json["backend"] = fate.backend;
    json["from_cache"] = fate.from_cache;
    json["build_ns"] = fate.nanoseconds;
  }
  return json;
}

Report report(const std::vector<Fate>& fates, double nanoseconds, int signal) {
  Json::Array programs;
  for (const Fate& fate : fates) programs.push_back(to_json(fate));
  return {summary(fates, nanoseconds), Json::Object{{"programs", std::move(programs)}, {"build_ns", nanoseconds}},
          code_of(fates, signal)};
}

/// Compiles the programs of `paths` in parallel, with progress on stderr and the errors after it. Ctrl-C cancels.
///
/// The report has the exit code of the first failure in the order of `paths`.
/// Errors: those of the runtime and of the options; a program's own errors are part of the report.
Result<Report> compile_many(const std::vector<std::string>& paths, const CompileManyOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Interrupt interrupt;
  Batch batch = read_all(paths, options.each);
  const bool all_read = batch.jobs.size() == paths.size();
  if (all_read || options.keep_going) KMUX_TRY(compile_all(batch, options, interrupt.token()));
  print_errors(batch.fates);
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  return report(batch.fates, elapsed.count(), interrupt.signal());
}

constexpr int kMaxJobs = 1'000'000;

double nanoseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the resources of a compiled kernel, as reported by the backend.
Json to_json(const KernelAttributes& kernel) {
  return Json::Object{{"kernel", kernel.kernel},
                      {"registers", kernel.registers},
                      {"local_bytes", kernel.local_bytes},
                      {"shared_bytes", kernel.shared_bytes},
                      {"constant_bytes", kernel.constant_bytes},
                      {"max_threads", kernel.max_threads}};
}

/// Returns the line of a kernel, with the occupancy of its launches if constants and example values determine their
/// block.
std::string kernel_line(const KernelAttributes& kernel, const std::optional<Occupancy>& occupancy) {
  return "  " + kernel.to_string() + (occupancy ? "; " + occupancy->to_string() : "") + "\n";
}

Json to_json(const Occupancy& occupancy) {
  return Json::Object{{"blocks", occupancy.blocks}, {"part", occupancy.part}, {"limit", occupancy.limit}};
}

Report report(const Program& program, const BuildResult& built, std::size_t bytes, double nanoseconds,
              bool is_verbose) {
  const std::string target = to_string(built.target);
  const auto kernels = attributes_of(built.artifact, built.backend);
  const bench::Binding binding(program);
  Json::Array list;
  std::string lines;
  for (const KernelAttributes& kernel : kernels ? *kernels : std::vector<KernelAttributes>()) {
    const auto occupancy = bench::occupancy_of(kernel, program.variants[built.variant], binding);
    list.push_back(to_json(kernel));
    if (occupancy) list.back()["occupancy"] = to_json(*occupancy);
    if (is_verbose) lines += kernel_line(kernel, occupancy);
  }
  std::string text = built.resolution.explain();
  text = is_verbose ? text + "\n" : text.substr(0, text.find('\n') + 1);  // the table explains failures
  text += styled(Style::kGood, built.from_cache ? "found in the cache" : "compiled") + " for " + target + " with " +
          built.backend + " in " + duration_text(nanoseconds) + " (" + std::to_string(bytes) + " bytes)\n" + lines;
  return {std::move(text), Json::Object{{"backend", built.backend},
                                        {"kernels", kernels ? Json(std::move(list)) : Json()},
                                        {"target", target},
                                        {"variant", static_cast<std::int64_t>(built.variant)},
                                        {"tier", built.tier},
                                        {"from_cache", built.from_cache},
                                        {"artifact_bytes", static_cast<std::int64_t>(bytes)},
                                        {"build_ns", nanoseconds},
                                        {"resolution", built.resolution.to_json()}}};
}

Result<Report> compile_one(const std::string& path, const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, load_given_program(path));
  KMUX_ASSIGN(const CompileOptions options, compile_options(arguments));
  const std::string output = value_of(arguments, "output");
  OutputFiles outputs(arguments);
  outputs.protect(path, program);
  if (arguments.count("output") != 0) KMUX_TRY(outputs.add({"--output", output, OutputKind::kArtifact}));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  const auto begin = std::chrono::steady_clock::now();
  KMUX_ASSIGN(const BuildResult built, build(*runtime, program, options));
  const double nanoseconds = nanoseconds_since(begin);
  const std::string bytes = serialize(built.artifact);
  if (arguments.count("output") != 0) KMUX_TRY(write_file(output, bytes));
  return report(program, built, bytes.size(), nanoseconds, options.verbose.value_or(false));
}

Result<CompileManyOptions> options_for_many(const po::variables_map& arguments) {
  CompileManyOptions options{.keep_going = arguments.count("keep-going") != 0};
  KMUX_ASSIGN(options.each, compile_options(arguments));
  KMUX_ASSIGN(options.jobs, integer_option(arguments, "jobs", options.jobs, 0, kMaxJobs));
  return options;
}

Result<Report> run_compile(const po::variables_map& arguments) {
  const std::vector<std::string> paths = values_of(arguments, "program");
  KMUX_ASSIGN(const CompileManyOptions options, options_for_many(arguments));
  if (paths.size() == 1) return compile_one(paths.front(), arguments);
  if (arguments.count("output") == 0) return compile_many(paths, options);
  return make_error(ErrorCode::kInvalidArgument,
                    "--output is for one program (there are " + std::to_string(paths.size()) +
                        "). Compile them one by one, or take them out of the cache with `kmux cache export`.");
}

void describe_compile(po::options_description& options) {
  describe_selection(options);
  auto add = options.add_options();
  add("output", po::value<std::string>()->value_name("FILE"), "keep the artifact of one program");
  describe_force(options);
  add("jobs,j", po::value<int>()->value_name("N"),
      "several programs: compile N at the same time (default: one a core)");
  add("keep-going,k", "several programs: compile the rest if one fails");
}

Report export_report(const ExportedLibrary& exported) {
  std::string text = exported.library + ": " + std::to_string(exported.bytes) + " bytes for " +
                     to_string(exported.target) + ", by " + exported.backend +
                     (exported.resolution.runs_nowhere() ? " (nothing here runs it)\n" : "\n") + "it exports " +
                     join(exported.symbols) + "\n";
  if (!exported.header.empty()) text += exported.header + ": declares them\n";
  return {std::move(text), Json::Object{{"library", exported.library},
                                        {"header", exported.header},
                                        {"backend", exported.backend},
                                        {"target", to_string(exported.target)},
                                        {"reach", to_string(exported.resolution.chosen()->reach)},
                                        {"bytes", static_cast<std::int64_t>(exported.bytes)},
                                        {"symbols", json_list(exported.symbols)},
                                        {"from_cache", exported.from_cache}}};
}

Status check_export(const po::variables_map& arguments) {
  if (!value_of(arguments, "output").empty()) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "export has nowhere to write to. Give the library's path: -o FILE.");
}

Result<Report> run_export(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  ExportOptions options;
  KMUX_ASSIGN(options.compile, compile_options(arguments));
  options.library = value_of(arguments, "output");
  options.header = value_of(arguments, "header");
  options.host_compiler = value_of(arguments, "host-compiler");
  OutputFiles outputs(arguments);
  outputs.protect(arguments["program"].as<std::string>(), program);
  KMUX_TRY(outputs.add({"--output", options.library, OutputKind::kLibrary}));
  if (arguments.count("header") != 0) KMUX_TRY(outputs.add({"--header", options.header, OutputKind::kHeader}));
  KMUX_ASSIGN(const ExportedLibrary exported, export_library(*runtime, program, options));
  return export_report(exported);
}

void describe_export(po::options_description& options) {
  describe_selection_without_o(options);
  auto add = options.add_options();
  add("output,o", po::value<std::string>()->value_name("FILE"), "the shared library");
  add("header", po::value<std::string>()->value_name("FILE"), "a C header for it");
  describe_force(options);
  add("host-compiler", po::value<std::string>()->value_name("NAME"), "a C++ compiler (default: c++, g++, clang++)");
}

}  // namespace

const Command kCompileCommand{"compile",
                              "compile programs without running them",
                              "compile PROGRAM... [options]",
                              "  kmux compile gemm.kmux.json\n"
                              "  kmux compile kernels/*.kmux.json -j 8 --keep-going\n"
                              "  kmux compile gemm.kmux.json --backend cpu --option engine=host --json\n",
                              {"program"},
                              describe_compile,
                              run_compile,
                              true};

const Command kExportCommand{"export",
                             "make a library of a program that runs without kmux",
                             "export PROGRAM -o FILE [options]",
                             "  kmux export gemm.kmux.json --backend cpu -o libgemm.so --header gemm.h\n"
                             "  kmux export gemm.kmux.json --target cuda:sm_90a -o libgemm.so\n",
                             {"program"},
                             describe_export,
                             run_export,
                             false,
                             {},
                             check_export};

}  // namespace kmux::cli
