// A process that compiles on request: fresh_worker BACKEND FOLDER INCLUDE_DIR..., see compiling_process.h.
//
// A line "ID WHAT NUMBER MICROSECONDS" on stdin is a request, each served by a thread of its own; a line "ID Y0 Y1..." or "ID
// error MESSAGE" on stdout is its answer.
#include <cstdio>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <unistd.h>

#include "kmux/compile.h"
#include "kmux/jit.h"
#include "kmux/par_compile.h"

#include "cache/disk/file_descriptor.h"
#include "header_tree.h"
#include "reading_plugin.h"

namespace kmux::fresh {

struct WorkerConfig {
  std::int64_t program = 0;
};
BOOST_DESCRIBE_STRUCT(WorkerConfig, (), (program))

namespace {

Program program_of(int program) {
  ProgramBuilder b("program" + std::to_string(program));
  b.output("y", dtype::kInt64, {2});
  b.variant("c").source("compute.c", source_of(program)).launch("compute").args({"y"});
  return b.build().value();
}

Program lazy_program(const WorkerConfig& config) { return program_of(static_cast<int>(config.program)); }

JitOutputs eager_program(JitBuilder& b, std::span<const Tensor>, const WorkerConfig& config) {
  const auto y = b.empty("y", dtype::kInt64, {2});
  b.variant("c").source("compute.c", source_of(static_cast<int>(config.program))).launch("compute").args({"y"});
  return y;
}

/// A disk that takes up to some milliseconds for each entry, so that some are on their way at any time.
int delay_publication(std::string_view step) {
  thread_local Random random(static_cast<std::uint64_t>(::getpid()));
  if (step == "before staging") ::usleep(static_cast<unsigned>(any_of(random, 4000)));
  return 0;
}

Shared<Runtime> make_runtime(const std::string& backend, const std::filesystem::path& folder) {
  Environment environment;
  environment.cache_dir = folder / "cache";
  environment.cache_lock_dir = folder / "locks";
  if (backend == "reading") return Runtime::with(std::move(environment), reading_registry());
  return Runtime::create(std::move(environment), {.search_path = {KMUX_FRESH_PLUGINS}, .use_default_path = false})
      .value();
}

class Worker {
 public:
  Worker(const std::string& backend, const std::filesystem::path& folder, std::vector<std::string> include_dirs)
      : runtime_(make_runtime(backend, folder)), options_{.target = "cpu", .include_dirs = std::move(include_dirs)} {}

  std::string answer(const std::string& what, int number, int microseconds) {
    compile_time_us() = microseconds;
    const Result<std::vector<Tensor>> tensors = run(what, number);
    if (!tensors) return "error " + tensors.error().message.substr(0, tensors.error().message.find('\n'));
    std::string text;
    for (const Tensor& tensor : *tensors) {
      const auto* y = tensor.data_as<std::int64_t>();
      text += std::to_string(y[0]) + " " + std::to_string(y[1]) + " ";
    }
    return text;
  }

 private:
  Result<std::vector<Tensor>> run(const std::string& what, int number) {
    if (what == "compile") return compile_and_call(number);
    if (what == "lazy") return call(lazy_(WorkerConfig{number}));
    if (what == "eager") return outputs_of(eager_(WorkerConfig{number}));
    if (what == "par") return compile_all();
    return call_latest(number);
  }

  Result<std::vector<Tensor>> outputs_of(Result<Outputs> outputs) {
    if (!outputs) return std::move(outputs).error();
    return std::vector<Tensor>(outputs->begin(), outputs->end());
  }
  Result<std::vector<Tensor>> call(const Result<Kernel>& kernel) {
    return kernel ? outputs_of((*kernel)()) : Result<std::vector<Tensor>>(kernel.error());
  }

  Result<std::vector<Tensor>> compile_and_call(int number) {
    const Result<Kernel> kernel = kmux::compile(*runtime_, program_of(number), options_);
    const std::lock_guard lock(mutex_);
    if (kernel) latest_.insert_or_assign(number, *kernel);
    return call(kernel);
  }

  /// The kernel that was compiled last of that program, called again: the same as its first call, whatever was edited.
  Result<std::vector<Tensor>> call_latest(int number) {
    const std::lock_guard lock(mutex_);
    const auto found = latest_.find(number);
    return found == latest_.end() ? std::vector<Tensor>{} : call(found->second);
  }

  Result<std::vector<Tensor>> compile_all() {
    std::vector<Program> programs;
    for (int i = 0; i < kPrograms; ++i) programs.push_back(program_of(i));
    std::vector<CompileJob> jobs;
    for (const Program& program : programs) jobs.push_back({program, options_});
    KMUX_ASSIGN(const auto kernels, par_compile(*runtime_, jobs, {.num_workers = 2}));
    std::vector<Tensor> all;
    for (const Kernel& kernel : kernels) {
      KMUX_ASSIGN(const std::vector<Tensor> one, call(kernel));
      all.push_back(one.front());
    }
    return all;
  }

  Shared<Runtime> runtime_;
  CompileOptions options_;
  JitOptions jit_options_{.runtime = runtime_};
  JitLazy<decltype(&lazy_program), WorkerConfig> lazy_ = jit(&lazy_program, options_, jit_options_);
  JitEager<decltype(&eager_program), WorkerConfig> eager_ = jit(&eager_program, options_, jit_options_);
  std::mutex mutex_;
  std::map<int, Kernel> latest_;
};

int main(const std::vector<std::string>& words) {
  set_fault_handler(delay_publication);
  Worker worker(words[0], words[1], {words.begin() + 2, words.end()});
  std::mutex output;
  std::vector<std::jthread> threads;
  for (std::string line; std::getline(std::cin, line);) {
    threads.emplace_back([&worker, &output, line] {
      std::istringstream request(line);
      std::string id, what;
      int number = 0, microseconds = 0;
      request >> id >> what >> number >> microseconds;
      const std::string answer = worker.answer(what, number, microseconds);
      const std::lock_guard lock(output);
      std::printf("%s %s\n", id.c_str(), answer.c_str());
      std::fflush(stdout);
    });
    if (threads.size() > 64) threads.clear();
  }
  return 0;
}

}  // namespace
}  // namespace kmux::fresh

int main(int argc, char** argv) { return kmux::fresh::main({argv + 1, argv + argc}); }
