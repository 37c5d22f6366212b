// A forked child may use kmux, whatever state its parent's threads were in.
#include <chrono>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/environment.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "grid_program.h"
#include "sorting_program.h"

#ifdef __SANITIZE_ADDRESS__
// Memory that only the parent's other threads referenced looks leaked in a child, which does not have those threads.
extern "C" [[gnu::visibility("default")]] int
__lsan_is_turned_off() {  // NOLINT(bugprone-reserved-identifier): the sanitizer's name
  static const pid_t parent = ::getpid();
  return ::getpid() != parent ? 1 : 0;
}
const int parent_is_known = __lsan_is_turned_off();
#endif

namespace kmux {
namespace {

constexpr unsigned kChildSeconds = 60;  // after which a child counts as hung

/// Returns the result of `body` in a child that ends as programs do; minus the signal that ended it.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kChildSeconds);
    std::exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Kernel kernel_of(Runtime& runtime, int number) {
  return compile(runtime, sorting(number), {.execution_backend = "cpu"}).value();
}

TEST(ForkTest, ChildCallsInheritedKernelsAndCompilesNewOnes) {
  const auto runtime = Runtime::default_runtime().value();
  for (int number = 0; number < 6; ++number) {
    const Kernel kernel = kernel_of(*runtime, number);
    std::this_thread::sleep_for(std::chrono::milliseconds(number * 20));  // further into the compilation each time
    const int code = in_child([&] {
      if (!call_sorting(kernel)) return 10;
      static_cast<void>(kernel.await_best());  // may return an error or find the better code, but it must return
      if (!call_sorting(kernel)) return 11;
      const auto own = Runtime::default_runtime();
      if (!own || own->get() == runtime.get()) return 12;
      return compile_and_call(**own, sorting(number)) + compile_and_call(**own, sorting(100 + number));
    });
    EXPECT_EQ(code, 0) << "fork " << number;
    EXPECT_TRUE(call_sorting(kernel)) << "the parent goes on";
  }
}

TEST(ForkTest, ParentRuntimeRejectsCompilationInChild) {
  const auto defaults = Runtime::default_runtime().value();
  auto own =
      Runtime::create(defaults->environment(), {.plugin_options = defaults->environment().plugin_options}).value();
  const Kernel kernel = kernel_of(*own, 200);
  const int code = in_child([&] {
    const auto made = compile(*own, sorting(201), {.execution_backend = "cpu"});
    if (made || made.error().message.find("it was made before fork()") == std::string::npos) return 10;
    const auto known = compile(*own, sorting(200), {.execution_backend = "cpu"});
    if (known || known.error().code != ErrorCode::kUnavailable) return 11;
    own.reset();  // waits for no thread
    return call_sorting(kernel) ? 0 : 12;
  });
  EXPECT_EQ(code, 0);
}

// The pool's threads do not exist in a child, and a job of theirs may stay open forever in its copy of the memory.
TEST(ForkTest, ChildLaunchesOnItsOwnThreads) {
  const auto runtime = Runtime::default_runtime().value();
  const Kernel kernel = compile(*runtime, counting_on_grid(), {.execution_backend = "cpu"}).value();
  std::jthread other([&kernel](const std::stop_token& stop) {
    while (!stop.stop_requested()) static_cast<void>(call_counting(kernel));
  });
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(call_counting(kernel));
    EXPECT_EQ(in_child([&kernel] {
                for (int call = 0; call < 3; ++call) {
                  if (!call_counting(kernel)) return 10 + call;
                }
                return 0;
              }),
              0)
        << "fork " << i;
  }
}

TEST(ForkTest, GrandchildCompilesAndCalls) {
  const auto runtime = Runtime::default_runtime().value();
  const int code = in_child([] {
    const int first = compile_and_call(*Runtime::default_runtime().value(), sorting(300));
    return first + in_child([] { return compile_and_call(*Runtime::default_runtime().value(), sorting(301)); });
  });
  EXPECT_EQ(code, 0);
}

// Forks while the parent's threads are at any point of compile.
TEST(ForkTest, ChildCompilesAfterForkDuringCompilation) {
  const auto runtime = Runtime::default_runtime().value();
  std::jthread other([&](const std::stop_token& stop) {
    for (int number = 400; !stop.stop_requested(); ++number)
      static_cast<void>(call_sorting(kernel_of(*runtime, number)));
  });
  for (int i = 0; i < 6; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(13 * i));
    EXPECT_EQ(in_child([i] { return compile_and_call(*Runtime::default_runtime().value(), sorting(500 + i)); }), 0)
        << "fork " << i;
  }
}

}  // namespace
}  // namespace kmux
