#include "nvidia/library/launcher_text.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/driver_dialect.h"
#include "kmux/plugin/process.h"

#include "golden/programs.h"
#include "launchers.h"

namespace kmux::nvidia {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Program golden(const std::string& name) {
  for (Program& program : kmux::test::golden_programs()) {
    if (program.name == name) return std::move(program);
  }
  return {};
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  return from == std::string::npos ? "" : text.substr(from, text.find(end, from) - from);
}

TEST(LauncherTextTest, EndsWithProgramFactsAndCode) {
  const std::string text = text_of(golden("launch_attributes"));
  EXPECT_EQ(between(text, "// What the launch layer needs", "$"),
            R"(// What the launch layer needs of "launch_attributes", and its code.
extern "C" const char kmux_symbol_0[];  // of "first"
extern "C" const char kmux_symbol_1[];  // of "second"
namespace kmux::nvidia {
static const KernelFacts program_kernels[] = {
  {kmux_symbol_0, 0, false},
  {kmux_symbol_1, 0, false},
};
static const unsigned program_sizes_0[] = {8, 8, 0};
static const unsigned program_sizes_1[] = {8, 8, 0};
static const PackFacts program_packs[] = {
  {0, 2, program_sizes_0, false},
  {1, 2, program_sizes_1, false},
};
extern const PlanFacts program_facts = {
  program_kernels, 2,
  0,  // tensor maps
  2,  // launches and fills
  1,  // bytes of the largest L2 window
  false,  // replay as a graph
  "launch_attributes",
  false,  // ranges for profilers: set by kmux_launcher_open
  false,  // workspaces
  true,  // nothing but launches
  program_packs, 2,  // what launches pass
};
}  // namespace kmux::nvidia
asm(
  ".pushsection .rodata.kmux, \"a\", %progbits\n.balign 64\n"
  ".global kmux_cubin\n.hidden kmux_cubin\nkmux_cubin: .incbin \"kmux-code.cubin\"\n"
  ".global kmux_symbol_0\n.hidden kmux_symbol_0\nkmux_symbol_0: .incbin \"kmux-symbol-0.txt\"\n"
  ".byte 0\n"
  ".global kmux_symbol_1\n.hidden kmux_symbol_1\nkmux_symbol_1: .incbin \"kmux-symbol-1.txt\"\n"
  ".byte 0\n"
  ".popsection\n"
);
)");
}

TEST(LauncherTextTest, BeginsWithProgramBeforeLaunchLayer) {
  const std::string text = text_of(golden("dynamic_shape"));
  EXPECT_EQ(text.find("#define KMUX_LAUNCHES_ONCE\n\n// The launcher of \"dynamic_shape\".\n"), 0U);
  const std::size_t body = text.find("extern \"C\" inline __attribute__((always_inline)) int kmux_launch_body(");
  const std::size_t call = text.find("int call(void* A, void* C, long long n, void* kmux_stream) {");
  const std::size_t layer = text.find(": the launch layer and the entry points");
  EXPECT_LT(body, call);
  EXPECT_LT(call, layer);
  EXPECT_EQ(text.substr(0, layer).find("#include"), std::string::npos) << "macros of headers would reach its names";
}

TEST(LauncherTextTest, DefinesLaunchesOnceForSingleLaunchBody) {
  constexpr const char* kOnce = "#define KMUX_LAUNCHES_ONCE";
  for (const char* const name : {"two_kernels", "guard", "loop", "workspace", "fill", "tiled_map"}) {
    EXPECT_THAT(text_of(golden(name)), Not(HasSubstr(kOnce))) << name;
    EXPECT_THAT(text_of(golden(name)), HasSubstr("extern \"C\" int kmux_launch_body(")) << name;
  }
  EXPECT_THAT(text_of(golden("static_add")), StartsWith(kOnce));
  const Plan plan = lower(golden("static_add"), 0).value();
  DriverDialect dialect;
  EXPECT_THAT(launcher_text(plan, {}, {dialect, argument_sizes, "", true}), Not(HasSubstr(kOnce)))
      << "of host functions, which launch what they like";
}

TEST(LauncherTextTest, ReadsKernelSymbolsFromFiles) {
  EXPECT_THAT(text_of(golden("static_add")), HasSubstr("  {kmux_symbol_0, 0, false},\n")) << "C++ mangles plain names";
  const std::string text = text_of(golden("name_expressions"));
  EXPECT_THAT(text, HasSubstr("extern \"C\" const char kmux_symbol_0[];  // of \"kern<float, 4>\"\n"));
  EXPECT_THAT(text, HasSubstr("  {kmux_symbol_1, 0, false},\n"));
  EXPECT_THAT(text, HasSubstr(R"(kmux_symbol_1: .incbin \"kmux-symbol-1.txt\"\n")"));
}

TEST(LauncherTextTest, PrintsReplayAndCarveoutOptions) {
  const Program program = golden("two_kernels");
  EXPECT_THAT(text_of(program), HasSubstr("  false,  // replay as a graph"));
  EXPECT_THAT(text_of(program, {.graph = true}), HasSubstr("  true,  // replay as a graph"));
  EXPECT_THAT(text_of(program), Not(HasSubstr("percent of the L1 cache")));
  EXPECT_THAT(text_of(program, {.shared_carveout = 25}), HasSubstr("  25,  // percent of the L1 cache"));
}

TEST(LauncherTextTest, LeavesKernelTableOpenForHostFunctions) {
  const Plan plan = lower(golden("launch_attributes"), 0).value();
  DriverDialect dialect;
  const std::string text = launcher_text(plan, {}, {dialect, argument_sizes, "", true});
  EXPECT_THAT(text, HasSubstr(R"(".quad kmux_symbol_1, 0, 0\n"
  ".include \"kmux-more-kernels.s\"\n.popsection\n")"));
  EXPECT_THAT(text, HasSubstr("  kmux_kernel_table, 2,\n"));
  EXPECT_THAT(text, HasSubstr("  kmux_more_kernels,  // kernels of host functions\n"));
}

TEST(LauncherTextTest, ListsAdditionalKernelsWithCount) {
  const std::string more = more_kernels({"a", "b"}, true).value();
  EXPECT_THAT(more, HasSubstr(".quad kmux_more_symbol_0, 0, 1\n.quad kmux_more_symbol_1, 0, 1\n"));
  EXPECT_THAT(more, HasSubstr("kmux_more_kernels:\n.long 2\nkmux_more_symbol_0: .asciz \"a\"\n"));
  EXPECT_THAT(more_kernels({"a\"b"}, false).error().message, HasSubstr("no assembler takes that name"));
}

TEST(LauncherTextTest, DoesNotDependOnCudaRuntime) {
  const std::string text = text_of(golden("static_add"));
  EXPECT_FALSE(std::regex_search(text, std::regex("\\bcuda[A-Z]"))) << "a function of cudart";
  EXPECT_THAT(text, Not(HasSubstr("<cuda")));
  EXPECT_THAT(text, Not(HasSubstr("#include \"")));
}

TEST(LauncherTextTest, CompilesWithoutWarningsForEveryFeature) {
  const std::string compiler = find_host_compiler("", "the test").value();
  for (const Program& program : kmux::test::golden_programs()) {
    Command command{{compiler, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-"}};
    command.standard_input = text_of(program);
    const ProcessResult result = run(command).value();
    EXPECT_EQ(result.exit_code, 0) << program.name << "\n" << result.standard_error;
  }
}

}  // namespace
}  // namespace kmux::nvidia
