// SPDX-License-Identifier: Apache-2.0
// The restrictions of workers that compile for untrusted callers. tests/attacks shows that real compilers work under
// them.
#include "isolation/worker_confinement.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/worker_processes.h"
#include "isolation/worker_pool.h"
#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using Reads = std::vector<std::string>;

class WorkerConfinementTest : public testing::Test {
 protected:
  /// Creates a user's folder with an empty file in it, and returns its path.
  std::string made(const std::string& path) {
    files.write(path + "/.keep", "");
    return (files.path() / path).string();
  }
  Reads reads_with(const Options& options) const {
    return confinement_of_plugin("/usr/lib/kmux/plugins/kmux_x.plugin.json", options).reads;
  }
  static Reads reads_with(const std::string& options) {
    kmux_build_request request{};
    request.options = {options.data(), options.size()};
    return with_request({}, request).reads;
  }

  const TempFolder files;
};

TEST_F(WorkerConfinementTest, AllowsInstallationOfNamedLibrary) {
  const std::string library = made("cuda/lib64") + "/.keep";
  const Reads reads = reads_with(Options{{"nvrtc.library", library}});
  EXPECT_THAT(reads, Contains((files.path() / "cuda").string()));  // with its headers
  EXPECT_THAT(reads, Not(Contains(files.path().string())));
}

TEST_F(WorkerConfinementTest, AllowsPythonPackagesAroundLibrary) {
  const std::string library = made("venv/site-packages/nvidia/cuda_nvrtc/lib") + "/.keep";
  EXPECT_THAT(reads_with(Options{{"nvrtc.library", library}}),
              Contains((files.path() / "venv/site-packages").string()));
}

TEST_F(WorkerConfinementTest, ExcludesHomeFolder) {
  const std::string home = made("home"), programs = made("home/bin"), tool = made("home/tool/bin");
  const std::string before = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", home.c_str(), 1);
  const Reads reads = reads_with(Options{{"a", programs + "/.keep"}, {"b", tool + "/.keep"}, {"c", "no/path"}});
  ::setenv("HOME", before.c_str(), 1);
  EXPECT_THAT(reads, Contains(home + "/tool"));
  EXPECT_THAT(reads, Not(Contains(home)));
  EXPECT_THAT(reads, Not(Contains("/")));
  EXPECT_TRUE(std::ranges::all_of(reads, [](const std::string& path) { return path.starts_with('/'); }));
}

TEST_F(WorkerConfinementTest, AllowsFoldersOfRequest) {
  EXPECT_THAT(reads_with(R"({"include_dirs": "/a/b\nrelative\n/c", "compile_flags": "-I/d/e\n-O2\n-DX=/f"})"),
              testing::ElementsAre("/a/b", (std::filesystem::current_path() / "relative").string(), "/c", "/d/e"));
  EXPECT_THAT(reads_with(R"({"host_compiler": "/opt/gcc/bin/g++"})"), Contains("/opt/gcc"));
  EXPECT_THAT(reads_with(std::string("no JSON")), SizeIs(0));
}

/// Calls a worker that is a shell script; returns its output.
std::string output_of(const std::string& script, const Confinement& confinement) {
  const auto worker = WorkerProcess::start("/bin/sh", script, confinement).value();
  const WorkerHost host{.log = [](std::int32_t, std::string_view) {}, .stopping = [] { return false; }};
  const auto answer = worker->call("x", Deadline(std::chrono::seconds(60)), host);
  return std::get<WorkerFailure>(answer).output;
}

TEST_F(WorkerConfinementTest, ConfinesWorkerProcess) {
  if (!confinement_here().starts_with("Landlock")) GTEST_SKIP() << needs("Landlock", confinement_here());
  files.write("secret", "a secret\n");
  files.write("named/header.h", "a header\n");
  const std::string folder = files.path().string();
  files.write("named/script", "cat " + folder + "/secret; cat " + folder + "/named/header.h; echo x > " + folder +
                                  "/left; echo x > /tmp/kmux-left; echo x > $TMPDIR/own && cat $TMPDIR/own; ulimit -t; "
                                  "echo $TMPDIR\n");
  Confinement held{.reads = system_reads(), .is_timed = false};
  held.reads.push_back(folder + "/named");
  const std::string output = output_of(folder + "/named/script", held);
  EXPECT_THAT(output, HasSubstr("a header\n"));
  EXPECT_THAT(output, HasSubstr("x\nunlimited\n"));
  EXPECT_THAT(output, Not(HasSubstr("a secret")));
  EXPECT_FALSE(std::filesystem::exists(folder + "/left"));
  EXPECT_FALSE(std::filesystem::exists("/tmp/kmux-left"));
  const std::string scratch = output.substr(output.rfind('\n', output.size() - 2) + 1);
  EXPECT_THAT(scratch, HasSubstr("kmux-worker-"));
  EXPECT_FALSE(std::filesystem::exists(scratch.substr(0, scratch.size() - 1))) << "it is removed with the worker";
}

TEST_F(WorkerConfinementTest, StartsOneWorkerPerConfinement) {
  WorkerPool pool({.plugin = "null_a",
                   .program = KMUX_TEST_BUILD_DIR "/libexec/kmux/kmux-worker",
                   .manifest = KMUX_TEST_PLUGIN_DIR "/table/kmux_null_a.plugin.json",
                   .options = {},
                   .host = {.log = [](std::int32_t, std::string_view) {}, .stopping = [] { return false; }}});
  Confinement held{.reads = system_reads(), .writes = user_writes(), .is_timed = false};
  held.reads.emplace_back(KMUX_TEST_BUILD_DIR);
  const auto asks = [&](const std::optional<Confinement>& confinement) {
    return pool.call({FrameKind::kProbe, {"/"}}, std::chrono::seconds(60), confinement).value().code == KMUX_OK;
  };
  EXPECT_TRUE(asks(held) && asks(held));
  EXPECT_THAT(test::children_of(getpid()), SizeIs(1));
  EXPECT_TRUE(asks({}) && asks(held));
  EXPECT_THAT(test::children_of(getpid()), SizeIs(2));
  for (int i = 0; i < 2 * static_cast<int>(WorkerPool::kMaxWorkers); ++i) {
    held.reads.push_back("/folder" + std::to_string(i));
    EXPECT_TRUE(asks(held));
  }
  EXPECT_THAT(test::children_of(getpid()), SizeIs(testing::Le(WorkerPool::kMaxWorkers)));
}

}  // namespace
}  // namespace kmux
