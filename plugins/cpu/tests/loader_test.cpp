#include "simt/loader/loader.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captured_output.h"
#include "host_compiler.h"
#include "jobs.h"
#include "needs.h"
#include "sizes.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::HasSubstr;

Result<Loaded> load(const std::string& path, const std::string& content) {
  Compiler compiler;
  return compile_and_load(compiler, job_of(path, content));
}

TEST(LoaderTest, RunsDynamicInitializers) {
  const auto f = load("f.cpp",
                      "int seven() { return 7; }\nint value = seven();\n"
                      "extern \"C\" int f(int x) { return value * x; }");
  EXPECT_EQ(f.value()(6), 42);
}

TEST(LoaderTest, RunsInitializersByPriority) {
  const auto f = load("f.c",
                      "static int order;\n"
                      "__attribute__((constructor(300))) static void late(void) { order = order * 10 + 2; }\n"
                      "__attribute__((constructor(200))) static void early(void) { order = order * 10 + 1; }\n"
                      "__attribute__((constructor)) static void last(void) { order = order * 10 + 3; }\n"
                      "int f(int x) { return order + x; }");
  EXPECT_EQ(f.value()(0), 123);
}

TEST(LoaderTest, RunsDestructorsWhenUnloaded) {
  int destroyed = 0;
  const std::string address = std::to_string(reinterpret_cast<std::uintptr_t>(&destroyed));
  auto f =
      load("f.cpp", "#include <cstdint>\nstatic int* const out = reinterpret_cast<int*>(std::uintptr_t{" + address +
                        "});\nstruct Guard { Guard(int d) : digit(d) {} ~Guard() { *out = *out * 10 + digit; }"
                        " int digit; };\nGuard first(1), second(2);\n"
                        "__attribute__((destructor)) static void end() { *out = *out * 10 + 9; }\n"
                        "extern \"C\" int f(int x) { return x; }");
  ASSERT_TRUE(f.ok());
  EXPECT_EQ(destroyed, 0);
  f = Error{};
  EXPECT_EQ(destroyed, 219);
}

