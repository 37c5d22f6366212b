#include "kmux/runtime.h"

#include "command.h"
#include "selection.h"

namespace kmux::cli {
namespace {

Result<Report> run_source(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const ResolveRequest request, resolve_request(arguments, Purpose::kWrap));
  const Resolution resolution = resolve(*runtime, program, request);
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
                kSuccess, notice_of(resolution)};
}

}  // namespace

const Command kSourceCommand{"source",
                             "print the sources of the variant that would run, or be compiled where nothing runs it",
                             "source PROGRAM [options]",
                             "  kmux source gemm.kmux.json\n",
                             {"program"},
                             describe_selection,
                             run_source};

}  // namespace kmux::cli
