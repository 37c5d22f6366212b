#include "cache/disk/include_folders.h"

#include <map>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/include_scan.h"
#include "kmux/plugin/sha256.h"

#include "cache/artifact_cache.h"
#include "file_tick.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class IncludeFoldersTest : public testing::Test {
 protected:
  std::string place(const std::string& name) const { return (temp_.path() / name).string(); }
  DependencyState state_of(const std::vector<std::string>& files) const {
    DependencyState state;
    for (const std::string& file : files) state.files.push_back({file, {}, ""});
    return state;
  }

  TempFolder temp_;
};

TEST_F(IncludeFoldersTest, SharesOnlyValidNonSystemFolders) {
  temp_.write("a/x.h", "");
  EXPECT_THAT(shareable_folders(place("a") + "/\n" + place("")), ElementsAre(place("a"), temp_.path().string()));
  const std::vector<std::string> refused = {place("missing"), place("a/x.h"), place("a/../a"),
                                            "/usr/include",   "/usr",         "/"};
  for (const std::string& folder : refused) {
    EXPECT_THAT(shareable_folders(place("a") + "\n" + folder), IsEmpty()) << folder;
  }
  std::filesystem::create_symlink("/usr/include", place("link"));
  EXPECT_THAT(shareable_folders(place("link")), IsEmpty()) << "compilers search the system's folders last";
}

TEST_F(IncludeFoldersTest, PositionsEncodeFolderNesting) {
  EXPECT_EQ(positions_of({"/a", "/b"}), positions_of({"/c/d", "/e"}));
  EXPECT_NE(positions_of({"/a", "/b"}), positions_of({"/a"}));
  EXPECT_NE(positions_of({"/a", "/b"}), positions_of({"/a", "/a/b"}));
  EXPECT_NE(positions_of({"/a", "/a/b"}), positions_of({"/a", "/a/c"}));
  EXPECT_EQ(positions_of({"/a", "/a/b"}), positions_of({"/c", "/c/b"}));
  EXPECT_NE(positions_of({"/a", "/a"}), positions_of({"/a", "/b"}));
  EXPECT_EQ(positions_of({"/a", "/ab"}), positions_of({"/a", "/b"})) << "only the names begin alike";
}

TEST_F(IncludeFoldersTest, PathsAreRelocatedBetweenCheckouts) {
  DependencyState state = state_of({temp_.write("a/sub/x.h", ""), temp_.write("a/y.h", ""), "/usr/include/stdio.h"});
  state.folders.push_back({place("a"), {}, true, {place("a/z.h")}, {}});
  const DependencyState stored = relative_to({place("a"), place("a/sub")}, state).value();
  EXPECT_EQ(stored.files[1].path, "0/y.h");
  EXPECT_EQ(stored.files[2].path, "1/x.h");
  EXPECT_EQ(stored.folders[0].path, "0/");
  EXPECT_EQ(dependency_state_from_text("machine m\nfolder 1 2 3 4 5 0/\nabsent 0/z.h\n").value().folders[0].path, "0/");
  const DependencyState there = resolved_in({"/b", "/b/sub"}, stored).value();
  EXPECT_THAT(dependencies_in(there).files, ElementsAre("/b/sub/x.h", "/b/y.h", "/usr/include/stdio.h"));
  EXPECT_THAT(dependencies_in(there).absent, ElementsAre("/b/z.h"));
  EXPECT_EQ(there.folders[0].path, "/b");
  EXPECT_FALSE(resolved_in({"/b"}, stored)) << "there is no second folder";
  EXPECT_FALSE(resolved_in({}, stored));
}

TEST_F(IncludeFoldersTest, RejectsPathsThatCannotBeRelocated) {
  const std::string x = temp_.write("a/x.h", "");
  EXPECT_FALSE(relative_to({place("b")}, state_of({x})));
  EXPECT_FALSE(relative_to({place("a")}, state_of({place("a/../x.h")})));
  EXPECT_FALSE(relative_to({place("a")}, state_of({place("a/./x.h")})));
  EXPECT_FALSE(resolved_in({"/b"}, state_of({"0/../x.h"})));
  EXPECT_FALSE(resolved_in({"/b"}, state_of({"99999999999999999999999/x.h"})));
  EXPECT_FALSE(resolved_in({"/b"}, state_of({"x.h"})));
}

