#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/dispatch_json.h"
#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/program.h"
#include "kmux/runtime.h"
#include "kmux/text.h"

#include "command.h"
#include "options.h"
#include "output_file.h"
#include "program_input.h"
#include "style.h"

namespace kmux::cli {
namespace {

void describe_nothing(po::options_description&) {}

Result<Report> run_show(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(Json json, parse_json(to_json(program)));
  return Report{.text = to_text(program), .json = std::move(json), .is_file = true};
}

/// A file whose text is not in canonical form.
struct Unformatted {
  std::string path;
  std::string canonical;
};

/// Returns nothing if the file is in canonical form.
Result<std::optional<Unformatted>> unformatted(const std::string& path) {
  KMUX_ASSIGN(const std::string content, read_named_file(path));
  const std::optional<ProgramText> text = text_in_file(path, content);
  if (!text) {
    return make_error(ErrorCode::kInvalidArgument, "\"" + path + "\" has no text form (it is JSON). Write `kmux show " +
                                                       path + " > NAME.kmux` to have one.");
  }
  KMUX_ASSIGN(const std::string canonical, format_text(*text));
  if (canonical == content) return std::optional<Unformatted>();
  return std::optional(Unformatted{path, canonical});
}

/// Reads every file before it writes one, so that an invalid file leaves all unchanged.
Result<Report> run_format(const po::variables_map& arguments) {
  const bool only_checks = arguments.contains("check");
  std::vector<Unformatted> files;
  for (const std::string& path : values_of(arguments, "file")) {
    KMUX_ASSIGN(std::optional<Unformatted> file, unformatted(path));
    if (file) files.push_back(*std::move(file));
  }
  Report report;
  Json::Array changed;
  for (const Unformatted& file : files) {
    if (!only_checks) KMUX_TRY(rewrite_file(file.path, file.canonical));
    report.text += file.path + (only_checks ? ": not in canonical form\n" : ": written\n");
    changed.emplace_back(file.path);
    if (only_checks) report.code = kCheckFailed;
  }
  report.json = Json::Object{{"changed", std::move(changed)}};
  return report;
}

void describe_format(po::options_description& options) {
  options.add_options()("check", "write nothing; exit code 1 if a file is not in canonical form");
}

/// Returns "saxpy.kmux.json" for "saxpy.kmux", "saxpy.cu" and "saxpy.kmux.json".
std::string packed_name(const std::string& path) {
  constexpr std::string_view kSuffix = ".kmux.json";
  if (path.ends_with(kSuffix)) return path;
  const std::size_t name = path.rfind('/') + 1;  // 0 if there is no slash
  const std::size_t point = path.find('.', name);
  return path.substr(0, point) + std::string(kSuffix);
}

Status check_pack(const po::variables_map& arguments) {
  if (arguments["program"].as<std::string>() != kStandardInput || !value_of(arguments, "output").empty()) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "the document has no name (the program comes from the standard input). Give one with -o.");
}

Result<Report> run_pack(const po::variables_map& arguments) {
  const auto path = arguments["program"].as<std::string>();
  KMUX_ASSIGN(const Program program, read_program(arguments));
  const std::string given = value_of(arguments, "output");
  const std::string output = given.empty() ? packed_name(path) : given;
  OutputFiles files(arguments);
  if (output != path) files.protect(path, program);
  KMUX_TRY(files.add({"--output", output, OutputKind::kProgram}));
  KMUX_TRY(save_program(program, output));
  return Report{output + ": written\n", Json::Object{{"program", output}, {"digest", digest(program)}}};
}

void describe_pack(po::options_description& options) {
  options.add_options()("output,o", po::value<std::string>()->value_name("FILE"),
                        "the document (default: NAME.kmux.json beside the program)");
  describe_force(options);
}

/// Compiles what `kmux run` would run, and returns the backend.
///
/// Errors: as for `build`; unsupported if nothing here runs what was built.
Result<std::string> compile_begun(const std::string& path, const std::vector<std::string>& include_dirs) {
  KMUX_ASSIGN(const Program program, load_given_program(path));
  CompileOptions options;
  options.include_dirs = include_dirs;
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const BuildResult built, build(*runtime, program, options));
  if (!built.resolution.runs_nowhere()) return built.backend;
  return make_error(ErrorCode::kUnsupported, "nothing here runs it (it compiles for " + to_string(built.target) +
                                                 "). Name a target that is here with `kmux run --target`.");
}

