#include <gmock/gmock.h>

#include "kmux/builder.h"
#include "kmux/plugin/plan.h"

namespace kmux {
namespace {

using testing::HasSubstr;
using testing::Not;

Program program_of_two() {
  ProgramBuilder builder("sample");
  builder.input("x", dtype::kFloat32, {builder.symbol("n")}).variant("cuda").source("k.cu", "secret source");
  builder.launch("k").grid({1}).block({256}).args({"x"});
  builder.header("h.h", "secret header").variant("cuda").source("other.cu", "");
  builder.launch("other").grid({2}).block({64}).args({"x"});
  Metadata metadata;
  metadata.description = "secret words";
  return builder.metadata(metadata).build().value();
}

TEST(PlanPartTest, RoundTripsPlanOfVariant) {
  const Program program = program_of_two();
  for (std::size_t variant : {0u, 1u}) {
    EXPECT_EQ(read_plan(plan_part(program, variant)).value(), lower(program, variant).value());
  }
}

TEST(PlanPartTest, OmitsUnneededData) {
  EXPECT_THAT(plan_part(program_of_two(), 0), Not(HasSubstr("secret")));
  EXPECT_THAT(plan_part(program_of_two(), 0), Not(HasSubstr("other")));
}

TEST(PlanPartTest, RejectsInvalidText) {
  EXPECT_EQ(read_plan("{}").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read_plan("not json").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux
