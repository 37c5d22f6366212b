#include "regress/call_cases.h"

#include <array>
#include <memory>
#include <vector>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/jit.h"
#include "kmux/plugin/plan_runner.h"
#include "kmux/plugin/sink.h"
#include "kmux/tensor.h"
#include "kmux/trace.h"

#include "cold_kernel.h"
#include "idle_driver.h"
#include "regress/references.h"
#include "regress/runtimes.h"

namespace kmux::regress {
namespace {

constexpr int kKernels = 8;

/// A kernel with its arguments, kept together: a burst is copied, and its arguments point into it.
struct Call {
  Kernel kernel;
  std::vector<Tensor> tensors;
  std::vector<Arg> args;
};

Tensor zeros_for(const Kernel& kernel, std::int64_t size) {
  return Tensor::zeros({size}, dtype::kFloat32, kernel.device()).value();
}

std::shared_ptr<const Call> make_call(Kernel kernel, const std::vector<std::int64_t>& sizes) {
  const auto call = std::make_shared<Call>(Call{std::move(kernel), {}, {}});
  for (const std::int64_t size : sizes) call->tensors.push_back(zeros_for(call->kernel, size));
  for (const Tensor& tensor : call->tensors) call->args.emplace_back(tensor);
  return call;
}

Burst launches(const std::shared_ptr<const Call>& call) {
  return [call](int times) -> Status {
    for (int i = 0; i < times; ++i) KMUX_TRY(call->kernel.launch(call->args));
    return Ok{};
  };
}

Kernel compiled(Runtime& runtime, const CompileOptions& options) {
  Kernel kernel = compile(runtime, bench::small_program(0), options).value();
  kernel.await_best().value();
  return kernel;
}

Kernel cpu_kernel(Runtime& runtime) { return compiled(runtime, {.execution_backend = "cpu", .use_cache = false}); }

Program gridded_program() {
  ProgramBuilder builder("add");
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat32, {n}).input("B", dtype::kFloat32, {n}).output("C", dtype::kFloat32, {n});
  builder.variant("cuda").source("add.cu", "");
  builder.launch("add").grid({ceildiv(n, 128), ceildiv(n, 96)}).block({128}).args({"A", "B", "C"}).arg(n * 4 + 1);
  return builder.build().value();
}

struct Config {
  std::int64_t tile = 4;
};
BOOST_DESCRIBE_STRUCT(Config, (), (tile))

JitOutputs add(JitBuilder& b, std::span<const Tensor>, const Config&) {
  const auto [n] = b.constants("n");
  b.input("x", dtype::kFloat32, {n});
  b.input("y", dtype::kFloat32, {n});
  b.inout("z", {n});
  b.variant("c").define("SIZE", n.value()).source("add.c", R"(
    void add(const float* x, const float* y, float* z) {
      for (int i = 0; i < SIZE; ++i) z[i] = x[i] + y[i];
    })");
  b.launch("add").args({"x", "y", "z"});
  return {};
}

}  // namespace

Duel call_cpu(const std::filesystem::path&) {
  const auto runtime = cacheless_runtime();
  std::vector<Burst> kernels;  // several: the addresses of one kernel and its arguments change its time by over 20 %
  kernels.reserve(kKernels);
  for (int i = 0; i < kKernels; ++i) kernels.push_back(launches(make_call(cpu_kernel(*runtime), {1, 1, 1})));
  return {[kernels](int times) -> Status {
            for (const Burst& kernel : kernels) KMUX_TRY(kernel(times / kKernels));
            return Ok{};
          },
          calls_reference()};
}

Duel call_null(const std::filesystem::path&) {
  const auto runtime = null_runtime();
  return {launches(make_call(compiled(*runtime, {.execution_backend = "null_a"}), {64, 64, 64})), calls_reference()};
}

Duel call_wrong(const std::filesystem::path&) {
  const auto runtime = cacheless_runtime();
  const auto wrong = make_call(cpu_kernel(*runtime), {64, 63, 64});
  return {[wrong](int times) -> Status {
            for (int i = 0; i < times; ++i) {
              if (wrong->kernel.launch(wrong->args))
                return make_error(ErrorCode::kInternal, "a wrong call was accepted");
            }
            return Ok{};
          },
          heap_reference()};
}

Duel call_trace_off(const std::filesystem::path&) {
  const auto runtime = cacheless_runtime();
  const auto before = make_call(cpu_kernel(*runtime), {1, 1, 1});
  start_trace();
  cpu_kernel(*runtime);
  stop_trace();
  const auto after = std::make_shared<Call>(*before);  // the same memory: its address alone changes the time
  after->kernel = cpu_kernel(*runtime);
  return {launches(after), launches(before)};
}

Duel plan_runner(const std::filesystem::path&) {
  const auto runner = std::make_shared<PlanRunner>(PlanRunner::compile(lower(gridded_program(), 0).value()).value());
  return {[runner](int times) -> Status {
            const kmux_driver_env env{
                {sizeof(kmux_launch_env), 0, nullptr, nullptr, 0, 0}, &bench::kIdleDriver, nullptr};
            const kmux_sink sink = discard();
            std::array<kmux_slot, 16> slots;
            for (kmux_slot& slot : slots) slot.i64 = 4096;
            for (int i = 0; i < times; ++i) {
              if (runner->launch(slots.data(), env, sink) != KMUX_OK) {
                return make_error(ErrorCode::kInternal, "the plan's launch failed");
              }
            }
            return Ok{};
          },
          calls_reference()};
}

Duel eager(const std::filesystem::path&) {
  const auto sum = jit(add, {.execution_backend = "cpu"}, {.name = "add", .runtime = cacheless_runtime()});
  const auto zeros = [] { return Tensor::zeros({4}, dtype::kFloat32).value(); };
  return {[sum, x = zeros(), y = zeros(), z = zeros()](int times) -> Status {
            for (int i = 0; i < times; ++i) KMUX_TRY(sum(x, y, z, Config{.tile = 8}));
            return Ok{};
          },
          calls_reference()};
}

}  // namespace kmux::regress
