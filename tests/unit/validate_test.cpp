#include "kmux/validate.h"

#include "unit/validate_cases.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ValidateTest, AcceptsValidProgram) {
  EXPECT_THAT(validate(sample_program()), IsEmpty());
  EXPECT_TRUE(check_valid(sample_program()).ok());
}

TEST(ValidateTest, ChecksNameAndVariants) {
  expect_problems({
      {[](Program& p) { p.name = "1st"; }, "/name", "\"1st\" is not a name"},
      {[](Program& p) { p.variants.clear(); }, "/variants", "no variants. Add one"},
      {[](Program& p) { p.variants[1].headers = {{"gemm.cu", "other"}}; }, "/variants/1/headers/0",
       "has other content in an earlier variant"},
  });
}

TEST(ValidateTest, AcceptsFileSharedByVariants) {
  Program program = sample_program();
  program.variants[1].headers = program.variants[0].headers;
  EXPECT_THAT(validate(program), IsEmpty());
}

TEST(ValidateTest, ReportsAllProblemsInDocumentOrder) {
  Program program = sample_program();
  program.name = "int";
  program.signature.outputs = {"D"};
  buffer_of(program, 0).alignment_bytes = 3;
  program.variants[0].body.asserts[0].message = "";
  program.variants[0].settings.standard = "c++ 17";
  program.variants[1].dialect = "D";  // not a valid word
  EXPECT_THAT(
      validate(program),
      ElementsAre(Field(&Problem::path, "/name"), Field(&Problem::path, "/signature/params/0/buffer/alignment_bytes"),
                  Field(&Problem::path, "/signature/outputs/0"), Field(&Problem::path, "/variants/0/settings/standard"),
                  Field(&Problem::path, "/variants/0/body/asserts/0/message"),
                  Field(&Problem::path, "/variants/1/dialect")));
}

TEST(ValidateTest, CombinesProblemsIntoOneError) {
  Program program = sample_program();
  program.signature.outputs = {"D", "E"};
  const Status status = check_valid(program);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message,
              HasSubstr("program \"gemm\" has 2 problems, the first at /signature/outputs/0: no \"D\""));
  EXPECT_THAT(status.error().notes, ElementsAre(Field(&Note::text, HasSubstr("/signature/outputs/1: no \"E\""))))
      << "each problem once";
}

}  // namespace
}  // namespace kmux
