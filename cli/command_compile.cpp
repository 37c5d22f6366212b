#include <chrono>

#include "kmux/plugin/file_io.h"
#include "kmux/program.h"
#include "kmux/runtime.h"

#include "command.h"
#include "compile_many.h"
#include "number_option.h"
#include "output_file.h"
#include "selection.h"
#include "style.h"

namespace kmux::cli {
namespace {

constexpr int kMostJobs = 1'000'000;

double nanoseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

Report report(const BuildResult& built, std::size_t bytes, double nanoseconds) {
  const std::string target = to_string(built.target);
  std::string text = built.resolution.explain() + "\n" +
                     styled(Style::kGood, built.from_cache ? "found in the cache" : "compiled") + " for " + target +
                     " with " + built.backend + " in " + duration_text(nanoseconds) + " (" + std::to_string(bytes) +
                     " bytes)\n";
  return {std::move(text), Json::Object{{"backend", built.backend},
                                        {"target", target},
                                        {"variant", static_cast<std::int64_t>(built.variant)},
                                        {"tier", built.tier},
                                        {"from_cache", built.from_cache},
                                        {"artifact_bytes", static_cast<std::int64_t>(bytes)},
                                        {"build_ns", nanoseconds},
                                        {"resolution", built.resolution.to_json()}}};
}

Result<Report> compile_one(const std::string& path, const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, load_program(path));
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
  return report(built, bytes.size(), nanoseconds);
}

Result<CompileManyOptions> options_for_many(const po::variables_map& arguments) {
  CompileManyOptions options{.keep_going = arguments.count("keep-going") != 0};
  KMUX_ASSIGN(options.each, compile_options(arguments));
  KMUX_ASSIGN(options.jobs, integer_option(arguments, "jobs", options.jobs, 0, kMostJobs));
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

}  // namespace kmux::cli