/// Reports the source that was rewritten. If it does not compile, the report has the error and its exit code.
Report report_written(const std::string& path, const std::vector<std::string>& include_dirs, Report report) {
  std::string run = "`kmux run " + path;
  for (const std::string& folder : include_dirs) run += " -I " + folder;
  report.is_file = false;
  const Result<std::string> compiled = compile_begun(path, include_dirs);
  if (compiled) {
    report.text = path + ": written; backend " + *compiled + " compiles it. Next: " + run + "`\n";
    report.json["backend"] = *compiled;
    return report;
  }
  const Error& error = compiled.error();
  const bool has_backend = error.code == ErrorCode::kCompileFailed && error.note("backend").has_value();
  const std::string who =
      has_backend ? "backend " + std::string(*error.note("backend")) + " cannot" : "no backend here can";
  std::cerr << error_report(error, path + ": ");
  report.text = path + ": written; " + who + " compile it (the error has the reason). Correct it, then " + run + "`.\n";
  report.json["error"] = cli::to_json(error);
  report.code = exit_code(error.code);
  return report;
}

Result<Report> run_new(const po::variables_map& arguments) {
  const auto path = arguments["file"].as<std::string>();
  KMUX_ASSIGN(const BegunSource begun,
              begin_program(path, values_of(arguments, "include"), values_of(arguments, "kernel")));
  Report report{.text = begun.text,
                .json = Json::Object{{"text", begun.text}, {"left_out", json_list(begun.left_out)}},
                .is_file = true};
  if (!begun.left_out.empty()) report.notice = "left out: " + joined(begun.left_out, "; ");
  if (arguments.count("write") == 0) return report;
  if (path == kStandardInput) {
    report.text = begun.content;
    return report;
  }
  KMUX_TRY(rewrite_file(path, begun.content));
  return report_written(path, values_of(arguments, "include"), std::move(report));
}

void describe_new(po::options_description& options) {
  using List = std::vector<std::string>;
  auto add = options.add_options();
  add("write,w",
      "put the comment at the head of the file, and compile it (default: print it); the exit code is that of `kmux "
      "compile`");
  add("kernel,k", po::value<List>()->value_name("NAME"), "launch this function (default: all of the file); repeatable");
  add("include,I", po::value<List>()->value_name("DIR"), "a folder of headers; repeatable");
}

}  // namespace

const Command kNewCommand{"new",
                          "begin the program of a source: print the comment that makes a program of it",
                          "new FILE|- [--kernel NAME] [--write]",
                          "  kmux new saxpy.cu                       # what is guessed says so; nothing is written\n"
                          "  kmux new saxpy.cu --write && kmux run saxpy.cu\n"
                          "  kmux new blas.cu --kernel 'axpy<float>' --write\n"
                          "  kmux new - --write < saxpy.cu | kmux run -  # a source of the standard input\n",
                          {"file"},
                          describe_new,
                          run_new};

const Command kShowCommand{
    "show",         "print a program as text",
    "show PROGRAM", "  kmux show gemm.kmux.json\n  kmux show gemm.kmux.json > gemm.kmux\n  kmux show saxpy.cu\n",
    {"program"},    describe_nothing,
    run_show};

const Command kFormatCommand{"fmt",
                             "rewrite the text of programs in canonical form",
                             "fmt FILE... [--check]",
                             "  kmux fmt gemm.kmux saxpy.cu\n  kmux fmt --check kernels/*.kmux\n",
                             {"file"},
                             describe_format,
                             run_format,
                             true};

const Command kPackCommand{"pack",
                           "write a program as JSON with the digests of its files",
                           "pack PROGRAM [-o FILE]",
                           "  kmux pack saxpy.cu                          # makes saxpy.kmux.json\n"
                           "  kmux pack gemm.kmux -o release/gemm.kmux.json\n",
                           {"program"},
                           describe_pack,
                           run_pack,
                           false,
                           {},
                           check_pack};

}  // namespace kmux::cli
