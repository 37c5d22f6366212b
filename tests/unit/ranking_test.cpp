#include "resolve/ranking.h"

#include <algorithm>
#include <deque>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::HasSubstr;

/// Facts of a plugin that can do everything unless the test changes them.
struct Facts : PluginFacts {
  explicit Facts(const std::string& name, int priority = 0) : Facts(new_manifest()) {
    own.name = name;
    own.priority = priority;
    own.targets = {"cpu", "c"};
    own.dialects = {"c"};
    target = Target{"cpu", "x86-64"};
  }
  Facts dialects(std::vector<std::string> list) && { return own.dialects = std::move(list), std::move(*this); }
  Facts foreign(std::vector<std::string> list) && { return own.foreign_dialects = std::move(list), std::move(*this); }
  Facts ready(std::vector<std::string> list) && { return own.ready_dialects = std::move(list), std::move(*this); }
  Facts targets(std::vector<std::string> list) && { return own.targets = std::move(list), std::move(*this); }
  Facts aliases(std::vector<std::string> list) && { return own.aliases = std::move(list), std::move(*this); }
  Facts features(std::vector<std::string> list) && { return own.features = std::move(list), std::move(*this); }
  Facts architectures(std::vector<std::string> list) && {
    return own.architectures = std::move(list), std::move(*this);
  }
  Facts compares_architectures() && { return own.arch_match = kArchMatchSupports, std::move(*this); }
  Facts hosts(std::vector<std::string> list) && { return own.target_hosts = std::move(list), std::move(*this); }
  Facts arch(const std::string& name) && { return target->arch = name, std::move(*this); }
  Facts not_opened() && {
    opened = make_error(ErrorCode::kUnavailable, "libdriver.so.1: cannot open");
    return std::move(*this);
  }
  Facts no_build() && { return probe->can_build = {"no_toolchain", "there is no compiler"}, std::move(*this); }
  Facts no_run() && { return probe->can_run = {"no_device", "there is no device"}, std::move(*this); }
  Facts probe_fails() && { return probe = make_error(ErrorCode::kInternal, "probe broke"), std::move(*this); }
  Facts no_target() && {
    target = make_error(ErrorCode::kInvalidArgument, "unknown architecture");
    return std::move(*this);
  }
  Facts lacks(std::size_t variant) && {
    missing.resize(2, std::vector<MissingFeature>{});
    missing[variant] = std::vector<MissingFeature>{{"dtype", "/signature/params/0", "cannot do int4"}};
    return std::move(*this);
  }
  /// For variant `variant`, `count` others fit better.
  Facts fits_worse(std::size_t variant, std::size_t count = 1) && {
    missing.resize(3, std::vector<MissingFeature>{});
    for (std::size_t i = 0; i < count; ++i)
      missing[variant]->push_back({"better_fit", "/variants/9", "variant 9 fits better"});
    return std::move(*this);
  }
  Facts supports_fails() && {
    missing.push_back(make_error(ErrorCode::kInternal, "supports broke"));
    return std::move(*this);
  }

  Manifest& own;  // the manifest that the facts borrow

 private:
  explicit Facts(Manifest& its_manifest) : PluginFacts{.manifest = &its_manifest}, own(its_manifest) {}
  static Manifest& new_manifest() {
    static std::deque<Manifest> all;  // facts are copied into tables
    return all.emplace_back();
  }
};

Program program_of(const std::vector<std::string>& dialects) {
  Program program{.name = "p"};
  for (const std::string& dialect : dialects) program.variants.push_back({.dialect = dialect});
  return program;
}

Program with_workspace() {
  Program program = program_of({"c"});
  program.variants[0].body.workspaces.push_back({"w", 16});
  return program;
}

Program for_arch(const std::string& arch) {
  Program program = program_of({"c", "c"});
  program.variants[0].requirements.arch = {arch};
  return program;
}

CompileSettings asking(const std::string& target, const std::string& backend, Purpose purpose = Purpose::kRun) {
  return {.options = {.target = target, .execution_backend = backend}, .purpose = purpose};
}

std::vector<Candidate> ranked(const Program& program, const CompileSettings& request,
                              const std::vector<PluginFacts>& facts) {
  std::vector<const Manifest*> manifests;
  for (const PluginFacts& plugin : facts) manifests.push_back(plugin.manifest);
  return rank(Inquiry(program, request, manifests), facts);
}