TEST_F(IncludeFoldersTest, RejectsTwoPathsOfSameFile) {
  const std::string x = temp_.write("a/x.h", "");
  std::filesystem::create_hard_link(x, place("a/y.h"));
  EXPECT_TRUE(relative_to({place("a")}, state_of({x})));
  EXPECT_FALSE(relative_to({place("a")}, state_of({x, place("a/y.h")})));
}

/// The remote cache that the machines of a fleet share.
class TierInMemory final : public RemoteTier {
 public:
  Result<std::optional<std::string>> get(const std::string& name) override {
    const std::lock_guard guard(mutex_);
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  Status put(const std::string& name, const std::string& value) override {
    const std::lock_guard guard(mutex_);
    values_[name] = value;
    return Ok{};
  }
  Result<bool> lease(const std::string&, const std::string&, std::chrono::milliseconds) override { return true; }
  Status release(const std::string&, const std::string&) override { return Ok{}; }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> values_;
};

/// A machine with its checkout and its cache in `place`. It looks for code and builds it if none is found.
struct Machine {
  std::filesystem::path place;
  std::shared_ptr<RemoteTier> tier;
  int built = 0;

  CacheEntry entry(bool is_relocatable) {
    const std::string header = (place / "inc/x.h").string();
    const auto make = [&]() -> Result<CacheEntry> {
      ++built;
      CacheEntry made;
      made.artifact.set("code", "code");
      made.artifact.set(std::string(kDependenciesPart), to_json(Dependencies{.files = {header}}));
      if (is_relocatable) made.artifact.set(std::string(kRelocatablePart), "1");
      return made;
    };
    const CacheKey key{.digest = sha256_hex(place.string()),
                       .shared_digest = sha256_hex("shared"),
                       .shared_parts = Json::Object{},
                       .folders = {(place / "inc").string()}};
    CacheOptions options{.folder = place / "cache"};
    options.remote = RemoteOptions{.tier = tier};
    const std::shared_ptr<ArtifactCache> cache = ArtifactCache::open(std::move(options)).value();
    CacheEntry found = cache->find_or_make(key, make).value();
    cache->flush();
    return found;
  }
};

TEST_F(IncludeFoldersTest, SharesRelocatableEntriesAcrossFolders) {
  for (const bool is_relocatable : {true, false}) {
    const std::string name = is_relocatable ? "yes/" : "no/";
    for (const char* place : {"a", "b", "c"}) temp_.write(name + place + "/inc/x.h", *place == 'c' ? "2" : "1");
    next_file_tick();
    const auto tier = std::make_shared<TierInMemory>();
    Machine a{place(name + "a"), tier}, b{place(name + "b"), tier}, c{place(name + "c"), tier};
    a.entry(is_relocatable);
    const CacheEntry found = b.entry(is_relocatable);
    EXPECT_THAT(dependencies_of(found).value().files, ElementsAre(place(name + "b/inc/x.h")));
    EXPECT_EQ(b.built, is_relocatable ? 0 : 1);
    EXPECT_EQ(b.entry(is_relocatable).artifact, found.artifact) << "from its own disk";
    EXPECT_EQ(b.built, is_relocatable ? 0 : 1);
    c.entry(is_relocatable);
    EXPECT_EQ(c.built, 1) << "its header is another one";
    a.entry(is_relocatable);
    EXPECT_EQ(a.built, 1);
  }
}

TEST(NamesItsPlaceTest, DetectsCodeThatDependsOnFilePath) {
  for (const char* text :
       {"f(__FILE__)", "__FI\\\nLE__", "__FI\\ \r\nLE__", "__BASE_FILE__", "assert(x)", "#include <cassert>",
        "static_assert(x); assert(y)", "__PRETTY_FUNCTION__", "std::source_location", "__builtin_FILE()",
        "__TIMESTAMP__", "__builtin_dump_struct(&a, f)"}) {
    EXPECT_TRUE(names_its_place(text)) << text;
  }
  for (const char* text : {"", "int x;", "static_assert(sizeof(int) == 4);", "__LINE__", "a \\\n b", "\\"}) {
    EXPECT_FALSE(names_its_place(text)) << text;
  }
}

}  // namespace
}  // namespace kmux
