// Compares docs/nvidia-drivers.md with the launch layer and the compilers' architectures, and runs the launch layer
// over each release's driver. NVRTC and nvcc are compared in the tests of their plugins (toolkit_versions_test.cpp).
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "kmux/plugin/file_io.h"

#include "nvidia/target.h"
#include "opened_launcher.h"
#include "toolkit_page.h"

namespace kmux::nvidia {
namespace {

using testing::SizeIs;

struct DriverFeature {
  std::string name;
  std::vector<std::string> entry_points;
  Release since;
};

std::vector<std::string> entry_points_in(const std::string& text) {
  static const std::regex kName("`(cu[A-Z]\\w+)`");
  std::vector<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), kName), end; found != end; ++found) {
    names.push_back(found->str(1));
  }
  return names;
}

std::string drivers_page() { return read_file(KMUX_TEST_SOURCE_DIR "/docs/nvidia-drivers.md").value(); }

// Returns the rows of the table of features.
std::vector<DriverFeature> driver_features(const std::string& page) {
  static const std::regex kRow(R"(\| ([^|]+) \| (`cu[^|]+) \| (\d+\.\d+) \| [^|]+ \|)");
  std::vector<DriverFeature> features;
  for (std::sregex_iterator found(page.begin(), page.end(), kRow), end; found != end; ++found) {
    features.push_back({found->str(1), entry_points_in(found->str(2)), parse_release(found->str(3)).value()});
  }
  return features;
}

const DriverFeature& driver_feature_named(const std::vector<DriverFeature>& features, const std::string& part) {
  const auto found = std::ranges::find_if(
      features, [&](const DriverFeature& feature) { return feature.name.find(part) != std::string::npos; });
  EXPECT_NE(found, features.end()) << part;
  return *found;
}

TEST(NvidiaDriversTest, PageListsExactlyTheUsedEntryPoints) {
  std::set<std::string> called;
#define KMUX_CALL(name, symbol, params) called.insert(#symbol);
  KMUX_DRIVER_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
  const std::vector<std::string> named = entry_points_in(drivers_page());
  EXPECT_EQ(std::set<std::string>(named.begin(), named.end()), called);
}

TEST(NvidiaDriversTest, OnlyOptionalCallsAreNewerThanOldestRelease) {
  std::set<std::string> later;
  for (const DriverFeature& feature : driver_features(drivers_page())) {
    if (feature.since > Release{12, 0}) later.insert(feature.entry_points.back());
  }
  std::set<std::string> optional;
#define KMUX_CALL(name, symbol, params) optional.insert(#symbol);
  KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
  EXPECT_EQ(later, optional);
}

#ifdef KMUX_CUDA_TYPEDEFS
// Returns the release that introduced an entry point in the called form: PFN_cuLaunchKernelEx_v11060. A numbered form
// is the second or third of that name.
Release first_driver_release(const std::string& header, const std::string& symbol) {
  std::smatch form;
  const bool is_numbered = std::regex_match(symbol, form, std::regex("(\\w+)_v(\\d)"));
  const std::string base = is_numbered ? form.str(1) : symbol;
  const std::regex kForm("PFN_" + base + "_v(\\d+)\\)");
  std::set<int> versions;
  for (std::sregex_iterator found(header.begin(), header.end(), kForm), end; found != end; ++found) {
    versions.insert(std::stoi(found->str(1)));
  }
  const auto place = std::next(versions.begin(), is_numbered ? std::stoi(form.str(2)) - 1 : 0);
  return {*place / 1000, *place % 1000 / 10};
}

TEST(NvidiaDriversTest, PageReleasesMatchCudaHeaders) {
  const std::string header = read_file(KMUX_CUDA_TYPEDEFS).value();
  for (const DriverFeature& feature : driver_features(drivers_page())) {
    Release since;
    for (const std::string& symbol : feature.entry_points)
      since = std::max(since, first_driver_release(header, symbol));
    EXPECT_EQ(since, feature.since) << feature.name << ": " << since.major << "." << since.minor;
  }
}
#endif

TEST_F(OpenedLauncherTest, RejectsPtxOfNewerCompilerAsDocumented) {
  EXPECT_THAT(drivers_page(), HasSubstr("| PTX | "));
  EXPECT_THAT(drivers_page(), HasSubstr("`CUDA_ERROR_UNSUPPORTED_PTX_VERSION`, which is `unavailable`"));
  fake.fail("cuLibraryLoadData", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_UNAVAILABLE);
  EXPECT_THAT(error, AllOf(HasSubstr("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"), HasSubstr("Install a driver")));
}

TEST(NvidiaToolkitsTest, PageListsArchsKnownToEachRelease) {
  const auto is_known = [](Arch arch, Release release) { return !forward_ptx(arch, release); };
  for (int number = 91; number < 130; ++number) {
    const std::string arch = "sm_" + std::to_string(number);
    for (const Release release : kToolkits) {
      // kmux generates no PTX for removed architectures: they are requested by name, and no device of a newer driver
      // reports one.
      const bool is_gone = number == 101 && release > Release{12, 9};
      for (const char* tool : {"NVRTC", "nvcc"}) {
        EXPECT_EQ(page_knows(tool, release, arch), is_known({number, 'a'}, release) && !is_gone)
            << arch << ", " << tool << " " << release.major << "." << release.minor;
      }
    }
  }
}

