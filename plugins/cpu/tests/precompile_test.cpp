
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../tests/temp_folder.h"
#include "jobs.h"
#include "workbench.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHeaders = "// What this needs.\n#include <algorithm>\n#include <cmath>\n#include <vector>\n\n";
constexpr const char* kBody =
    "template <class T> T top(std::vector<T> v) { return *std::max_element(v.begin(), v.end()); }\n"
    "static std::vector<int> table(4, 5);\n"
    "extern \"C\" int f(int x) { std::vector<int> v{3, x, 7}; std::sort(v.begin(), v.end());"
    " return top(v) + (int)std::sqrt((double)x) + table[1]; }\n";

CompileJob job_with(const std::string& body, Tier tier = Tier::kFull) {
  CompileJob job = job_of("f.cpp", kHeaders + body);
  job.header_stamp = "as it is";
  job.tier = tier;
  return job;
}

TEST(PrecompileTest, ProducesIdenticalObjectCode) {
  for (const Tier tier : {Tier::kFast, Tier::kFull}) {
    Compiler plain, with_preamble;
    CompileJob job = job_with(kBody, tier);
    (void)with_preamble.compile(job_with("extern \"C\" int f(int x) { return x; }", tier)).value();
    with_preamble.wait_for_preambles();
    const CompiledObject first = with_preamble.compile(job).value();
    EXPECT_EQ(first.preambles, 1);
    const std::string& object = first.object;
    EXPECT_EQ(Loaded(compile_and_load(with_preamble, job).value())(100), 115);
    job.header_stamp = "";
    const CompiledObject second = plain.compile(job).value();
    EXPECT_EQ(second.preambles, 0);
    EXPECT_EQ(object, second.object);
  }
}

// Returns a CUDA source `path` that includes `header` first, with a separate folder of device headers.
CompileJob device_job(const std::string& path, const std::string& header, const std::string& body) {
  CompileJob job = calling_f();
  job.files = {{path, "#include <" + header + ">\n" + body},
               {"kmux-device/all.h", "#pragma once\nstruct All { int x; };\n"},
               {"kmux-device/half.h", "#pragma once\ninline int half(int x) { return x / 2; }\n"},
               {"other.h", "#pragma once\ninline int half(int x) { return x / 3; }\n"}};
  job.units = {{path, Language::kCuda, {"-Ikmux-device/", "-include", "kmux-device/all.h"}}};
  return job;
}

TEST(PrecompileTest, SharesCudaPrefixAcrossSources) {
  const std::string body = "extern \"C\" int f(int x) { return half(All{x}.x); }\n";
  Compiler plain, with_prefix;
  (void)with_prefix.compile(device_job("one.cu", "half.h", "extern \"C\" int f(int x) { return x; }\n")).value();
  with_prefix.wait_for_preambles();
  const CompiledObject object = with_prefix.compile(device_job("two.cu", "half.h", body)).value();
  EXPECT_EQ(object.preambles, 1);
  EXPECT_EQ(object.object, plain.compile(device_job("two.cu", "half.h", body)).value().object);
  EXPECT_EQ(Loaded(compile_and_load(with_prefix, device_job("three.cu", "other.h", body)).value())(9), 3);
  const Error error = with_prefix.compile(device_job("four.cu", "half.h", "\nint f() { return y; }\n")).error();
  EXPECT_THAT(error.message, HasSubstr("four.cu:3:18: error: use of undeclared identifier 'y'"));
}

// Returns a job whose program defines the macro N, which its device headers do not see.
CompileJob with_macro(const std::string& path, int n) {
  CompileJob job = device_job(path, "half.h", "extern \"C\" int f(int x) { return half(x) + N + n; }\n");
  job.files.push_back({"kmux-device/late.h", "#pragma once\nconstexpr int n = 100;\n"});
  job.files.front().content.insert(0, "#include <late.h>\n");
  job.files.push_back(
      {std::string(kMacrosPath), "#define N " + std::to_string(n) + "\n#define x this is no C++\n#undef x\n"});
  job.units.front().arguments.insert(job.units.front().arguments.end(), {"-include", std::string(kMacrosPath)});
  return job;
}

TEST(PrecompileTest, SharesCudaPrefixAcrossMacroValues) {
  Compiler compiler;
  EXPECT_EQ(Loaded(compile_and_load(compiler, with_macro("one.cu", 1)).value())(10), 106);
  compiler.wait_for_preambles();
  for (const int n : {2, 3}) {  // one precompiled header serves all values
    const CompileJob job = with_macro("two.cu", n);
    const CompiledObject object = compiler.compile(job).value();
    EXPECT_EQ(object.preambles, 1);
    EXPECT_EQ(object.object, Compiler().compile(job).value().object);
    EXPECT_EQ(Loaded(compile_and_load(compiler, job).value())(10), 105 + n);
  }
}

