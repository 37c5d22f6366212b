#include <chrono>

#include "kmux/file_io.h"

#include "command.h"
#include "selection.h"
#include "style.h"

namespace kmux::cli {
namespace {

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

Result<Report> run(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const CompileOptions options, compile_options(arguments));
  const auto begin = std::chrono::steady_clock::now();
  KMUX_ASSIGN(const BuildResult built, build(*runtime, program, options));
  const double nanoseconds = nanoseconds_since(begin);
  const std::string bytes = serialize(built.artifact);
  if (arguments.count("output") != 0) KMUX_TRY(write_file(arguments["output"].as<std::string>(), bytes));
  return report(built, bytes.size(), nanoseconds);
}

void describe(po::options_description& options) {
  describe_selection(options);
  options.add_options()("output", po::value<std::string>()->value_name("FILE"), "keep the artifact");
}

}  // namespace

const Command kCompileCommand{"compile",
                              "compile a program without running it",
                              "compile PROGRAM [options]",
                              "  kmux compile gemm.kmux.json\n"
                              "  kmux compile gemm.kmux.json --backend cpu --option engine=host --json\n",
                              {"program"},
                              describe,
                              run};

}  // namespace kmux::cli