TEST(NvidiaToolkitsTest, PageListsFamiliesKnownToEachRelease) {
  for (const int number : {100, 103, 110, 120, 121}) {
    for (const Release release : kToolkits) {
      const bool is_known =
          page_knows("NVRTC", release, "sm_100f") && page_knows("NVRTC", release, "sm_" + std::to_string(number));
      EXPECT_EQ(is_known, !forward_ptx({number, 'f'}, release)) << number << ": " << release.major << release.minor;
    }
  }
}

TEST(NvidiaToolkitsTest, PageListsPtxTargetOfOlderCompilers) {
  static const std::regex kArch("sm_(\\d+)(f?)");
  int rows = 0;
  for (const ToolkitFeature& feature : toolkit_features()) {
    const bool is_newer = feature.name.starts_with("code for") && !feature.is_gone_later;
    if (!is_newer || feature.releases.at("NVRTC") == Release{12, 0}) continue;
    ++rows;
    const auto before = std::prev(std::ranges::find(kToolkits, feature.releases.at("NVRTC")));
    for (std::sregex_iterator arch(feature.name.begin(), feature.name.end(), kArch), end; arch != end; ++arch) {
      const auto ptx = forward_ptx({std::stoi(arch->str(1)), arch->length(2) > 0 ? 'f' : 'a'}, *before);
      ASSERT_TRUE(ptx.has_value()) << feature.name;
      EXPECT_THAT(feature.otherwise, HasSubstr("`" + to_string(*ptx) + "`")) << feature.name;
    }
  }
  EXPECT_EQ(rows, 4);
}

// Returns the driver of a release: the fake one, without later functions.
DriverTable driver_of(Release release, kmux_sink error) {
  DriverTable table = *open_driver(error);
  const std::vector<DriverFeature> features = driver_features(drivers_page());
  const auto is_later = [&](const std::string& symbol) {
    return std::ranges::any_of(features, [&](const DriverFeature& feature) {
      return feature.since > release && feature.entry_points.back() == symbol;
    });
  };
#define KMUX_CALL(name, symbol, params) \
  if (is_later(#symbol)) table.name = nullptr;
  KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
  return table;
}

class NvidiaDriverReleaseTest : public OpenedLauncherTest, public testing::WithParamInterface<std::pair<int, int>> {
 protected:
  bool has(const std::string& feature) {
    return driver_feature_named(driver_features(drivers_page()), feature).since <=
           Release{GetParam().first, GetParam().second};
  }
  /// Calls `body` with a launcher over the driver of the release.
  template <class Body>
  int call_with(Body body) {
    Launcher mine("code", facts, log(), &table_);
    error.clear();
    return mine.call(kmux_launch_env{}, sink(), body);
  }
  int launch_once() {
    kmux_driver_launch what = add();
    return call_with([&](const kmux_driver_env& env, kmux_sink to) { return env.driver->launch(&env, &what, to); });
  }
  DriverTable table_ = driver_of({GetParam().first, GetParam().second}, sink());
};

TEST_P(NvidiaDriverReleaseTest, LaunchesKernel) {
  EXPECT_EQ(launch_once(), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), SizeIs(1));
  EXPECT_THAT(logs, IsEmpty());
}

TEST_P(NvidiaDriverReleaseTest, ChecksArgumentsIfSupported) {
  const unsigned sizes[] = {8, 8};  // the second parameter has 4
  const PackFacts pack = {0, 2, sizes, false};
  facts.packs = &pack;
  facts.pack_count = 1;
  if (has("arguments are compared")) {
    EXPECT_EQ(launch_once(), KMUX_INVALID_ARGUMENT);
    EXPECT_THAT(logs, IsEmpty());
  } else {
    EXPECT_EQ(launch_once(), KMUX_OK) << error;
    EXPECT_THAT(logs, Contains(HasSubstr("arguments are not compared with parameters")));
  }
}

TEST_P(NvidiaDriverReleaseTest, ReplaysBodiesIfSupported) {
  facts.replay = true;
  EXPECT_EQ(launch_once(), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuGraphLaunch"), SizeIs(has("replayed as a graph") ? 1 : 0));
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), SizeIs(has("replayed as a graph") ? 0 : 1));
  if (!has("replayed as a graph")) {
    EXPECT_THAT(logs, Contains(HasSubstr("launched kernel by kernel")));
  }
}

TEST_P(NvidiaDriverReleaseTest, AcceptsLaunchBesideEmptyMapIfSupported) {
  const unsigned long long dims[] = {16, 0, 8}, strides[] = {64, 512};
  const unsigned box[] = {16, 8, 1}, ones[] = {1, 1, 1};
  const kmux_map_geometry geometry = {"A_map", 0, nullptr, 7, 3, dims, strides, ones, 0, 0, 0, 0};
  facts.map_count = 1;
  kmux_driver_launch without = add();
  kmux_tensor_map map{};
  const int code = call_with([&](const kmux_driver_env& env, kmux_sink to) {
    const int encoded = env.driver->encode_tiled(&env, &map, &geometry, box, to);
    return encoded == KMUX_OK ? env.driver->launch(&env, &without, to) : encoded;
  });
  EXPECT_EQ(code, has("an empty tensor map") ? KMUX_OK : KMUX_INVALID_ARGUMENT) << error;
}

INSTANTIATE_TEST_SUITE_P(Of, NvidiaDriverReleaseTest,
                         testing::Values(std::pair(12, 0), std::pair(12, 2), std::pair(12, 3), std::pair(12, 4),
                                         std::pair(12, 6), std::pair(12, 8), std::pair(12, 9), std::pair(13, 0)),
                         [](const auto& release) {
                           return "Cuda" + std::to_string(release.param.first) + "_" +
                                  std::to_string(release.param.second);
                         });

}  // namespace
}  // namespace kmux::nvidia
