#pragma once

#include <dlfcn.h>
#include <map>
#include <string>
#include <vector>

#include "kmux/builder.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/plan.h"

#include "fake_cuda.h"
#include "fake_host.h"
#include "nvidia/library/launcher_compiler.h"
#include "nvidia/library/launcher_text.h"

namespace kmux::nvidia {

/// Accepted as code by the fake driver.
inline constexpr const char* kFakeCode = "code";

inline std::string text_of(const Program& program, const LaunchChoices& choices = {}) {
  return launcher_text(lower(program, 0).value(), choices);
}

/// Returns the launcher of a program as a library; its kernels have the same names in code and program. Compiled once
/// for all cases and seeds.
inline Result<std::string> library_of(const Program& program, const LaunchChoices& choices = {}) {
  static std::map<std::string, std::string> made;
  KMUX_ASSIGN(const Plan plan, lower(program, 0));
  const std::string text = launcher_text(plan, choices);
  std::string& library = made[to_string(plan) + text];
  if (!library.empty()) return library;
  FakeHost host;
  KMUX_ASSIGN(const Compilation compilation, Compilation::begin(host, "test"));
  KMUX_ASSIGN(const std::string compiler, find_host_compiler("", "the test"));
  const LauncherCompiler launcher(compilation, compiler);
  KMUX_TRY(launcher.translate(text));
  KMUX_ASSIGN(library, launcher.link(kFakeCode, plan.kernels, plan.kernels));
  return library;
}

/// A launcher used without kmux: a file, opened with dlopen.
class StandAlone {
 public:
  explicit StandAlone(const Program& program) : StandAlone(library_of(program).value()) {}
  explicit StandAlone(const std::string& library) : folder_(PrivateFolder::create("kmux-test").value()) {
    const Status written = folder_.write("launcher.so", library);
    handle_ = written ? dlopen((folder_.path() + "/launcher.so").c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  }
  StandAlone(const StandAlone&) = delete;
  StandAlone& operator=(const StandAlone&) = delete;
  ~StandAlone() {
    if (handle_ == nullptr) return;
    find<void()>("kmux_launcher_close")();
    dlclose(handle_);
  }

  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }
  int init() const { return find<int()>("init")(); }
  std::string last_error() const { return find<const char*()>("get_last_error")(); }
  /// Calls `call`; `Params` are the C types of its parameters, without the stream.
  template <class... Params>
  int call(Params... values) const {
    return find<int(Params..., void*)>("call")(values..., nullptr);
  }

 private:
  PrivateFolder folder_;
  void* handle_ = nullptr;
};

}  // namespace kmux::nvidia