/// Returns "a0* b0+ c0-probe": backend, variant, and chosen, possible or the refusing stage.
std::string brief(const std::vector<Candidate>& candidates) {
  std::string text;
  for (const Candidate& c : candidates) {
    text += (text.empty() ? "" : " ") + c.backend + std::to_string(c.variant);
    text += c.verdict == Verdict::kChosen     ? "*"
            : c.verdict == Verdict::kPossible ? "+"
                                              : "-" + std::string(to_string(c.stage));
  }
  return text;
}

struct Row {
  const char* what;
  Program program;
  CompileSettings request;
  std::vector<PluginFacts> facts;
  const char* expected;
};

std::vector<Row> rows() {
  const Program one = program_of({"c"});
  const Program two = program_of({"x", "c"});
  const CompileSettings any = asking("auto", "auto");
  const auto hosted = [&](const char* host) {
    CompileSettings request = any;
    request.options.target_host = host;
    return request;
  };
  return {
      {"no plugins", one, any, {}, ""},
      {"no variants", program_of({}), any, {Facts("a")}, ""},
      {"one plugin", one, any, {Facts("a")}, "a0*"},
      {"higher priority first", one, any, {Facts("a", 1), Facts("b", 2)}, "b0* a0+"},
      {"equal priority: by name", one, any, {Facts("b"), Facts("a")}, "a0* b0+"},
      {"equal priority: variant before name",
       two,
       any,
       {Facts("b").dialects({"x", "c"}), Facts("a").dialects({"x", "c"})},
       "a0* b0+ a1+ b1+"},
      {"priority before variant",
       two,
       any,
       {Facts("a", 1).dialects({"x"}), Facts("b", 2)},
       "b1* a0+ b0-manifest a1-manifest"},
      {"dialect", one, any, {Facts("a").dialects({"cuda"}), Facts("b")}, "b0* a0-manifest"},
      {"what is written for the device before what is not",
       two,
       any,
       {Facts("b").dialects({"x", "c"}).foreign({"x"}), Facts("a", -1)},
       "b1* b0+ a1+ a0-manifest"},
      {"of what is not, the dialect that the backend prefers",
       two,
       any,
       {Facts("b").dialects({"x", "c"}).foreign({"c", "x"})},
       "b1* b0+"},
      {"architectures of another kind of device", for_arch("gpu_9"), any, {Facts("a").foreign({"c"})}, "a0* a1+"},
      {"target kind", one, asking("c", "auto"), {Facts("a").targets({"gpu"}), Facts("b")}, "b0* a0-manifest"},
      {"target kind in capitals", one, asking("CPU:Zen", "auto"), {Facts("a")}, "a0*"},
      {"target in TileLang's form", one, asking("c -mcpu=znver4", "auto"), {Facts("a")}, "a0*"},
      {"target that nobody answers to", one, asking("vulkan", "auto"), {Facts("a")}, "a0-manifest"},
      {"target that cannot be read", one, asking("{\"kind\":", "auto"), {Facts("a")}, "a0-manifest"},
      {"exact name", one, asking("auto", "a"), {Facts("a", 1), Facts("b", 2)}, "a0* b0-manifest"},
      {"exact name in capitals", one, asking("auto", "A"), {Facts("a", 1), Facts("b", 2)}, "a0* b0-manifest"},
      {"exact name that cannot: never another",
       one,
       asking("auto", "a"),
       {Facts("a").no_run(), Facts("b")},
       "a0-probe b0-manifest"},
      {"unknown name", one, asking("auto", "zzz"), {Facts("a")}, "a0-manifest"},
      {"empty name is not a plugin", one, asking("auto", ""), {Facts("a")}, "a0-manifest"},
      {"alias narrows",
       one,
       asking("auto", "cython"),
       {Facts("a", 1).aliases({"cython"}), Facts("b", 2)},
       "a0* b0-manifest"},
      {"alias of two: the policy chooses",
       one,
       asking("auto", "cython"),
       {Facts("a", 1).aliases({"cython"}), Facts("b", 2).aliases({"cython"}), Facts("c", 3)},
       "b0* a0+ c0-manifest"},
      {"alias that all declare is what auto gives",
       one,
       asking("auto", "tvm_ffi"),
       {Facts("a", 1).aliases({"tvm_ffi"}), Facts("b", 2).aliases({"tvm_ffi"})},
       "b0* a0+"},
      {"a name beats an alias",
       one,
       asking("auto", "a"),
       {Facts("a", 1), Facts("b", 2).aliases({"a"})},
       "a0* b0-manifest"},
      {"feature of the manifest", with_workspace(), any, {Facts("a")}, "a0-manifest"},
      {"feature that the manifest has", with_workspace(), any, {Facts("a").features({"workspace"})}, "a0*"},
      {"C1.1: a host's kind alone says nothing new to anyone",
       one,
       hosted("llvm"),
       {Facts("a", 2), Facts("b").hosts({"c", "llvm"})},
       "a0* b0+"},
      {"C1.1: a host's processor is for those that take hosts",
       one,
       hosted("llvm -mcpu=x86-64-v3"),
       {Facts("a", 2), Facts("b").hosts({"c", "llvm"})},
       "b0* a0-target"},
      {"C1.1: what nobody knows as a host",
       one,
       hosted("cuda"),
       {Facts("a", 2), Facts("b").hosts({"c", "llvm"})},
       "a0-target b0-target"},
      {"C1.1: a host that cannot be read", one, hosted("{"), {Facts("a").hosts({"c"})}, "a0-target"},
      {"C2.4: an architecture in the place of a kind",
       one,
       asking("sm_90", "auto"),
       {Facts("a", 2), Facts("b").targets({"cuda"}).architectures({"sm_*"})},
       "b0* a0-manifest"},
      {"C2.4: its prefix alone is none",
       one,
       asking("sm_", "auto"),
       {Facts("b").targets({"cuda"}).architectures({"sm_*"})},
       "b0-manifest"},
      {"library that does not open", one, any, {Facts("a", 1).not_opened(), Facts("b")}, "b0* a0-open"},
      {"cannot build", one, any, {Facts("a", 1).no_build(), Facts("b")}, "b0* a0-probe"},
      {"cannot build, and need not", one, any, {Facts("a", 1).no_build().ready({"c"}), Facts("b")}, "a0* b0+"},
      {"cannot build, but another dialect", one, any, {Facts("a").no_build().ready({"object"})}, "a0-probe"},
      {"cannot run, with code that is ready", one, any, {Facts("a").no_run().ready({"c"})}, "a0-probe"},
      {"cannot run", one, any, {Facts("a", 1).no_run(), Facts("b")}, "b0* a0-probe"},
      {"to build, no device is needed", one, asking("auto", "auto", Purpose::kBuild), {Facts("a").no_run()}, "a0*"},
      {"to build, a toolchain is needed",
       one,
       asking("auto", "auto", Purpose::kBuild),
       {Facts("a").no_build()},
       "a0-probe"},
      {"to wrap, nothing is needed",
       one,
       asking("auto", "auto", Purpose::kWrap),
       {Facts("a").no_build().no_run()},
       "a0*"},
      {"C2.1: to build, what runs here comes first, whatever its priority",
       one,
       asking("auto", "auto", Purpose::kBuild),
       {Facts("a", 9).no_run(), Facts("b", 1)},
       "b0* a0+"},
      {"C2.1: to build, what runs here comes first, whatever its variant",
       two,
       asking("auto", "auto", Purpose::kBuild),
       {Facts("a").dialects({"x"}).no_run(), Facts("b")},
       "b1* a0+ b0-manifest a1-manifest"},
      {"C2.1: to wrap, what runs, then what builds, then the others",
       one,
       asking("auto", "auto", Purpose::kWrap),
       {Facts("a", 9).no_build().no_run(), Facts("b", 5).no_run(), Facts("c", 1)},
       "c0* b0+ a0+"},
      {"C2.1: an alias means what runs here first, too",
       one,
       asking("auto", "cython", Purpose::kBuild),
       {Facts("a", 9).aliases({"cython"}).no_run(), Facts("b", 1).aliases({"cython"}), Facts("c", 5)},
       "b0* a0+ c0-manifest"},
      {"C2.1: what only builds is taken where it is named",
       one,
       asking("auto", "a", Purpose::kBuild),
       {Facts("a", 9).no_run(), Facts("b", 1)},
       "a0* b0-manifest"},
      {"C2.1: what only builds is taken by its priority where nothing runs",
       one,
       asking("auto", "auto", Purpose::kBuild),
       {Facts("a", 1).no_run(), Facts("b", 2).no_run()},
       "b0* a0+"},
      {"probe fails", one, any, {Facts("a").probe_fails()}, "a0-probe"},
      {"plugin refuses the target", one, any, {Facts("a").no_target()}, "a0-target"},
      {"variant for another architecture", for_arch("sm_90a"), any, {Facts("a").arch("sm_80")}, "a1* a0-target"},
      {"variant for this architecture", for_arch("sm_90a"), any, {Facts("a").arch("sm_90a")}, "a0* a1+"},
      {"plugin lacks a variant", program_of({"c", "c"}), any, {Facts("a").lacks(0)}, "a1* a0-supports"},
      {"plugin lacks both in turn",
       program_of({"c", "c"}),
       any,
       {Facts("a", 1).lacks(0), Facts("b", 2).lacks(1)},
       "b0* a1+ b1-supports a0-supports"},
      {"the better fit first, whatever its place",
       program_of({"c", "c", "c"}),
       any,
       {Facts("a").fits_worse(0, 2).fits_worse(1)},
       "a2* a1+ a0+"},
      {"how well it fits comes after the priority",
       program_of({"c", "c", "c"}),
       any,
       {Facts("a", 2).fits_worse(0), Facts("b", 1)},
       "a1* a2+ a0+ b0+ b1+ b2+"},
      {"a plugin may compare architectures itself",
       for_arch("sm_80"),
       any,
       {Facts("a").compares_architectures().arch("sm_90a")},
       "a0* a1+"},
      {"supports fails", one, any, {Facts("a").supports_fails()}, "a0-supports"},
      {"refused ones by how far they came",
       one,
       any,
       {Facts("a").dialects({"x"}), Facts("b").not_opened(), Facts("c").no_run(), Facts("d").no_target(),
        Facts("e").lacks(0)},
       "e0-supports d0-target c0-probe b0-open a0-manifest"},
  };
}

