#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/private_folder.h"

#include "file_size_limit.h"

namespace kmux {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

// Returns the bytes of a shared library with `int add(int)`, which the dynamic linker never unloads.
std::string library_that_stays(const std::string& start) {
  const PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  folder.write("a.cpp", "static int sum = " + start + ";\nextern \"C\" int add(int x) { return sum += x; }\n").value();
  const Command command = Command{
      {find_host_compiler("", "the test").value(), "-shared", "-fPIC", "-Wl,-z,nodelete", "-o", "a.so", "a.cpp"},
      folder.path()};
  EXPECT_EQ(run(command).value().exit_code, 0);
  return read_file(folder.path() + "/a.so").value();
}

int add(const MemoryLibrary& library, int x) { return reinterpret_cast<int (*)(int)>(library.symbol("add"))(x); }

TEST(MemoryLibraryTest, NeverReturnsEarlierResidentLibrary) {
  std::optional<MemoryLibrary> library = MemoryLibrary::open(library_that_stays("1000"), "test").value();
  EXPECT_EQ(add(*library, 1), 1001);
  for (int i = 0; i < 3; ++i) {
    library.reset();  // the next file gets the same inode number
    library = MemoryLibrary::open(library_that_stays(std::to_string(i)), "test").value();
    EXPECT_EQ(add(*library, 0), i);
  }
}

TEST(MemoryLibraryTest, LoadsSeparateInstances) {
  const std::string bytes = library_that_stays("5");
  const MemoryLibrary a = MemoryLibrary::open(bytes, "test").value();
  const MemoryLibrary b = MemoryLibrary::open(bytes, "test").value();
  EXPECT_NE(a.symbol("add"), b.symbol("add"));
  EXPECT_EQ(a.symbol("subtract"), nullptr);
}

TEST(MemoryLibraryTest, ReportsFileSizeLimit) {
  const std::string bytes = library_that_stays("5");
  const test::FileSizeLimit limit(1000);
  const auto library = MemoryLibrary::open(bytes, "test");
  ASSERT_FALSE(library.ok());
  EXPECT_THAT(library.error().message, HasSubstr("File too large"));
}

TEST(MemoryLibraryTest, ReportsLoadError) {
  const auto library = MemoryLibrary::open("text", "test");
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(library.error().message,
              MatchesRegex("the compiled test cannot be loaded \\(/(proc/self/fd/|.*/kmux-test-).*"));
  EXPECT_THAT(library.error().message, HasSubstr("Build it again on this machine."));
}

}  // namespace
}  // namespace kmux
