#include "command.h"
#include "selection.h"

namespace kmux::cli {
namespace {

/// Wraps only: needs neither the toolchain nor a device.
Result<Report> run_launcher(const po::variables_map& arguments) {
  KMUX_ASSIGN(const Program program, read_program(arguments));
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const CompileOptions options, compile_options(arguments));
  KMUX_ASSIGN(const WrapResult wrapped, wrap(*runtime, program, options));
  return Report{wrapped.launcher,
                Json::Object{{"backend", wrapped.backend},
                             {"target", to_string(wrapped.target)},
                             {"reach", to_string(wrapped.resolution.chosen()->reach)},
                             {"launcher", wrapped.launcher}},
                kSuccess, notice_of(wrapped.resolution)};
}

}  // namespace

const Command kLauncherCommand{"launcher",
                               "print the launcher that a backend makes for a program",
                               "launcher PROGRAM [options]",
                               "  kmux launcher gemm.kmux.json --backend cpu\n",
                               {"program"},
                               describe_selection,
                               run_launcher};

}  // namespace kmux::cli