TEST(RankingTest, MatchesExpectedRankings) {
  for (const Row& row : rows()) EXPECT_EQ(brief(ranked(row.program, row.request, row.facts)), row.expected) << row.what;
}

TEST(RankingTest, IgnoresPluginOrder) {
  std::mt19937 random(1);
  for (Row& row : rows()) {
    const std::vector<Candidate> expected = ranked(row.program, row.request, row.facts);
    std::shuffle(row.facts.begin(), row.facts.end(), random);
    EXPECT_EQ(ranked(row.program, row.request, row.facts), expected) << row.what;
  }
}

TEST(RankingTest, ChoosesAtMostOneAndExplainsEachCandidate) {
  for (const Row& row : rows()) {
    int chosen = 0;
    for (const Candidate& candidate : ranked(row.program, row.request, row.facts)) {
      chosen += candidate.verdict == Verdict::kChosen ? 1 : 0;
      EXPECT_FALSE(candidate.reason.empty()) << row.what;
      EXPECT_EQ(candidate.code == ErrorCode::kOk, candidate.verdict != Verdict::kRefused) << row.what;
    }
    EXPECT_LE(chosen, 1) << row.what;
  }
}

Candidate first(const Program& program, const CompileSettings& request, PluginFacts facts) {
  return ranked(program, request, {std::move(facts)}).at(0);
}

