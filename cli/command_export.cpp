#include "kmux/export_library.h"
#include "kmux/json.h"
#include "kmux/plugin/words.h"
#include "kmux/runtime.h"

#include "command.h"
#include "output_file.h"
#include "selection.h"

namespace kmux::cli {
namespace {

Report report(const ExportedLibrary& exported) {
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

Result<Report> run_export(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  ExportOptions options;
  KMUX_ASSIGN(options.compile, compile_options(arguments));
  options.library = value_of(arguments, "output");
  options.header = value_of(arguments, "header");
  options.host_compiler = value_of(arguments, "host-compiler");
  if (options.library.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "export has nowhere to write to. Give the library's path: -o FILE.");
  }
  OutputFiles outputs(arguments);
  outputs.protect(arguments["program"].as<std::string>(), program);
  KMUX_TRY(outputs.add({"--output", options.library, OutputKind::kLibrary}));
  if (arguments.count("header") != 0) KMUX_TRY(outputs.add({"--header", options.header, OutputKind::kHeader}));
  KMUX_ASSIGN(const ExportedLibrary exported, export_library(*runtime, program, options));
  return report(exported);
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

const Command kExportCommand{"export",
                             "make a library of a program that runs without kmux",
                             "export PROGRAM -o FILE [options]",
                             "  kmux export gemm.kmux.json --backend cpu -o libgemm.so --header gemm.h\n"
                             "  kmux export gemm.kmux.json --target cuda:sm_90a -o libgemm.so\n",
                             {"program"},
                             describe_export,
                             run_export};

}  // namespace kmux::cli