// Returns the output of a child process that calls `first` before it loads a kernel.
std::string load_in_child(const std::function<bool()>& first) {
  auto object = Compiler().compile(job_of("f.c", "int f(int x) { return x; }"));
  EXPECT_TRUE(object.ok());
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string objects[] = {object->object};
    const bool can = first();
    const auto loaded = load_objects(objects, "entry");
    const std::string text = !can ? "cannot" : loaded ? "loaded" : loaded.error().explain();
    _exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string text(4096, 0);
  const ssize_t count = read(ends[0], text.data(), text.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text.substr(0, count < 0 ? 0 : static_cast<std::size_t>(count));
}

TEST(LoaderTest, ReportsForbiddenExecutableMemory) {
  constexpr int kSetMdwe = 65;  // PR_SET_MDWE, since Linux 6.3
  const std::string text = load_in_child([] { return prctl(kSetMdwe, 1, 0, 0, 0) == 0; });
  if (text == "cannot") GTEST_SKIP() << needs("PR_SET_MDWE", "this kernel has no such call");
  EXPECT_THAT(text, HasSubstr("unavailable: kernels cannot be loaded: this process may not make memory executable "
                              "(Permission denied; "));
}

TEST(LoaderTest, ReportsExhaustedMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << needs("a limit of memory", "sanitizers map more");
#endif
  const std::string text = load_in_child([] {
    const rlimit none{0, RLIM_INFINITY};
    return setrlimit(RLIMIT_AS, &none) == 0;
  });
  if (text == "loaded") GTEST_SKIP() << needs("a limit of memory", "it is not enforced here");
  EXPECT_THAT(text, HasSubstr("out_of_memory: kernels cannot be loaded: the system has no memory left for their code "
                              "(Cannot allocate memory)"));
}

// Maps pages with alternating protection, each a separate mapping, until the system grants no more.
bool use_up_mappings() {
  for (int i = 0;; ++i) {
    const int rights = i % 2 == 0 ? PROT_READ : PROT_READ | PROT_WRITE;
    if (mmap(nullptr, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return errno == ENOMEM;
  }
}

TEST(LoaderTest, ReportsExhaustedMappings) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << needs("a limit of mappings", "sanitizers end the process without any");
#endif
  std::uint64_t most = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  if (most == 0 || most > 1000000)
    GTEST_SKIP() << needs("a limit of mappings", "vm.max_map_count is too high to reach");
  EXPECT_THAT(load_in_child(use_up_mappings),
              HasSubstr("out_of_memory: kernels cannot be loaded: this process has all the memory mappings that it may "
                        "have (" +
                        std::to_string(most)));
}

TEST(LoaderTest, ReportsThrowingInitializer) {
  const auto f = load("f.cpp",
                      "#include <stdexcept>\nint bad() { throw std::runtime_error(\"no table\"); }\n"
                      "int value = bad();\nextern \"C\" int f(int x) { return value + x; }");
  ASSERT_FALSE(f.ok());
  EXPECT_EQ(f.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(f.error().message, HasSubstr("threw \"no table\""));
}

TEST(LoaderTest, CallsCAndMathLibraries) {
  const auto f = load("f.c",
                      "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                      "int f(int x) { char text[32]; snprintf(text, sizeof text, \"%.0f\", pow(x, 2.0) + erf(9.0));"
                      " return atoi(text); }");
  EXPECT_EQ(f.value()(5), 26);
}

TEST(LoaderTest, PrintsToStderrOfProcess) {
  const auto f = load("f.c", "#include <stdio.h>\nint f(int x) { return fprintf(stderr, \"x=%d\\n\", x); }");
  EXPECT_EQ(captured_stderr([&] { (void)f.value()(3); }), "x=3\n");
}

TEST(LoaderTest, PropagatesExceptions) {
  const auto f = load("f.cpp",
                      "#include <stdexcept>\n"
                      "__attribute__((noinline)) int g(int x) { if (x > 1) throw std::range_error(\"x\"); return x; }\n"
                      "extern \"C\" int f(int x) { try { return g(x); } catch (const std::range_error&) {"
                      " if (x == 2) return -1; throw; } }");
  EXPECT_EQ(f.value()(1), 1);
  EXPECT_EQ(f.value()(2), -1);
  EXPECT_THROW((void)f.value()(3), std::range_error);
}

TEST(LoaderTest, KeepsThreadLocalsPerThread) {
  const auto f = load("f.c", "static _Thread_local int counter = 100;\nint f(int x) { return counter += x; }");
  EXPECT_EQ(f.value()(1), 101);
  std::thread([&] { EXPECT_EQ(f.value()(5), 105); }).join();
  EXPECT_EQ(f.value()(1), 102);
}

TEST(LoaderTest, KeepsCodeForThreadLocalDestructors) {
  auto f = load("f.cpp",
                "#include <string>\nthread_local std::string text = \"a string that is not short at all\";\n"
                "extern \"C\" int f(int x) { return static_cast<int>(text.size()) + x; }");
  std::thread([&] {
    EXPECT_EQ(f.value()(0), 33);
    f = Error{};  // unloaded before the thread ends and destroys its string
  }).join();
}

TEST(LoaderTest, ReportsMissingSymbols) {
  std::string message;
  const std::string printed = captured_stderr([&] {
    const auto f = load("f.cpp",
                        "int elsewhere(int);\nextern \"C\" int absent(int);\n"
                        "extern \"C\" int f(int x) { return elsewhere(x) + absent(x); }");
    ASSERT_FALSE(f.ok());
    EXPECT_EQ(f.error().code, ErrorCode::kUnavailable);
    message = f.error().message;
  });
  EXPECT_EQ(printed, "");
  EXPECT_THAT(message, HasSubstr("\"elsewhere(int)\""));
  EXPECT_THAT(message, HasSubstr("\"absent\""));
  EXPECT_THAT(message, HasSubstr("Add the source that defines it"));
}

TEST(LoaderTest, AdvisesOnMissingOpenMp) {
  Compiler compiler;
  CompileJob job = job_of("f.c", "void g(int*);\nint f(int x) {\n#pragma omp parallel\n  x += 1;\n  return x; }");
  job.units[0].arguments.push_back("-fopenmp");
  const auto f = compile_and_load(compiler, job);
  ASSERT_FALSE(f.ok());
  EXPECT_THAT(f.error().message, HasSubstr("OpenMP library"));
}

TEST(LoaderTest, ReportsMissingEntry) {
  Compiler compiler;
  const std::vector<std::string> objects = {
      compiler.compile(job_of("f.c", "int f(int x) { return x; }")).value().object};
  const auto code = load_objects(objects, "nowhere");
  ASSERT_FALSE(code.ok());
  EXPECT_THAT(code.error().message, HasSubstr("\"nowhere\""));
}

TEST(LoaderTest, RejectsInvalidObject) {
  std::string message;
  EXPECT_EQ(captured_stderr([&] {
              const std::vector<std::string> objects = {"not an object"};
              message = load_objects(objects, "entry").error().message;
            }),
            "");
  EXPECT_THAT(message, HasSubstr("cannot be linked"));
}

/// Returns a relocatable object of the C++ `text`.
std::string object_of(const std::string& text) {
  CompileJob job = calling_f();
  job.launcher = text;
  BuildOptions options;
  options.engine = Engine::kHost;
  return compile_on_host(job, options, {}, HostForm::kObject).value().object;
}

/// Returns the result of `entry`, linked from these texts and called with 7.
int linked(const std::vector<std::string>& texts) {
  std::vector<std::string> objects;
  for (const std::string& text : texts) objects.push_back(object_of(text));
  const auto code = load_objects(objects, "entry").value();
  return reinterpret_cast<int (*)(int)>(code->entry())(7);
}

TEST(LoaderTest, LinksObjectsThatCallEachOther) {
  EXPECT_EQ(linked({"extern \"C\" int g(int);\nextern \"C\" int f(int x) { return x == 0 ? 0 : g(x - 1) + 1; }",
                    "extern \"C\" int f(int);\nextern \"C\" int g(int x) { return x == 0 ? 0 : f(x - 1) + 10; }\n"
                    "extern \"C\" int entry(int x) { return f(x); }"}),
            34);
}

TEST(LoaderTest, RunsInitializersOfAllObjects) {
  EXPECT_EQ(linked({"int one(); int a = one();\nint two() { return 2; }",
                    "int two(); int b = two();\nint one() { return 1; }\nextern int a;\n"
                    "extern \"C\" int entry(int x) { return 100 * a + 10 * b + x; }"}),
            127);
}

TEST(LoaderTest, UsesOneDefinitionOfWeakFunctions) {
  const std::string one = "__attribute__((weak)) int value() { return 1; }\nint in_one() { return value(); }";
  const std::string two = "__attribute__((weak)) int value() { return 2; }\nint in_two() { return value(); }";
  const std::string strong = "int value() { return 3; }";
  const std::string entry =
      "int in_one(); int in_two();\n"
      "extern \"C\" int entry(int) { return 10 * in_one() + in_two(); }";
  EXPECT_EQ(linked({one, two, entry}), 11);
  EXPECT_EQ(linked({two, one, entry}), 22);
  EXPECT_EQ(linked({one, strong, two, entry}), 33);
  EXPECT_EQ(linked({strong, one, two, entry}), 33);
}

TEST(LoaderTest, RejectsDuplicateDefinitions) {
  const std::vector<std::string> objects = {
      object_of("int twice(int) { return 1; }\nextern \"C\" int entry() { return 0; }"),
      object_of("int twice(int) { return 2; }")};
  const auto code = load_objects(objects, "entry");
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(code.error().message, HasSubstr("(two objects define \"twice(int)\")"));
}

TEST(LoaderTest, AcceptsMissingWeakSymbols) {
  EXPECT_EQ(linked({"__attribute__((weak)) int absent();\n"
                    "extern \"C\" int entry(int x) { return absent ? absent() : x + 1; }"}),
            8);
}

TEST(LoaderTest, RecoversFromFailedLinks) {
  const std::string needs =
      object_of("int absent();\nint at_start = absent();\nextern \"C\" int entry() { return at_start; }");
  const std::vector<std::string> objects = {object_of("int here() { return 1; }"), needs};
  for (int i = 0; i < 100; ++i) EXPECT_THAT(load_objects(objects, "entry").error().message, HasSubstr("absent()"));
}

TEST(LoaderTest, ReportsInvalidSharedObject) {
  const auto code = load_shared_object("not a library", "entry");
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(code.error().message, HasSubstr("cannot be loaded"));
}

#if defined(__SANITIZE_ADDRESS__)
constexpr long kMaxGrowthKib = 512 * 1024;  // freed memory is held back for a while
#else
constexpr long kMaxGrowthKib = 8 * 1024;
#endif

long resident_kib() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  file >> total >> resident;
  return resident * 4;
}

TEST(LoaderTest, LeaksNothingOverManyCompilations) {
  Compiler compiler;
  const auto cycle = [&](int n) {
    const std::string source = "#include <vector>\nstd::vector<int> table(" + std::to_string(n + 1) +
                               ", 2);\nextern \"C\" int f(int x) { return table[0] * x; }";
    EXPECT_EQ(compile_and_load(compiler, job_of("f.cpp", source)).value()(n), 2 * n);
  };
  const auto small = [&](int n) {
    const std::string source = "int f(int x) { return x + " + std::to_string(n) + "; }";
    EXPECT_EQ(compile_and_load(compiler, job_of("f.c", source)).value()(1), n + 1);
  };
  for (int n = 0; n < of_size(4, 8); ++n) cycle(n), small(n);
  const long before = resident_kib();
  for (int n = 0; n < of_size(3, 10); ++n) cycle(n);
  for (int n = 0; n < 200; ++n) small(n);
  EXPECT_LT(resident_kib() - before, kMaxGrowthKib);
}

}  // namespace
}  // namespace kmux::cpu
