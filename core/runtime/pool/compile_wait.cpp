// kmux::compile that can be given up.
#include <limits>

#include "kmux/compile.h"

#include "compile/kernel_memo.h"
#include "compile_run.h"
#include "system/result_guard.h"

namespace kmux {
namespace {

Error given_up(const Program& program) {
  return make_error(ErrorCode::kUnavailable,
                    "program \"" + program.name +
                        "\" was not compiled (it was stopped). Compile it again if it is still "
                        "needed.");
}

/// One job that waits for nobody.
CompileRunPlan plan_of(Runtime& runtime, const Program& program, const CompileOptions& options,
                       const CompileWait& wait) {
  return {.jobs = {std::make_shared<const CompileJob>(CompileJob{.program = program, .options = options})},
          .groups = {JobGroup{.members = {0}}},
          .make = [&runtime](const CompileJob& job) -> Result<Product> {
            KMUX_ASSIGN(Kernel kernel, compile(runtime, job.program, job.options));
            std::string backend = kernel.backend();
            return Product{std::any(std::move(kernel)), std::move(backend)};
          },
          .memory_budget = std::numeric_limits<std::uint64_t>::max(),
          .most_compilers = std::numeric_limits<std::size_t>::max(),
          .cancel = wait.stop,
          .poll = wait.poll,
          .keeps_costs = false};
}

}  // namespace

Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options,
                       const CompileWait& wait) {
  return without_bad_alloc([&]() -> Result<Kernel> {
    KMUX_TRY(runtime.check_process());
    if (std::optional<Kernel> known = find_known(runtime, program, options)) return *std::move(known);
    const CompileRunOutcome outcome = run_compilation(runtime, plan_of(runtime, program, options, wait));
    const std::optional<Result<Product>>& made = outcome.groups.front();
    if (!made) return given_up(program);
    if (!made->ok()) return made->error();
    return *std::any_cast<Kernel>(&(*made)->made);
  });
}

Result<Kernel> compile(const Program& program, const CompileOptions& options, const CompileWait& wait) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, Runtime::default_runtime());
  return compile(*runtime, program, options, wait);
}

}  // namespace kmux
