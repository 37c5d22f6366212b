// An application that compiles, calls and ends in a given way: ending_application HOW [LATE_MS].
//
// Prints "right" or an error, and the time at which its end begins (units: ns of CLOCK_MONOTONIC). A handler that runs
// after all others extends the time in which remaining threads could use destroyed objects.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "kmux/compile.h"
#include "kmux/environment.h"
#include "kmux/registry.h"

#include "grid_program.h"
#include "sorting_program.h"

namespace kmux {
namespace {

constexpr auto kLast = std::chrono::milliseconds(20);

void begin_to_end() {
  std::printf("ends at %lld\n", static_cast<long long>(std::chrono::steady_clock::now().time_since_epoch() /
                                                       std::chrono::nanoseconds(1)));
  std::fflush(stdout);
}

/// Starts application threads that continue while main returns: one compiles, one calls.
void leave_threads(const Shared<Runtime>& runtime) {
  static std::atomic<int> number{100};
  std::thread([runtime] {
    while (compile(*runtime, sorting(++number), {.execution_backend = "cpu"})) {
    }
  }).detach();
  const Kernel kernel = compile(*runtime, sorting(0), {.execution_backend = "cpu"}).value();
  std::thread([kernel] {
    std::vector<float> a(64), b(64);
    const Tensor from = Tensor::borrow(a.data(), {64}, dtype::kFloat32);
    const Tensor to = Tensor::borrow(b.data(), {64}, dtype::kFloat32);
    while (kernel.launch({from, to})) {
    }
  }).detach();
}

/// Starts application threads that launch on a grid and continue, with the threads of the pool, while main returns.
Status leave_launches(Runtime& runtime) {
  KMUX_ASSIGN(const Kernel kernel, compile(runtime, counting_on_grid(), {.execution_backend = "cpu"}));
  KMUX_TRY(call_counting(kernel));
  for (int i = 0; i < 2; ++i) {
    std::thread([kernel] {
      while (call_counting(kernel)) {
      }
    }).detach();
  }
  return Ok{};
}

/// Created before any runtime, so destroyed after all runtimes; no compilation can run by then.
struct LateCompile {
  Shared<Runtime> runtime;
  ~LateCompile() {
    if (runtime == nullptr) return;
    const auto made = compile(*runtime, sorting(77), {.execution_backend = "cpu"});
    std::printf("late: %s\n", made ? "compiled" : made.error().message.c_str());
    std::fflush(stdout);
  }
};

int run(const std::string& how, std::chrono::milliseconds late) {
  static LateCompile late_compile;
  static Shared<Runtime> own;  // for "static_runtime": destroyed with the application's own objects
  if (how == "grid") ::setenv("KMUX_OPTION_CPU_THREADS", "4", 1);  // on any machine
  auto runtime = Runtime::default_runtime();
  if (!runtime) return refused(runtime.error());
  if (how == "static_runtime") {
    own = Runtime::create((*runtime)->environment(), {.environment_path = (*runtime)->environment().plugin_path,
                                                      .plugin_options = (*runtime)->environment().plugin_options})
              .value();
  }
  const int code = compile_and_call(own ? *own : **runtime, how == "quick" ? quick_sorting() : sorting(0));
  if (how == "threads") leave_threads(*runtime);
  if (how == "grid") {
    if (const Status left = leave_launches(**runtime); !left) return refused(left.error());
  }
  if (how == "late_compile") late_compile.runtime = *runtime;
  std::this_thread::sleep_for(late);
  begin_to_end();
  if (how == "quick_exit") std::quick_exit(code);
  return code;
}

}  // namespace
}  // namespace kmux

int main(int argc, char** argv) try {
  std::atexit([] { std::this_thread::sleep_for(kmux::kLast); });
  std::at_quick_exit([] { std::this_thread::sleep_for(kmux::kLast); });
  return kmux::run(argc > 1 ? argv[1] : "return", std::chrono::milliseconds(argc > 2 ? std::atoi(argv[2]) : 0));
} catch (const kmux::Exception& failed) {
  return kmux::refused(failed.error());
} catch (const std::bad_alloc&) {  // thrown by a function without a Result
  return kmux::refused(kmux::Error{kmux::ErrorCode::kOutOfMemory, "there is no memory", {}});
}
