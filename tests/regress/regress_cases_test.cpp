#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/regress_case.h"
#include "temp_folder.h"

namespace kmux::regress {
namespace {

// Once is enough to see that each does what it says; how long it takes is no matter here.
TEST(RegressCasesTest, AllRunWithoutError) {
  for (const RegressCase& regress_case : regress_cases()) {
    const TempFolder folder;
    const Duel duel = regress_case.prepare(folder.path());
    const Status work = duel.work(8);
    EXPECT_TRUE(work) << regress_case.name << ": " << work.error().message;
    const Status reference = duel.reference(1);
    EXPECT_TRUE(reference) << regress_case.name << ": " << reference.error().message;
  }
}

TEST(RegressCasesTest, HaveUniqueNamesAndDescriptions) {
  std::set<std::string> names;
  for (const RegressCase& regress_case : regress_cases()) {
    EXPECT_TRUE(names.insert(regress_case.name).second) << regress_case.name;
    EXPECT_FALSE(regress_case.what.empty()) << regress_case.name;
    EXPECT_GE(regress_case.threshold, kThreshold) << regress_case.name;
  }
}

TEST(RegressCasesTest, AreFoundByName) {
  EXPECT_EQ(find_case("resolve").value()->name, "resolve");
  const auto missing = find_case("resolv");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("there is no case \"resolv\" (the cases: control, call_cpu"));
}

}  // namespace
}  // namespace kmux::regress
