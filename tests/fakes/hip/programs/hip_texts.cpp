#include "programs/hip_texts.h"

#include <dlfcn.h>
#include <map>
#include <set>
#include <sstream>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/process.h"

#include "temp_folder.h"

namespace kmux {
namespace {

// Programs of the build that compile HIP, with their arguments.
const auto& kPrograms = *new const std::vector<std::vector<std::string>>{
    {KMUX_HIP_CONFORMANCE, "--plugin", "hip", "--plugin-path", KMUX_HIP_PLUGINS},
    {KMUX_HIP_TESTS "/kmux_differential"},
    {KMUX_HIP_TESTS "/kmux_hip_programs"},
    {KMUX_HIP_TESTS "/kmux_hip_exported"},
    // The excluded tests need a process that has not opened HIP, and compile nothing.
    {KMUX_HIP_TESTS "/kmux_hip_fake_test",
     "--gtest_filter=-HipDevicesTest.ProbeReportsMissingParts:HipStandaloneTest.FindsRuntimeByRocmPath"},
};

std::string end_of(const std::string& text) {
  constexpr std::size_t kEnd = 2000;
  return text.size() < kEnd ? text : text.substr(text.size() - kEnd);
}

// Counts each text once, whichever program compiled it.
HipTexts summary_of(const std::string& record) {
  HipTexts found;
  std::set<std::string> all, by_hiprtc, by_clang;
  std::istringstream lines(record);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string outcome, arch, digest, compiler;
    words >> outcome >> arch >> digest >> compiler;
    all.insert(digest);
    if (outcome != "ok") {
      found.refused.push_back(line);
      continue;
    }
    (compiler == "hiprtc" ? by_hiprtc : by_clang).insert(digest);
  }
  found.texts = all.size();
  found.by_hiprtc = by_hiprtc.size();
  found.by_clang = by_clang.size();
  return found;
}

}  // namespace

Result<HipTexts> compile_hip_texts(const std::string& library) {
  const TempFolder folder;
  const std::string record = (folder.path() / "compiled").string();
  HipTexts found;
  for (const std::vector<std::string>& program : kPrograms) {
    Command command{program};
    command.environment = {
        {"KMUX_COMPILER_WRITES", folder.path().string()},  // of the record, which confined workers append to
        {"KMUX_DISABLE_CACHE", "1"},
        {"KMUX_FAKE_HIP_COMPILED", record},
        {"KMUX_FAKE_HIP_KNOWN", KMUX_HIP_KNOWN},
        {"KMUX_FAKE_HIP_REAL", library},
        {"KMUX_HIP_LIBRARY", KMUX_HIP_ON_CPU},
        {"KMUX_REQUIRE_BACKENDS", "cpu,hip"}};
    KMUX_ASSIGN(const ProcessResult result, run(command));
    if (result.exit_code != 0)
      found.failed.push_back(to_string(command) + ": " + end_of(result.standard_output + result.standard_error));
  }
  KMUX_ASSIGN(const std::string lines, read_file(record));
  HipTexts texts = summary_of(lines);
  texts.failed = std::move(found.failed);
  return texts;
}

std::string missing_hip(const std::string& library) {
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return "";
  return dlerror();
}

}  // namespace kmux
