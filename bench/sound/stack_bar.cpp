#include <cstdio>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/plugin/process.h"
#include "kmux/tensor.h"

#include "bars/bar.h"

namespace kmux::bench {
namespace {

constexpr int kThreads = 32;

/// Returns a kernel whose threads have private arrays of `bytes` that no optimisation removes.
Result<Kernel> with_arrays(std::size_t bytes) {
  const std::string count = std::to_string(bytes / sizeof(int));
  const std::string source =
      "__global__ void f(float* y, int n) {\n"
      "  int a[" +
      count +
      "];\n  const int t = threadIdx.x;\n"
      "  for (int i = 0; i < " +
      count + "; ++i) a[(i * 7 + t) % " + count +
      "] = i + n;\n"
      "  float sum = 0;\n  for (int i = 0; i < " +
      count + "; ++i) sum += a[(i * 3 + n) % " + count +
      "];\n"
      "  if (t < n) y[t] = sum;\n}\n";
  return kernel(source, "kernel f(inout y: f32[n: i32])\n  launch f<<<1, " + std::to_string(kThreads) + ">>>(y, n)\n");
}

struct Launch {
  const Kernel& kernel;
  Status status = Ok{};
};

void* launched(void* given) {
  auto& launch = *static_cast<Launch*>(given);
  const Result<Tensor> y = Tensor::zeros({kThreads}, dtype::kFloat32);
  launch.status = y ? launch.kernel.launch({*y}) : Status(y.error());
  return nullptr;
}

/// launch_on_stack STACK ARRAY: launches such a kernel from a thread with a stack of that many bytes. Returns 1 if it
/// is refused.
int launch_on_stack(const std::vector<std::string>& words) {
  const Result<Kernel> made = with_arrays(std::stoul(words[1]));
  if (!made) return std::fputs(made.error().explain().c_str(), stderr), 1;
  made->await_best().value();
  Launch launch{*made};
  pthread_attr_t attributes;
  pthread_t thread{};
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::stoul(words[0]));
  if (pthread_create(&thread, &attributes, launched, &launch) != 0) return 2;
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (!launch.status) std::fputs(launch.status.error().explain().c_str(), stderr);
  return launch.status ? 0 : 1;
}
CHILD("launch_on_stack", launch_on_stack);

double small_stack_crashes() {
  constexpr std::size_t kKiB = 1024;
  int failed = 0;
  for (const std::size_t stack : {64 * kKiB, 256 * kKiB, 1024 * kKiB, 8192 * kKiB}) {
    for (const std::size_t array : {kKiB, 7 * kKiB, 16 * kKiB, 128 * kKiB, 512 * kKiB}) {
      const std::vector<std::string> words = {std::to_string(stack), std::to_string(array)};
      const ProcessResult ran = run({.argv = child_command("launch_on_stack", words)}).value();
      if (ran.exit_code == 0) continue;
      ++failed;
      std::fprintf(stderr, "stack %zu, array %zu: exit code %d\n%s", stack, array, ran.exit_code,
                   ran.standard_error.c_str());
    }
  }
  return failed;
}

/// Launches that end the process or are refused: stacks of 64 KiB to 8 MiB, private arrays of 1 to 512 KiB a thread.
BAR("small_stack_crashes", "launches", at_most(0), small_stack_crashes);

}  // namespace
}  // namespace kmux::bench
