#include "cache/disk/include_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/include_scan.h"

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

TEST_F(IncludeFoldersTest, ShareableAreThoseOfCheckouts) {
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

TEST_F(IncludeFoldersTest, PositionsTellHowFoldersLieWithinEachOther) {
  EXPECT_EQ(positions_of({"/a", "/b"}), positions_of({"/c/d", "/e"}));
  EXPECT_NE(positions_of({"/a", "/b"}), positions_of({"/a"}));
  EXPECT_NE(positions_of({"/a", "/b"}), positions_of({"/a", "/a/b"}));
  EXPECT_NE(positions_of({"/a", "/a/b"}), positions_of({"/a", "/a/c"}));
  EXPECT_EQ(positions_of({"/a", "/a/b"}), positions_of({"/c", "/c/b"}));
  EXPECT_NE(positions_of({"/a", "/a"}), positions_of({"/a", "/b"}));
  EXPECT_EQ(positions_of({"/a", "/ab"}), positions_of({"/a", "/b"})) << "only the names begin alike";
}

TEST_F(IncludeFoldersTest, PathsGoFromOneCheckoutToAnother) {
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

TEST_F(IncludeFoldersTest, PathsElsewhereGoNowhere) {
  const std::string x = temp_.write("a/x.h", "");
  EXPECT_FALSE(relative_to({place("b")}, state_of({x})));
  EXPECT_FALSE(relative_to({place("a")}, state_of({place("a/../x.h")})));
  EXPECT_FALSE(relative_to({place("a")}, state_of({place("a/./x.h")})));
  EXPECT_FALSE(resolved_in({"/b"}, state_of({"0/../x.h"})));
  EXPECT_FALSE(resolved_in({"/b"}, state_of({"99999999999999999999999/x.h"})));
  EXPECT_FALSE(resolved_in({"/b"}, state_of({"x.h"})));
}

TEST_F(IncludeFoldersTest, TwoNamesOfOneFileGoNowhere) {
  const std::string x = temp_.write("a/x.h", "");
  std::filesystem::create_hard_link(x, place("a/y.h"));
  EXPECT_TRUE(relative_to({place("a")}, state_of({x})));
  EXPECT_FALSE(relative_to({place("a")}, state_of({x, place("a/y.h")})));
}

TEST(NamesItsPlace, FindsWhatFollowsThePathOfAFile) {
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
