#include <fstream>

#include "kmux/trace.h"

#include "command.h"
#include "command_run.h"

namespace kmux::cli {
namespace {

constexpr const char* kFile = "trace";

Status write_trace(const std::string& path, const std::string& trace) {
  std::ofstream file(path, std::ios::binary);
  file << trace << '\n';
  file.close();
  if (file) return Ok{};
  return make_error(ErrorCode::kUnavailable,
                    "the trace cannot be written to \"" + path + "\" (no such folder, or no room). Name another file.");
}

Result<Report> run_trace(const po::variables_map& arguments) {
  const auto path = arguments[kFile].as<std::string>();
  KMUX_ASSIGN(RunRequest request, read_run_request(arguments));  // what is wrong with it leaves no trace
  KMUX_TRY(request.files.add({"--trace", path, OutputKind::kTrace}));
  start_trace();
  Result<Report> report = run(std::move(request));
  KMUX_TRY(write_trace(path, stop_trace().to_json()));  // of a run that failed, too
  if (!report) return report;
  report->text += "  trace: " + path + " (open it at ui.perfetto.dev)\n";
  report->json["trace"] = path;
  return report;
}

void describe_trace(po::options_description& options) {
  describe_run_request(options);
  options.add_options()(kFile, po::value<std::string>()->value_name("FILE")->default_value("kmux-trace.json"),
                        "where to write the trace");
}

}  // namespace

const Command kTraceCommand{"trace",
                            "run a program and write what took how long, for Perfetto or chrome://tracing",
                            "trace PROGRAM --in NAME=SOURCE... [options of run] [--trace FILE]",
                            "  kmux trace gemm.kmux.json --in A=random:1 --in B=random:2 --repeat 20\n"
                            "  KMUX_TRACE=trace.json ./application      (the same for any program that uses kmux)\n",
                            {"program"},
                            describe_trace,
                            run_trace};

}  // namespace kmux::cli