TEST(RankingTest, ReportsCandidateReason) {
  const Program one = program_of({"c"});
  const CompileSettings any = asking("auto", "auto");
  EXPECT_EQ(first(one, any, Facts("a")).reason, "the only one that can");
  EXPECT_EQ(first(one, any, Facts("a").dialects({"x", "y"})).reason, "takes dialect x, y, not 'c'");
  EXPECT_EQ(first(one, asking("gpu", "auto"), Facts("a")).reason, "answers to target cpu, c, not 'gpu'");
  EXPECT_EQ(first(one, asking("auto", "b"), Facts("a")).reason, "not requested ('b' is)");
  EXPECT_EQ(first(one, any, Facts("a").no_build()).reason, "cannot build here: there is no compiler");
  EXPECT_EQ(first(one, any, Facts("a").no_run()).reason, "cannot run here: there is no device");
  EXPECT_EQ(first(one, any, Facts("a").not_opened()).reason, "libdriver.so.1: cannot open");
  EXPECT_EQ(first(one, any, Facts("a").lacks(0)).reason, "cannot do int4 (/signature/params/0)");
  EXPECT_THAT(first(with_workspace(), any, Facts("a")).reason, HasSubstr("workspace"));
  EXPECT_EQ(ranked(for_arch("sm_90a"), any, {Facts("a")})[1].reason,
            "the variant requires sm_90a, the target is cpu:x86-64");
}

