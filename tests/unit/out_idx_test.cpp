#include <climits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/output_allocator.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Signature three_tensors_and_a_scalar() {
  Signature signature;
  for (const char* name : {"a", "b", "c"}) signature.params.push_back({name, BufferParam{dtype::kFloat32, {4}}});
  signature.params.push_back({"s", ScalarParam{dtype::kFloat32}});
  return signature;
}

std::string message(const std::vector<int>& out_idx, const Signature& signature = three_tensors_and_a_scalar()) {
  const Result<std::vector<std::string>> names = output_names(signature, out_idx);
  EXPECT_FALSE(names.ok());
  if (names) return "";
  EXPECT_EQ(names.error().code, ErrorCode::kInvalidArgument);
  return names.error().message;
}

TEST(OutIdxTest, CountsFromBothEnds) {
  EXPECT_THAT(output_names(three_tensors_and_a_scalar(), {2, -4}).value(), ElementsAre("c", "a"));
}

TEST(OutIdxTest, KeepsSignatureOutputs) {
  Signature signature = three_tensors_and_a_scalar();
  EXPECT_THAT(output_names(signature, {}).value(), IsEmpty());
  signature.outputs = {"c"};
  EXPECT_THAT(output_names(signature, {}).value(), ElementsAre("c"));
}

TEST(OutIdxTest, RejectsPositionsOutOfRange) {
  EXPECT_THAT(message({4}), HasSubstr("out_idx index 4 is out of range for a function with 4 parameters"));
  EXPECT_THAT(message({-5}), HasSubstr("out_idx index -5 is out of range"));
  EXPECT_THAT(message({INT_MIN}), HasSubstr("is out of range"));
  EXPECT_THAT(message({INT_MAX}), HasSubstr("is out of range"));
}

TEST(OutIdxTest, RejectsDuplicateTensors) {
  EXPECT_THAT(message({2, 2}), HasSubstr("out_idx contains duplicate tensor indices"));
  EXPECT_THAT(message({2, -2}), HasSubstr("out_idx contains duplicate tensor indices ('c' twice)"));
}

TEST(OutIdxTest, RejectsScalars) { EXPECT_THAT(message({-1}), HasSubstr("parameter 's' (not a tensor)")); }

TEST(OutIdxTest, RejectsPositionsWithDeclaredOutputs) {
  Signature signature = three_tensors_and_a_scalar();
  signature.outputs = {"c"};
  EXPECT_THAT(message({2}, signature), HasSubstr("although the program declares its outputs"));
}

}  // namespace
}  // namespace kmux
