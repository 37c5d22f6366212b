#include "nvidia/fatbin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "cubin_example.h"
#include "fake_host.h"
#include "nvidia/cubin.h"
#include "nvidia/launch_check.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPtx80 = ".version 7.0\n.target sm_80\n.visible .entry k() { ret; }\n";

std::string cubin_for(int arch, const std::string& note) {
  CubinExample example{{{"k"}}};
  example.flags = 0x06000004U | static_cast<unsigned>(arch) << 8;
  example.note = note;
  return example.bytes();
}

FatbinExample several() {
  return {{{FatbinExample::kCubin, 80, cubin_for(80, "-arch sm_80 ")},
           {FatbinExample::kCubin, 86, cubin_for(86, "-arch sm_86 ")},
           {FatbinExample::kCubin, 90, cubin_for(90, "-arch sm_90 ")},
           {FatbinExample::kCubin, 90, cubin_for(90, "-arch sm_90a "), FatbinExample::kOwnArch},
           {FatbinExample::kPtx, 80, kPtx80},
           {FatbinExample::kIntermediate, 80, "of a linker"}}};
}

Program with_fatbin(std::string content) {
  ProgramBuilder builder("sample");
  builder.input("x", dtype::kFloat32, {4}).variant("cubin").source("k.fatbin", std::move(content));
  builder.launch("k").grid({1}).block({32}).args({"x"});
  return builder.build().value();
}

Result<std::optional<Program>> unpacked_for(const Program& program, const std::string& arch, FakeHost& host) {
  return unpacked({program, 0, {"cuda", arch, {}}, {}}, Host(host));
}

std::vector<std::string> archs(const std::vector<FatbinEntry>& entries) {
  std::vector<std::string> names;
  for (const FatbinEntry& entry : entries) names.push_back(to_string(entry.arch));
  return names;
}

TEST(FatbinTest, ListsEntriesWithArchitectures) {
  const std::string bytes = several().bytes();
  EXPECT_TRUE(is_fatbin(bytes));
  EXPECT_FALSE(is_fatbin(cubin_for(80, "")));
  EXPECT_FALSE(is_fatbin(""));
  const auto entries = fatbin_entries(bytes).value();
  EXPECT_THAT(archs(entries), ElementsAre("sm_80", "sm_86", "sm_90", "sm_90a", "compute_80"));
  EXPECT_THAT(cubin_kernels(entries[0].code).value(), ElementsAre("k"));
  EXPECT_EQ(entries[4].code, kPtx80) << "without the zeros that fill it up";
}

TEST(FatbinTest, SkipsRelocatableAndIntermediateEntries) {
  std::string relocatable = cubin_for(80, "");
  relocatable[offsetof(Elf64_Ehdr, e_type)] = ET_REL;
  const FatbinExample fatbin{{{FatbinExample::kCubin, 80, relocatable}, {FatbinExample::kIntermediate, 80, "x"}}};
  EXPECT_TRUE(fatbin_entries(fatbin.bytes()).value().empty());
}

TEST(FatbinTest, SelectsBestEntryForArch) {
  const std::string bytes = several().bytes();
  const auto entries = fatbin_entries(bytes).value();
  const auto best = [&](const char* arch) {
    const FatbinEntry* const entry = best_entry(entries, *parse_arch(arch));
    return entry == nullptr ? "" : to_string(entry->arch);
  };
  EXPECT_EQ(best("sm_80"), "sm_80");
  EXPECT_EQ(best("sm_89"), "sm_86") << "binary code, although it is older";
  EXPECT_EQ(best("sm_90a"), "sm_90a");
  EXPECT_EQ(best("sm_100a"), "compute_80");
  EXPECT_EQ(best("compute_90"), "compute_80");
  EXPECT_EQ(best("sm_75"), "");
}

TEST(FatbinTest, IsReplacedByEntryForTarget) {
  FakeHost host;
  const Program program = with_fatbin(several().bytes());
  const auto binary = unpacked_for(program, "sm_90a", host).value();
  ASSERT_TRUE(binary.has_value());
  EXPECT_EQ(binary->variants[0].dialect, "cubin");
  EXPECT_EQ(to_string(cubin_arch(binary->variants[0].sources[0].content).value()), "sm_90a");
  const auto text = unpacked_for(program, "sm_120a", host).value();
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->variants[0].dialect, "ptx");
  EXPECT_EQ(text->variants[0].sources[0].content, kPtx80);
  EXPECT_EQ(host.log, "");
  EXPECT_FALSE(unpacked_for(with_fatbin(cubin_for(80, "")), "sm_80", host).value().has_value()) << "a cubin stays";
}

TEST(FatbinTest, IsUnsupportedWithoutCodeForTarget) {
  FakeHost host;
  const auto refused = unpacked_for(with_fatbin(several().bytes()), "sm_75", host);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(
      refused.error().message,
      "source \"k.fatbin\" has no code for sm_75 (it has sm_80, sm_86, sm_90, sm_90a, compute_80). Add some to it, "
      "PTX for newer devices, or a variant with the source.");
  const auto empty = unpacked_for(with_fatbin(FatbinExample{}.bytes()), "sm_75", host);
  EXPECT_THAT(empty.error().message, HasSubstr("(it has nothing that can be loaded)"));
}

TEST(FatbinTest, LeavesCompressedCodePacked) {
  for (const std::uint64_t flag : {FatbinExample::kZstd, FatbinExample::kLz4}) {
    FakeHost host;
    FatbinExample fatbin = several();
    fatbin.entries[0] = {FatbinExample::kCubin, 80, "not to be read", flag};
    const Program program = with_fatbin(fatbin.bytes());
    EXPECT_FALSE(unpacked_for(program, "sm_80", host).value().has_value());
    EXPECT_THAT(host.log, HasSubstr("\"k.fatbin\": its code for sm_80 is compressed, so the driver is the first"));
    EXPECT_TRUE(unpacked_for(program, "sm_86", host).value().has_value()) << "of another entry than is taken";
    Plan plan;
    plan.kernels = {"k"};
    const std::string& code = program.variants[0].sources[0].content;
    EXPECT_THAT(check_ready_code(program.variants[0], {80}, plan).value(), ElementsAre("k"));
    EXPECT_THAT(checked_symbols(plan, {"k"}, code, /*is_ptx=*/false).value(), ElementsAre("k"));
    EXPECT_THAT(find_constants({{.name = "w"}}, code, /*is_ptx=*/false).value(),
                ElementsAre(ConstantSymbol{"w", "w", 0}));
  }
}

// No offset of a damaged file may point outside of it.
TEST(FatbinTest, RejectsTruncatedFile) {
  const std::string whole = several().bytes();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const auto refused = fatbin_entries(whole.substr(0, size));
    ASSERT_FALSE(refused.ok()) << size;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("the code is not a fatbin ("));
  }
  for (std::size_t at = 0; at < 16 + 64; ++at) {
    std::string damaged = whole;
    damaged[at] = '\xff';
    (void)fatbin_entries(damaged);
  }
}

}  // namespace
}  // namespace kmux::nvidia