TEST(RankingTest, ReportsWhyFirstIsPreferred) {
  const Program one = program_of({"c"});
  const CompileSettings any = asking("auto", "auto");
  const std::vector<Candidate> by_priority = ranked(one, any, {Facts("a", 1), Facts("b", 2)});
  EXPECT_EQ(by_priority[0].reason, "highest priority of those that can");
  EXPECT_EQ(by_priority[1].reason, "can too; 'b' comes first");
  EXPECT_EQ(ranked(program_of({"c", "c"}), any, {Facts("a")})[0].reason, "earliest variant at this priority");
  EXPECT_EQ(ranked(one, any, {Facts("a"), Facts("b")})[0].reason, "first by name at this priority");
  const std::vector<Candidate> by_fit = ranked(program_of({"c", "c"}), any, {Facts("a").fits_worse(0)});
  EXPECT_EQ(by_fit[0].reason, "fits the target best of those at this priority");
  EXPECT_EQ(by_fit[1].reason, "can too; variant 9 fits better");
}

TEST(RankingTest, ReportsReachOfEachCandidate) {  // C2.1
  const CompileSettings to_build = asking("auto", "auto", Purpose::kBuild);
  const std::vector<Candidate> mixed = ranked(program_of({"c"}), to_build, {Facts("a", 9).no_run(), Facts("b", 1)});
  EXPECT_EQ(mixed[0].reason, "the only one that can run here");
  EXPECT_EQ(mixed[0].reach, Purpose::kRun);
  EXPECT_EQ(mixed[1].reason, "comes after 'b': cannot run here: there is no device");
  EXPECT_EQ(mixed[1].reach, Purpose::kBuild);
  EXPECT_EQ(first(program_of({"c"}), to_build, Facts("a").no_run()).reason,
            "the only one that can; cannot run here: there is no device");
}

TEST(RankingTest, ReportsCanonicalTargetFromTargetStage) {
  EXPECT_EQ(first(program_of({"c"}), asking("c", "auto"), Facts("a")).target, "cpu:x86-64");
  EXPECT_EQ(first(program_of({"c"}), asking("c", "auto"), Facts("a").no_run()).target, "");
}

TEST(RankingTest, FallsBackToBuildOnlyCandidateLast) {  // C2.1
  std::vector<Candidate> candidates = ranked(program_of({"c"}), asking("auto", "auto", Purpose::kBuild),
                                             {Facts("a", 9).no_run(), Facts("b", 1), Facts("c", 2)});
  EXPECT_EQ(brief(candidates), "c0* b0+ a0+");
  pass_over_chosen(candidates, "cannot do inline assembly");
  EXPECT_EQ(brief(candidates), "b0* a0+ c0-build");
  pass_over_chosen(candidates, "nor can this");
  EXPECT_EQ(brief(candidates), "a0* c0-build b0-build");
  EXPECT_EQ(candidates[0].reach, Purpose::kBuild);
}

TEST(RankingTest, PassesOverChosenCandidate) {
  std::vector<Candidate> candidates = ranked(program_of({"c"}), asking("auto", "auto"), {Facts("a", 2), Facts("b", 1)});
  pass_over_chosen(candidates, "cannot do inline assembly");
  EXPECT_EQ(brief(candidates), "b0* a0-build");
  EXPECT_EQ(candidates[1].reason, "cannot do inline assembly");
  EXPECT_EQ(candidates[1].code, ErrorCode::kUnsupported);
  pass_over_chosen(candidates, "nor can this");
  EXPECT_EQ(brief(candidates), "a0-build b0-build");
}

}  // namespace
}  // namespace kmux
