#include "kmux/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/runtime.h"

#include "scripted_registry.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

PluginScript script(const std::string& name, int priority = 0) {
  PluginScript script;
  script.manifest.name = name;
  script.manifest.priority = priority;
  script.manifest.targets = {"cpu", "c"};
  script.manifest.dialects = {"c"};
  return script;
}

Program program_of(const std::string& dialect) { return {.name = "p", .variants = {{.dialect = dialect}}}; }

/// Two plugins, of which 'best' has the higher priority, and the queries of the tests.
class ResolverTest : public testing::Test {
 protected:
  Resolution ask(const CompileOptions& options = {}, const Program& program = program_of("c")) {
    return resolve(*runtime_, program, options);
  }
  Resolution ask_to(Purpose purpose, const CompileOptions& options = {}) {
    return resolve(*runtime_, program_of("c"), options, {.purpose = purpose});
  }
  Error error(const CompileOptions& options = {}, const Program& program = program_of("c")) {
    const Result<Candidate> candidate = require(ask(options, program));
    EXPECT_FALSE(candidate.ok());
    return candidate ? Error{} : candidate.error();
  }
  void restart(std::vector<PluginScript*> scripts, const Environment& environment = {}) {
    runtime_ = Runtime::with(environment, Shared<ScriptedRegistry>::make(std::move(scripts)));
  }
  PluginScript best_ = script("best", 9);
  PluginScript next_ = script("next", 1);
  Shared<Runtime> runtime_ =
      Runtime::with({}, Shared<ScriptedRegistry>::make(std::vector<PluginScript*>{&next_, &best_}));
};

TEST_F(ResolverTest, ChoosesHighestPriorityDeterministically) {
  const Resolution resolution = ask();
  EXPECT_EQ(require(resolution).value().backend, "best");
  EXPECT_EQ(ask().candidates, resolution.candidates);
  EXPECT_EQ(resolution.requested_target, "auto");
  EXPECT_EQ(resolution.requested_backend, "auto");
}

TEST_F(ResolverTest, OpensOnlyPluginsAcceptedByManifest) {
  best_.manifest.dialects = {"cuda"};
  EXPECT_EQ(require(ask()).value().backend, "next");
  EXPECT_EQ(best_.opened, 0);
  EXPECT_EQ(next_.opened, 1);
}

TEST_F(ResolverTest, OpensOnlyNamedPlugin) {
  EXPECT_EQ(require(ask({.execution_backend = "next"})).value().backend, "next");
  EXPECT_EQ(best_.opened, 0);
}

TEST_F(ResolverTest, PassesTargetAndDeviceToPlugin) {
  ask({.target = "c -mcpu=znver4", .execution_backend = "best", .device = 3});
  EXPECT_EQ(best_.target_asked, "c -mcpu=znver4");
  EXPECT_EQ(best_.device_asked, 3);
}

TEST_F(ResolverTest, ChecksSupportOnEachCall) {
  ask();
  ask();
  EXPECT_EQ(best_.supports_asked, 2);
}

TEST_F(ResolverTest, PassesDeviceOnlyForRun) {
  ask();
  EXPECT_EQ(best_.device_asked, 0);
  ask_to(Purpose::kBuild);
  EXPECT_EQ(best_.device_asked, std::nullopt);
}

TEST_F(ResolverTest, FallsBackToEnvironment) {
  restart({&best_, &next_}, {.target = "c", .execution_backend = "next"});
  EXPECT_EQ(ask().requested_target, "c");
  EXPECT_EQ(require(ask()).value().backend, "next");
  EXPECT_EQ(require(ask({.execution_backend = "best"})).value().backend, "best");
  EXPECT_EQ(require(ask({.execution_backend = "auto"})).value().backend, "best");
}

TEST_F(ResolverTest, ReportsSearchedFolders) {
  restart({});
  const Error found = error();
  EXPECT_EQ(found.code, ErrorCode::kUnavailable);
  EXPECT_THAT(found.message,
              AllOf(HasSubstr("searched: /first, /second"), HasSubstr("Set KMUX_PLUGIN_PATH to the folder")));
}

