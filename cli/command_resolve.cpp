#include "kmux/resolver.h"
#include "kmux/runtime.h"

#include "command.h"
#include "selection.h"

namespace kmux::cli {
namespace {

Result<Report> run_resolve(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  const Purpose purpose = arguments.count("build") != 0 ? Purpose::kBuild : Purpose::kRun;
  KMUX_ASSIGN(ResolveRequest request, resolve_request(arguments, purpose));
  const bool explains = arguments.count("explain") != 0;
  request.gathers_times = explains;
  const Resolution resolution = resolve(*runtime, program, request);
  if (auto chosen = require(resolution); !chosen) return std::move(chosen).error();
  return Report{explains ? resolution.explain_fully() : resolution.explain(), resolution.to_json()};
}

void describe_resolve(po::options_description& options) {
  describe_selection(options);
  auto add = options.add_options();
  add("build", "where nothing here runs it: which backend would compile it");
  add("explain", "print all that is known: times, quarantine, policy, folders");
}

}  // namespace

const Command kResolveCommand{"resolve",
                              "say which backend would run a program, and why",
                              "resolve PROGRAM [options]",
                              "  kmux resolve gemm.kmux.json\n  kmux resolve gemm.kmux.json --backend cpu --json\n"
                              "  kmux resolve gemm.kmux.json --policy measured --explain\n",
                              {"program"},
                              describe_resolve,
                              run_resolve};

}  // namespace kmux::cli
