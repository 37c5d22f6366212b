#include "plugins/plugin_backend.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/log.h"
#include "kmux/plugin/dependencies.h"

#include "system/compile_scope.h"

namespace kmux {
namespace {

using ::testing::HasSubstr;

kmux_code write(kmux_sink sink, std::string_view text) {
  sink.write(sink.self, text.data(), text.size());
  return KMUX_OK;
}

/// Returns a device table that returns invalid answers.
kmux_device_api nonsense_devices() {
  kmux_device_api devices{.struct_size = sizeof(kmux_device_api)};
  devices.count = [](void*, std::int32_t* count, kmux_sink) { return *count = -2, kmux_code{KMUX_OK}; };
  devices.properties = [](void*, std::int32_t, kmux_sink json, kmux_sink) { return write(json, "[1"); };
  return devices;
}

kmux_plugin_api nonsense_table(const kmux_device_api* devices) {
  kmux_plugin_api table{.struct_size = sizeof(kmux_plugin_api), .name = "odd", .version = "1", .devices = devices};
  table.probe = [](void*, kmux_sink report, kmux_sink) { return write(report, "{}"); };
  table.resolve_target = [](void*, kmux_bytes request, std::int32_t, kmux_sink target, kmux_sink) {
    return write(target, request.size == 0 ? "" : "C");
  };
  table.supports = [](void*, const kmux_build_request*, kmux_sink missing, kmux_sink) { return write(missing, "yes"); };
  table.build = [](void*, const kmux_build_request*, kmux_sink artifact, kmux_sink) {
    return write(artifact, "not an artifact");
  };
  table.standalone = [](void*, const kmux_build_request*, kmux_sink parts, kmux_sink) {
    return write(parts, "no parts");
  };
  table.load = [](void*, const kmux_load_request*, void**, kmux_sink) { return kmux_code{KMUX_OK}; };
  return table;
}

class PluginBackendTest : public testing::Test {
 protected:
  template <class Answer>
  static void expect_nonsense(const Answer& answer, const std::string& part) {
    ASSERT_FALSE(answer.ok()) << part;
    EXPECT_EQ(answer.error().code, ErrorCode::kInternal);
    EXPECT_THAT(answer.error().message, HasSubstr("\"odd\""));
    EXPECT_THAT(answer.error().message, HasSubstr(part));
  }
  kmux_device_api devices_ = nonsense_devices();
  kmux_plugin_api table_ = nonsense_table(&devices_);
  PluginBackend backend_{table_, nullptr};
};

TEST_F(PluginBackendTest, ReportsPluginOfMalformedAnswer) {
  const Program program{.name = "p", .variants = {Variant{.dialect = "c"}}};
  const BuildRequest request{program, 0, {"c"}, {}};
  expect_nonsense(backend_.probe(), "probe report");
  expect_nonsense(backend_.resolve_target("", std::nullopt), "target");
  expect_nonsense(backend_.supports(request), "missing features");
  expect_nonsense(backend_.builder().build(request, ""), "artifact");
  expect_nonsense(backend_.load({}, 0), "adapter");
  expect_nonsense(backend_.standalone(request, {}), "parts of a library");
  expect_nonsense(backend_.devices().count(), "-2");
  expect_nonsense(backend_.devices().properties(0), "properties");
}

TEST_F(PluginBackendTest, RejectsArtifactsWithDigestMismatch) {
  static constexpr auto damaged = [](kmux_sink sink) {
    std::string bytes = serialize(Artifact{{{"code", "1234"}}});
    bytes.back() = '5';
    return write(sink, bytes);
  };
  table_.build = [](void*, const kmux_build_request*, kmux_sink artifact, kmux_sink) { return damaged(artifact); };
  table_.standalone = [](void*, const kmux_build_request*, kmux_sink parts, kmux_sink) { return damaged(parts); };
  const Program program{.name = "p", .variants = {Variant{.dialect = "c"}}};
  const BuildRequest request{program, 0, {"c"}, {}};
  expect_nonsense(backend_.builder().build(request, ""), "\"code\" differs from its SHA-256");
  expect_nonsense(backend_.standalone(request, {}), "\"code\" differs from its SHA-256");
}

TEST_F(PluginBackendTest, MarksUnreportedDependenciesIncompleteAndWarnsOnce) {  // C3.2
  table_.build = [](void*, const kmux_build_request*, kmux_sink artifact, kmux_sink) {
    return write(artifact, serialize(Artifact{{{"code", "1234"}}}));
  };
  const Program program{.name = "p", .variants = {Variant{.dialect = "c"}}};
  std::vector<std::string> lines;
  set_log_sink(LogLevel::kWarning, [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  for (int i = 0; i < 2; ++i) {
    const Artifact built = backend_.builder().build({program, 0, {"c"}, {}}, "").value();
    EXPECT_FALSE(dependencies_from_json(*built.find(kDependenciesPart)).value().complete);
  }
  set_log_sink(LogLevel::kWarning, {});
  EXPECT_THAT(lines, testing::ElementsAre(HasSubstr("backend \"odd\" does not report which files it reads")));  // once
}

TEST_F(PluginBackendTest, RejectsExportWithoutStandaloneFunction) {
  const Program program{.name = "p", .variants = {Variant{.dialect = "c"}}};
  const auto refusal = [&] {
    const auto parts = backend_.standalone({program, 0, {"c"}, {}}, {});
    return parts ? Error{} : parts.error();
  };
  table_.standalone = nullptr;
  EXPECT_EQ(refusal().code, ErrorCode::kUnsupported);
  EXPECT_THAT(refusal().message, HasSubstr("backend \"odd\" cannot export (it has no launcher"));
}

TEST_F(PluginBackendTest, RejectsConstantsWithoutConstantFunction) {
  table_.load = [](void*, const kmux_load_request*, void** adapter, kmux_sink) {
    static int made = 0;
    return *adapter = &made, kmux_code{KMUX_OK};
  };
  table_.unload = [](void*) {};
  const auto adapter = backend_.load({}, 0).value();
  EXPECT_EQ(adapter->constant(0, "w").error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(adapter->constant(0, "w").error().message, HasSubstr("backend \"odd\" cannot set constants"));
  table_.constant = [](void*, std::int32_t, kmux_bytes name, void** address, std::uint64_t* bytes, kmux_sink) {
    static char memory[4];
    *address = name.size == 1 ? memory : nullptr, *bytes = sizeof memory;
    return kmux_code{KMUX_OK};
  };
  EXPECT_EQ(adapter->constant(0, "w").value().bytes, 4U);
  expect_nonsense(adapter->constant(0, "none"), "no address of a constant");
}

// The plugin must see the state of the compilation through the call.
class TestScope final : public CompileScope {
 public:
  Result<std::shared_ptr<void>> admit(const std::string&, bool) override { return std::shared_ptr<void>(); }
  bool has_neighbours() const override { return false; }
  Limit time_left() const override { return std::chrono::milliseconds(7); }
  bool is_cancelled() const override { return cancelled; }
  void took_memory(std::uint64_t) override {}
  void progress(double fraction, std::string_view phrase) noexcept override {
    told += std::to_string(static_cast<int>(fraction * 100)) + " " + std::string(phrase) + ";";
  }
  bool cancelled = false;
  std::string told;
};

// A build that reports the state of its call as its error.
kmux_code build_by_context(void*, const kmux_build_request* request, kmux_sink, kmux_sink error) {
  const CallContext call(request->call);
  const auto left = call.time_left();
  write(error, "launcher " + std::string(request->launcher.data, request->launcher.size) + ", left " +
                   (left ? std::to_string(left->count()) : "all"));
  call.progress(0.5, "half");
  call.log(CallContext::Level::kWarning, "a line of the call");
  const Status status = call.check();
  return status ? kmux_code{KMUX_COMPILE_FAILED} : static_cast<kmux_code>(status.error().code);
}

TEST_F(PluginBackendTest, PassesCompilationStateToPluginCalls) {
  table_.build = build_by_context;
  const Program program{.name = "p", .variants = {Variant{.dialect = "c"}}};
  std::vector<std::string> lines;
  set_log_sink(LogLevel::kWarning, [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  const auto build = [&] { return backend_.builder().build({program, 0, {"c"}, {}}, "text").error(); };
  EXPECT_EQ(build().message, "launcher text, left all");
  TestScope scope;
  {
    const CompileScope::Entered entered(scope);
    EXPECT_EQ(build().message, "launcher text, left 7000000");
    scope.cancelled = true;
    EXPECT_EQ(build().code, ErrorCode::kCancelled);
  }
  set_log_sink(LogLevel::kWarning, {});
  EXPECT_EQ(scope.told, "50 half;50 half;");
  EXPECT_THAT(lines, testing::Each("odd: a line of the call"));
  EXPECT_EQ(lines.size(), 3U);
}

TEST_F(PluginBackendTest, ReportsOutOfMemoryForOversizedAnswer) {
  table_.wrap = [](void*, const kmux_build_request*, kmux_sink launcher, kmux_sink) {
    const char byte = 'x';
    const bool refused =
        launcher.write(launcher.self, &byte, SIZE_MAX / 2) != 0;  // no byte is read: there is no room for it
    return refused ? kmux_code{KMUX_OUT_OF_MEMORY} : kmux_code{KMUX_OK};
  };
  const Program program{.name = "p", .variants = {Variant{.dialect = "c"}}};
  const auto wrapped = backend_.wrapper().wrap({program, 0, {"c"}, {}});
  ASSERT_FALSE(wrapped.ok());
  EXPECT_EQ(wrapped.error().code, ErrorCode::kOutOfMemory);
}

TEST_F(PluginBackendTest, RejectsNonCanonicalTargets) {
  expect_nonsense(backend_.resolve_target("c", std::nullopt), "\"c\" is canonical");
}

TEST_F(PluginBackendTest, UsesPluginEntryOrFallsBackToLaunch) {
  table_.load = [](void*, const kmux_load_request*, void** adapter, kmux_sink) {
    static int made = 0;
    return *adapter = &made, kmux_code{KMUX_OK};
  };
  table_.unload = [](void*) {};
  table_.launch = [](void*, const kmux_slot*, const kmux_launch_env*, kmux_sink) { return kmux_code{1}; };
  table_.entry = [](void* adapter, kmux_launch_entry* entry) {
    const auto shorter = [](void*, const kmux_slot*, const kmux_launch_env*, kmux_sink) { return kmux_code{2}; };
    *entry = {shorter, adapter};
  };
  const auto call = [&] { return backend_.load({}, 0).value()->entry()(nullptr, {}, {}); };
  EXPECT_EQ(call(), 2);
  table_.entry = nullptr;
  EXPECT_EQ(call(), 1);
}

}  // namespace
}  // namespace kmux