TEST_F(ResolverTest, ReportsRejectedPluginInNote) {
  best_.manifest = {};
  best_.refused = make_error(ErrorCode::kUnavailable, "the folder is world-writable");
  restart({&best_});
  EXPECT_EQ(error().note("plugin"), "the folder is world-writable");
  EXPECT_THAT(ask().candidates, IsEmpty());
}

TEST_F(ResolverTest, UnknownTargetListsAvailableTargets) {
  const Error found = error({.target = "vulkan:x"});
  EXPECT_EQ(found.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(found.message, "No backend registered for target kind 'vulkan'. Available: c, cpu.");
  best_.manifest.architectures = {"sm_*"};
  EXPECT_THAT(error({.target = "gfx90a"}).message, HasSubstr("Available: c, cpu, sm_*.")) << "C2.4";
  EXPECT_THAT(error({.target = "cpuu"}).message, HasSubstr("Did you mean 'cpu'?"));
}

TEST_F(ResolverTest, ReportsWhyTargetIsMalformed) {
  const Error found = error({.target = "{\"kind\":"});
  EXPECT_EQ(found.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(found.message, StartsWith(R"(malformed target "{\"kind\":" (malformed JSON at line 1, column)"));
  EXPECT_THAT(found.notes, IsEmpty()) << "every backend would say the same";
}

TEST_F(ResolverTest, ReportsVariableOfInvalidValue) {  // C2.11
  const auto with = [&](const std::string& target, const std::string& backend) {
    restart({&best_}, {.target = target,
                       .target_variable = "TILELANG_TARGET",
                       .execution_backend = backend,
                       .execution_backend_variable = "KMUX_EXECUTION_BACKEND"});
  };
  with("{", "auto");
  EXPECT_THAT(error().message, EndsWith(" It comes from the variable TILELANG_TARGET."));
  EXPECT_THAT(error({.target = "["}).message, Not(HasSubstr("TILELANG_TARGET"))) << "this one is the caller's";
  with("vulkan", "auto");
  EXPECT_THAT(error().message, EndsWith(" It comes from the variable TILELANG_TARGET."));
  with("auto", "zzz");
  EXPECT_THAT(error().message, EndsWith(" It comes from the variable KMUX_EXECUTION_BACKEND."));
}

TEST_F(ResolverTest, UnknownBackendListsAliases) {  // C2.10
  best_.manifest.aliases = {"tvm_ffi", "cython"};
  next_.manifest.aliases = {"cython"};
  EXPECT_THAT(error({.execution_backend = "zzz"}).message,
              HasSubstr("Allowed: best, next. Aliases of these: cython, tvm_ffi. Tip: use 'auto'."));
}

TEST_F(ResolverTest, ReportsEachReasonOnce) {  // C2.6
  Program program = program_of("c");
  program.variants.assign(20, program.variants.front());
  const Error found = error({.execution_backend = "zzz"}, program);
  ASSERT_EQ(found.notes.size(), 1U) << found.explain();
  EXPECT_EQ(found.notes.front().text, "best, next: manifest: not requested ('zzz' is)");
}

TEST_F(ResolverTest, UnknownBackendListsAvailableBackends) {
  const Error found = error({.target = "c", .execution_backend = "bets"});
  EXPECT_EQ(found.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(found.message,
            "Invalid execution backend 'bets' for target 'c'. Allowed: best, next. "
            "Tip: use 'auto'. Did you mean 'best'?");
}

TEST_F(ResolverTest, RejectsBackendOfAnotherTarget) {
  best_.manifest.targets = {"gpu"};
  EXPECT_EQ(error({.target = "c", .execution_backend = "best"}).message,
            "Invalid execution backend 'best' for target 'c'. Allowed: next. Tip: use 'auto'.");
}

TEST_F(ResolverTest, NeverReplacesNamedBackend) {
  best_.probe.can_run = {"no_device", "there is no device"};
  const Error found = error({.execution_backend = "best"});
  EXPECT_EQ(found.code, ErrorCode::kUnavailable);
  EXPECT_EQ(
      found.message,
      "Execution backend 'best' requires extra dependencies and is not available now (cannot run here: there is no "
      "device). Try one of: next.");
  EXPECT_EQ(found.note("backend"), "next (variant 0, c): manifest: not requested ('best' is)")
      << "what is not told yet";
}

TEST_F(ResolverTest, OmitsAlternativesIfNoneExist) {
  best_.probe.can_run = {"no_device", "there is no device"};
  restart({&best_});
  EXPECT_THAT(error({.execution_backend = "best"}).message, EndsWith("(cannot run here: there is no device)."));
}

TEST_F(ResolverTest, ReportsMissingFeatureOfNamedBackend) {
  best_.missing = {{"dtype", "/signature/params/0", "cannot do int4"}};
  const Error found = error({.execution_backend = "best"});
  EXPECT_EQ(found.code, ErrorCode::kUnsupported);
  EXPECT_EQ(found.message,
            "Execution backend 'best' cannot take program 'p' for target 'auto' (cannot do int4 "
            "(/signature/params/0)). Try one of: next.");
}

TEST_F(ResolverTest, ReportsEveryReasonIfAllAreRejected) {
  best_.opens = make_error(ErrorCode::kUnavailable, "libdriver.so.1: cannot open");
  next_.probe.can_build = {"no_toolchain", "there is no compiler"};
  const Error found = error({.target = "c"});
  EXPECT_EQ(found.code, ErrorCode::kUnavailable);
  EXPECT_EQ(found.message,
            "No available execution backend for target 'c'. Allowed: best, next. next: cannot build here: there is no "
            "compiler.");
  EXPECT_THAT(found.notes, ElementsAre(Note{"backend", "best (variant 0, c): open: libdriver.so.1: cannot open"}));
}

TEST_F(ResolverTest, DialectWithoutBackendIsUnsupported) {
  EXPECT_EQ(error({}, program_of("cuda")).code, ErrorCode::kUnsupported);
}

TEST_F(ResolverTest, ReturnsErrorOfFurthestCandidate) {
  best_.target = make_error(ErrorCode::kInvalidArgument, "device 77 does not exist");
  next_.manifest.dialects = {"cuda"};
  EXPECT_EQ(error({.device = 77}).code, ErrorCode::kInvalidArgument);
}

TEST_F(ResolverTest, RejectsUnsupportedTargetHost) {  // C1.1
  const std::string reason =
      "best: launches from this machine alone (target_host is 'x86-64'). Leave target_host empty";
  const Error found = error({.target_host = "x86-64"});
  EXPECT_EQ(found.code, ErrorCode::kUnsupported);
  EXPECT_EQ(found.message, "No available execution backend for target 'auto'. Allowed: best, next. " + reason + ".");
  EXPECT_THAT(error({.execution_backend = "best", .target_host = "x86-64"}).message,
              HasSubstr("launches from this machine alone (target_host is 'x86-64'). Leave target_host empty)."));
  next_.manifest.target_hosts = {"llvm"};
  EXPECT_THAT(error({.execution_backend = "next", .target_host = "x86-64"}).message,
              HasSubstr("takes target_host llvm (target_host is 'x86-64'). Leave target_host empty)."));
}

TEST_F(ResolverTest, ReportsMissingArchitectureAsRequestProblem) {  // C2.5, C3.7
  best_.target = make_error(ErrorCode::kUnavailable, "target \"auto\" names no architecture. Name one.");
  restart({&best_});
  EXPECT_EQ(error().message,
            "No available execution backend for target 'auto'. Allowed: best. best: target \"auto\" names no "
            "architecture. Name one.");
  EXPECT_EQ(
      error({.execution_backend = "best"}).message,
      "Execution backend 'best' cannot take program 'p' for target 'auto' (target \"auto\" names no architecture. "
      "Name one).");
}

TEST_F(ResolverTest, ListsPluginsRejectedByRegistry) {
  best_.refused = make_error(ErrorCode::kUnavailable, "the folder is world-writable");
  const Resolution resolution = ask();
  EXPECT_EQ(require(resolution).value().backend, "next");
  EXPECT_EQ(best_.opened, 0);
  ASSERT_EQ(resolution.candidates.size(), 2U);
  EXPECT_EQ(resolution.candidates[1].reason, "the folder is world-writable");
  EXPECT_THAT(error({.execution_backend = "best"}).message,
              EndsWith("is not available now (the folder is world-writable). Try one of: next."));
}

TEST_F(ResolverTest, PrefersUsablePluginOfSameName) {
  PluginScript shadowed = script("best", 9);
  shadowed.refused = make_error(ErrorCode::kUnavailable, "shadowed");
  restart({&shadowed, &best_});
  EXPECT_EQ(ask().candidates.size(), 1U);
  EXPECT_EQ(require(ask()).value().backend, "best");
}

TEST_F(ResolverTest, ExplainsInTable) {
  next_.probe.can_run = {"no_device", "there is no device"};
  EXPECT_EQ(ask().explain(),
            "p: target 'auto', backend 'auto' -> best for cpu:x86-64\n"
            "     backend  variant  dialect  priority  stage   reason\n"
            "  *  best           0  c               9  policy  the only one that can\n"
            "  -  next           0  c               1  probe   cannot run here: there is no device\n"
            "  (* chosen, + possible, - refused at that stage)\n");
}

TEST_F(ResolverTest, PrintsLongReasonOnce) {
  const std::string why = "there is no device, which takes many words to say, as what has to be installed is told";
  next_.probe.can_run = {"no_device", why};
  Program program = program_of("c");
  program.variants.push_back(program.variants.front());
  const std::string text = ask({}, program).explain();
  EXPECT_EQ(text.find(why), text.rfind(why)) << text;
  EXPECT_THAT(text, HasSubstr("as of variant 0\n"));
}

TEST_F(ResolverTest, PrefersRunnableBackendForEachPurpose) {  // C2.1
  best_.probe.can_run = {"no_device", "there is no device"};
  for (const Purpose purpose : {Purpose::kWrap, Purpose::kBuild, Purpose::kRun}) {
    const Resolution resolution = ask_to(purpose);
    EXPECT_EQ(require(resolution).value().backend, "next") << to_string(purpose);
    EXPECT_FALSE(resolution.runs_nowhere());
  }
  const Resolution named = ask_to(Purpose::kBuild, {.execution_backend = "best"});
  EXPECT_EQ(require(named).value().backend, "best");
  EXPECT_FALSE(named.runs_nowhere()) << "somewhere it may: nobody asked for what runs here";
  EXPECT_THAT(named.explain(),
              StartsWith("p: target 'auto', backend 'best' -> best for cpu:x86-64 (cannot run here)\n"));
}

TEST_F(ResolverTest, ExplainsFirstThatNoBackendCanRun) {  // C2.1
  best_.probe.can_run = {"no_device", "there is no device"};
  restart({&best_});
  const Resolution resolution = ask_to(Purpose::kBuild);
  EXPECT_TRUE(resolution.runs_nowhere());
  EXPECT_THAT(resolution.explain(),
              StartsWith("p: target 'auto', backend 'auto' -> best for cpu:x86-64 (nothing here runs it)\n"));
  EXPECT_FALSE(ask_to(Purpose::kBuild, {.target = "c"}).runs_nowhere());
  EXPECT_THAT(dump(resolution.to_json()), HasSubstr(R"("reach":"build")"));
}

TEST_F(ResolverTest, ExplainsEmptyResolution) {
  restart({});
  EXPECT_EQ(ask().explain(), "p: target 'auto', backend 'auto' -> none\n");
}

TEST_F(ResolverTest, ExplainsInJson) {
  next_.probe.can_run = {"no_device", "there is no device"};
  EXPECT_EQ(dump(ask().to_json()),
            R"({"candidates":[{"backend":"best","dialect":"c","priority":9,"reach":"run",)"
            R"("reason":"the only one that can",)"
            R"("stage":"policy","target":"cpu:x86-64","variant":0,"verdict":"chosen"},{"backend":"next",)"
            R"("code":"unavailable","dialect":"c","priority":1,"reason":"cannot run here: there is no device",)"
            R"("stage":"probe","target":"","variant":0,"verdict":"refused"}],"chosen":"best","policy":"priority",)"
            R"("program":"p","requested_backend":"auto","requested_target":"auto","successor":null})");
}

}  // namespace
}  // namespace kmux
