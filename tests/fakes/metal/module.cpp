#include "module.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <mutex>

#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"

#include "lanes.h"

namespace kmux::fake_metal {
namespace {

const PrivateFolder& folder() {
  static const PrivateFolder made = PrivateFolder::create("kmux-fake-metal").value();
  return made;
}

std::string new_path(const std::string& ending) {
  static std::atomic<int> count{0};
  return folder().path() + "/" + std::to_string(count++) + ending;
}

// The library of a text; what was compiled once is kept.
Result<std::string> compiled(const std::string& cpp) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard guard(mutex);
  if (const auto found = known.find(cpp); found != known.end()) return found->second;
  const std::string output = new_path(".so");
  const kmux::Command command{
      {KMUX_FAKE_METAL_COMPILER, "-x", "c++", "-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-fno-strict-aliasing",
       "-fno-caret-diagnostics", "-DKMUX_MSL_KERNELS", "-isystem", KMUX_FAKE_METAL_HEADERS, "-include",
       KMUX_FAKE_METAL_HEADERS "/kmux_msl.h", "-o", output, "-"},
      "",
      {},
      cpp};
  KMUX_ASSIGN(const ProcessResult result, run(command));
  if (result.exit_code != 0) return make_error(ErrorCode::kCompileFailed, result.standard_error);
  known[cpp] = output;
  return output;
}

}  // namespace

Result<std::shared_ptr<Module>> Module::compile(const std::string& msl) {
  MslText text = translate(msl);
  KMUX_ASSIGN(const std::string path, compiled(text.cpp));
  return open(path, std::move(text.kernels));
}

Result<std::shared_ptr<Module>> Module::copy() const { return open(path_, kernels_); }

// The loader opens a file once, so every module has a file.
Result<std::shared_ptr<Module>> Module::open(const std::string& path, std::vector<MslKernel> kernels) {
  const std::string own = new_path(".copy.so");
  std::filesystem::copy_file(path, own);
  std::shared_ptr<Module> module(new Module(path, std::move(kernels)));
  module->handle_ = dlopen(own.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove(own);
  if (module->handle_ == nullptr) return make_error(ErrorCode::kCompileFailed, dlerror());
  *static_cast<kmux_msl::Host*>(dlsym(module->handle_, "kmux_msl_host")) = kernel_host();
  return module;
}

Module::~Module() {
  if (handle_ != nullptr) dlclose(handle_);
}

const MslKernel* Module::find(const std::string& kernel) const {
  const auto found = std::ranges::find(kernels_, kernel, &MslKernel::name);
  return found == kernels_.end() ? nullptr : &*found;
}

Module::Run Module::run_of(const std::string& kernel) const {
  return reinterpret_cast<Run>(dlsym(handle_, ("kmux_msl_run_" + kernel).c_str()));
}

unsigned long Module::static_memory_of(const std::string& kernel) const {
  using Bytes = unsigned long (*)();
  return reinterpret_cast<Bytes>(dlsym(handle_, ("kmux_msl_static_memory_" + kernel).c_str()))();
}

void Module::set_constant(const kmux_msl::Constant& value) const {
  using Set = void (*)(const kmux_msl::Constant*);
  reinterpret_cast<Set>(dlsym(handle_, "kmux_msl_set_constant"))(&value);
}

}  // namespace kmux::fake_metal
