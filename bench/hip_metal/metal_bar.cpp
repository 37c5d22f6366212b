#include "hip_metal/metal_bar.h"

#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "bursts.h"

namespace kmux::bench {
namespace {

constexpr int kMetalBursts = 1001;
constexpr int kMetalCalls = 100;
constexpr std::int64_t kMetalLength = 1024;

// Of the build that this program is of, wherever that is now.
std::string silent_metal() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path().parent_path() / "tests/fakes/metal/libsilent_metal.so").string();
}

using MessageCount = unsigned long (*)();

MessageCount message_count(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<MessageCount>(dlsym(handle, "kmux_silent_metal_messages"));
}

// The source is never compiled.
Program add_in_msl() {
  ProgramBuilder builder("add");
  const Expr n = builder.symbol("n", dtype::kInt32);
  for (const char* name : {"a", "b", "c"}) builder.buffer(name, BufferParam{dtype::kFloat32, {n}});
  builder.variant("msl").source("add.metal", "kernel void add();");
  builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"a", "b", "c", "n"});
  return builder.build().value();
}

}  // namespace

double metal_mock_call_ns() {
  const std::string library = silent_metal();
  const MessageCount count = message_count(library);
  RegistryOptions registry;
  registry.plugin_options = {{"metal.library", library}};
  const auto runtime = Runtime::create(Environment{.disable_cache = true}, registry).value();
  const Kernel kernel = compile(*runtime, add_in_msl(), {.execution_backend = "metal"}).value();
  std::vector<Tensor> tensors;
  std::vector<Arg> args;
  tensors.reserve(3);
  for (int i = 0; i < 3; ++i) {
    tensors.push_back(Tensor::empty({kMetalLength}, dtype::kFloat32, kernel.device()).value());
    args.emplace_back(tensors.back());
  }
  bool all_ok = true;
  const auto call = [&] { all_ok = kernel.launch(args).ok() && all_ok; };
  call();
  const unsigned long before = count();
  call();
  const auto messages = static_cast<double>(count() - before);
  std::vector<double> times;
  for (int burst = 0; burst < kMetalBursts; ++burst) times.push_back(nanoseconds_of(kMetalCalls, call));
  if (!all_ok) throw std::runtime_error("a launch failed");
  return median(std::move(times)) / messages;
}

}  // namespace kmux::bench