TEST(PrecompileTest, PreservesDiagnosticLinesAndText) {
  Compiler plain, with_preamble;
  CompileJob wrong = job_with("extern \"C\" int f(int x) {\n  return std::sqrt(y) + x;\n}\n");
  CompileJob warned = job_with("#warning careful\nextern \"C\" int f(int x) { return x; }\n");
  (void)with_preamble.compile(warned).value();
  with_preamble.wait_for_preambles();
  const Error error = with_preamble.compile(wrong).error();
  const std::string warnings = with_preamble.compile(warned).value().log;
  EXPECT_THAT(error.message, HasSubstr("f.cpp:7:20: error: use of undeclared identifier 'y'"));
  EXPECT_THAT(warnings, HasSubstr("f.cpp:6:2: warning: careful"));
  wrong.header_stamp = warned.header_stamp = "";
  EXPECT_EQ(error.explain(), plain.compile(wrong).error().explain());
  EXPECT_EQ(warnings, plain.compile(warned).value().log);
}

TEST(PrecompileTest, ReportsPreambleWarningsEveryTime) {
  Compiler compiler;
  CompileJob job = job_with("extern \"C\" int f(int x) { return x + N; }");
  job.files[0].content = "#include \"warns.h\"\n" + job.files[0].content;
  job.files.push_back({"warns.h", "#warning from the header\n#define N 1\n"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(compiler.compile(job).value().log, HasSubstr("from the header"));
    compiler.wait_for_preambles();
  }
}

TEST(PrecompileTest, TracksProgramHeaderChanges) {
  Compiler compiler;
  for (const int n : {1, 2, 1}) {
    CompileJob job = job_with("extern \"C\" int f(int x) { return x + N; }");
    job.files[0].content = "#include \"n.h\"\n" + job.files[0].content;
    job.files.push_back({"n.h", "#define N " + std::to_string(n) + "\n"});
    EXPECT_EQ(compile_and_load(compiler, job).value()(40), 40 + n);
    compiler.wait_for_preambles();
    EXPECT_EQ(compile_and_load(compiler, job).value()(40), 40 + n);
  }
}

TEST(PrecompileTest, TracksOptionChanges) {
  Compiler compiler;
  for (const char* define : {"-DN=1", "-DN=2"}) {
    for (int i = 0; i < 2; ++i) {
      CompileJob job = job_with("extern \"C\" int f(int x) { return x + N; }");
      job.units[0].arguments.emplace_back(define);
      EXPECT_EQ(compile_and_load(compiler, job).value()(40), 40 + define[4] - '0');
      compiler.wait_for_preambles();
    }
  }
}

TEST(PrecompileTest, CompilesSelfIncludingSource) {
  Compiler compiler;
  for (int i = 0; i < 2; ++i) {
    const auto job = [&] {
      CompileJob made = job_of("f.cpp", "");
      made.header_stamp = "as it is";
      made.files[0].content = "#include \"self.h\"\n#ifdef INSIDE\nint inside = " + std::to_string(i) +
                              ";\n#else\nextern \"C\" int f(int x) { return x + inside; }\n#endif\n";
      made.files.push_back({"self.h", "#ifndef INSIDE\n#define INSIDE\n#include \"f.cpp\"\n#undef INSIDE\n#endif\n"});
      return made;
    }();
    EXPECT_EQ(compile_and_load(compiler, job).value()(40), 40 + i);
    compiler.wait_for_preambles();
  }
}

// Through the builder: a changed header of the machine is recompiled.
TEST(PrecompileTest, TracksExternalHeaderChanges) {
  const TempFolder folder;
  Workbench bench;
  const auto program = one_kernel("k.cpp",
                                  "#include <vector>\n#include <n.h>\n"
                                  "extern \"C\" void k(int* out) { std::vector<int> v(2, N); out[0] = v[1]; }")
                           .build()
                           .value();
  for (const int n : {1, 2, 3}) {
    folder.write("n.h", "#define N " + std::to_string(n) + std::string(static_cast<std::size_t>(n), '\n'));
    for (int again = 0; again < 2; ++again) {
      std::vector<int> out(4, -1);
      LoadedKernel kernel = bench.load(program, {{"include_dirs", folder.path().string()}, {"tier", "fast"}}).value();
      ASSERT_TRUE(kernel({slot(out.data())}).ok());
      EXPECT_THAT(out, ElementsAre(n, -1, -1, -1));
      std::this_thread::sleep_for(std::chrono::milliseconds(again == 0 ? 300 : 0));
    }
  }
}

}  // namespace
}  // namespace kmux::cpu
