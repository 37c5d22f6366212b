#include "over_fake.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <thread>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "needs.h"
#include "shared_cache.h"

namespace kmux::nvidia {

OverFake::OverFake() {
  set_log_sink(LogLevel::kWarning, [this](LogLevel, std::string_view text) { logs.emplace_back(text); });
  open_runtime({.cache_dir = shared_cache()}, {});
}

OverFake::~OverFake() { set_log_sink(LogLevel::kWarning, {}); }

void OverFake::open_runtime(Environment environment, const std::map<std::string, std::string>& variables) {
  RegistryOptions options;
  options.variables = Environment::from_process().variables;  // location of the compilers
  for (const auto& [name, value] : variables) options.variables[name] = value;
  runtime = Runtime::create(environment, options).value();
}

void OverFake::use_no_cache() {
  open_runtime({.disable_cache = true}, {});
  fake.clear_calls();
}

void OverFake::use_variable(const std::string& name, const std::string& value) {
  open_runtime({.cache_dir = shared_cache()}, {{name, value}});
  fake.clear_calls();
}

bool OverFake::is_usable(Runtime& runtime, const std::string& plugin, std::string& reason) {
  const auto opened = runtime.registry().plugin(plugin);
  if (!opened) return reason = opened.error().message, false;
  const Result<ProbeReport>& report = (*opened)->probe();
  reason = report.ok() ? report->can_build.reason : report.error().message;
  return report.ok() && report->can_build.ok();
}

void OverFake::SetUp() {
  std::string reason;
  if (!is_usable(*runtime, GetParam(), reason)) {
    runtime.reset();
    GTEST_SKIP() << needs(compiler_of(GetParam()), reason);
  }
  fake.clear_calls();
}

void OverFake::TearDown() {
  if (runtime == nullptr) return;
  fake.on_launch({});
  unload();
  fake_cuda::Live left = fake.live();
  EXPECT_LE(left.contexts, kept.contexts);
  left.contexts = kept.contexts;  // depends on which of several threads comes first
  EXPECT_EQ(left, kept);
  EXPECT_EQ(fake.misuse(), "");
}

void OverFake::unload() {
  Status unloaded = runtime->registry().unload(GetParam());
  for (int tries = 0; !unloaded.ok() && tries < 10000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    unloaded = runtime->registry().unload(GetParam());
  }
  EXPECT_TRUE(unloaded.ok()) << unloaded.error().explain();
}

Result<Kernel> OverFake::try_compile(const ProgramBuilder& builder, Options options) {
  KMUX_ASSIGN(const Program program, builder.build());
  return compile(*runtime, program,
                 {.target = "cuda:sm_90a", .execution_backend = GetParam(), .options = std::move(options)});
}

Kernel OverFake::compiled(const ProgramBuilder& builder, Options options) {
  return try_compile(builder, std::move(options)).value();
}

Kernel OverFake::warmed(const ProgramBuilder& builder, Options options) {
  Kernel kernel = compiled(builder, std::move(options));
  kernel.warm().value();
  make_current();
  fake.clear_calls();
  return kernel;
}

Tensor OverFake::zeros(const Kernel& kernel, std::vector<std::int64_t> shape, DType dtype, int device) {
  Tensor tensor = Tensor::zeros(std::move(shape), dtype, Device(kernel.device().plugin(), device)).value();
  fake.clear_calls();
  return tensor;
}

std::vector<std::string> OverFake::work() const {
  std::vector<std::string> lines = fake.calls();
  std::erase_if(lines, [](const std::string& line) {
    constexpr std::array kAside = {"cuCtx", "cuStreamIsCapturing", "cuStreamGetCaptureInfo", "cuThreadExchange",
                                   "cuEvent"};
    return std::ranges::any_of(kAside, [&](const char* symbol) { return line.starts_with(symbol); });
  });
  return lines;
}

std::vector<std::string> OverFake::work_of(const Kernel& kernel, const std::vector<Arg>& args, void* stream) {
  fake.clear_calls();
  kernel.launch(args, StreamRef{stream}).value();
  return work();
}

std::string written(const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%016" PRIxPTR, reinterpret_cast<std::uintptr_t>(pointer));
  return text;
}

std::string written(const Tensor& tensor) { return written(tensor.data()); }

std::string written(int value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%08x", static_cast<unsigned>(value));
  return text;
}

std::string line(const LaunchLine& launch) {
  std::string args;
  for (const std::string& arg : launch.args) args += (args.empty() ? "" : " ") + arg;
  return "cuLaunchKernelEx " + launch.kernel + " grid " + launch.grid + " block " + launch.block + " smem " +
         std::to_string(launch.smem) + " stream " + launch.stream + " args [" + args + "] attributes [" +
         launch.attributes + "]";
}

ProgramBuilder program_of(const std::string& name, const std::string& source) {
  ProgramBuilder builder(name);
  builder.buffer("x", BufferParam{dtype::kFloat32, {builder.symbol("n")}});
  builder.variant("cuda").source(name + ".cu", source);
  return builder;
}

}  // namespace kmux::nvidia
