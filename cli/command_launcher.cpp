#include "kmux/plugin/emit.h"
#include "kmux/runtime.h"

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
  const bool is_whole = arguments.contains("whole");
  return Report{is_whole ? wrapped.launcher : own_text(wrapped.launcher),
                Json::Object{{"backend", wrapped.backend},
                             {"target", to_string(wrapped.target)},
                             {"reach", to_string(wrapped.resolution.chosen()->reach)},
                             {"launcher", wrapped.launcher}},
                kSuccess, notice_of(wrapped.resolution)};
}

void describe_launcher(po::options_description& options) {
  describe_selection(options);
  options.add_options()("whole", "also what is the same in every launcher, as it is compiled (with --json: always)");
}

}  // namespace

const Command kLauncherCommand{"launcher",
                               "print the launcher that a backend makes for a program",
                               "launcher PROGRAM [options]",
                               "  kmux launcher gemm.kmux.json --backend cpu\n",
                               {"program"},
                               describe_launcher,
                               run_launcher};

}  // namespace kmux::cli
