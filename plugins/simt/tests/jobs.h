#pragma once

#include <string>
#include <vector>

#include "kmux/error.h"

#include "simt/compiler.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"
#include "simt/loader/loader.h"

namespace kmux::simt {

/// A target processor that is valid on this machine and has another name than the host's.
#if defined(__aarch64__)
inline constexpr const char* kOtherCpu = "cortex-a57";
#else
inline constexpr const char* kOtherCpu = "x86-64";
#endif

/// A job without sources, whose entry `int entry(int)` is `return f(x);`.
inline CompileJob calling_f() {
  CompileJob job;
  job.launcher = "extern \"C\" int f(int);\nextern \"C\" int entry(int x) { return f(x); }\n";
  job.entry = "entry";
  job.kernels = {"f"};
  job.cpu = host_cpu().name;
  return job;
}

/// The same for the function `int f(int)` of one source `path`.
inline CompileJob job_of(std::string path, std::string content) {
  CompileJob job = calling_f();
  const Language language = path.ends_with(".c") ? Language::kC : Language::kCpp;
  job.units.push_back({path, language, {language == Language::kC ? "-std=c11" : "-std=c++17"}});
  job.files.push_back({std::move(path), std::move(content)});
  return job;
}

/// A compiled and loaded `int entry(int)`, which owns its code.
struct Loaded {
  std::unique_ptr<LoadedCode> code;
  int operator()(int x) const { return reinterpret_cast<int (*)(int)>(code->entry())(x); }
};

inline Result<Loaded> compile_and_load(Compiler& compiler, const CompileJob& job) {
  KMUX_ASSIGN(const CompiledObject object, compiler.compile(job));
  const std::vector<std::string> objects = {object.object};
  KMUX_ASSIGN(auto code, load_objects(objects, job.entry));
  return Loaded{std::move(code)};
}

}  // namespace kmux::simt
