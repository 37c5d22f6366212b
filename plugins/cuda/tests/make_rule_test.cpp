#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvcc.h"

namespace kmux::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MakeRuleTest, ListsUniqueSortedAbsolutePaths) {
  EXPECT_THAT(
      absolute_prerequisites("out.cubin : unit.cu ./sub/a.h \\\n    /usr/include/b.h \\\n    /cuda/bin/../include/a.h "
                             "\\\n    /usr/include/b.h\n"),
      ElementsAre("/cuda/include/a.h", "/usr/include/b.h"));
}

TEST(MakeRuleTest, ParsesBlanksAndDollars) {
  EXPECT_THAT(absolute_prerequisites("o : /a\\ folder/b.h /c$$/d.h"), ElementsAre("/a folder/b.h", "/c$/d.h"));
}

TEST(MakeRuleTest, ReturnsNothingForOtherText) {
  EXPECT_THAT(absolute_prerequisites(""), IsEmpty());
  EXPECT_THAT(absolute_prerequisites("/no/rule"), IsEmpty());
}

}  // namespace
}  // namespace kmux::cuda
