#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvcc.h"

namespace kmux::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MakeRule, HasTheAbsolutePathsOnceAndInOrder) {
  EXPECT_THAT(
      absolute_prerequisites("out.cubin : unit.cu ./sub/a.h \\\n    /usr/include/b.h \\\n    /cuda/bin/../include/a.h "
                             "\\\n    /usr/include/b.h\n"),
      ElementsAre("/cuda/include/a.h", "/usr/include/b.h"));
}

TEST(MakeRule, ReadsBlanksAndDollarsInNames) {
  EXPECT_THAT(absolute_prerequisites("o : /a\\ folder/b.h /c$$/d.h"), ElementsAre("/a folder/b.h", "/c$/d.h"));
}

TEST(MakeRule, IsEmptyForAnythingElse) {
  EXPECT_THAT(absolute_prerequisites(""), IsEmpty());
  EXPECT_THAT(absolute_prerequisites("/no/rule"), IsEmpty());
}

}  // namespace
}  // namespace kmux::cuda
