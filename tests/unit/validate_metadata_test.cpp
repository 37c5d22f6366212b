#include "unit/validate_cases.h"

namespace kmux {
namespace {

TEST(ValidateMetadataTest, ChecksTexts) {
  expect_problems({
      {[](Program& p) { p.metadata.description = "\xff"; }, "/metadata/description", "not UTF-8"},
      {[](Program& p) { p.metadata.origin = std::string(1, '\0'); }, "/metadata/origin", "without NUL"},
      {[](Program& p) { p.metadata.reference = "\xc3"; }, "/metadata/reference", "not UTF-8"},
  });
}

TEST(ValidateMetadataTest, ChecksExamples) {
  expect_problems({
      {[](Program& p) { p.metadata.symbols = {{"q", 1}}; }, "/metadata/symbols/q", "no \"q\" in scope"},
      {[](Program& p) { p.metadata.symbols = {{"splits", 1}}; }, "/metadata/symbols/splits",
       "is a scalar. Name a symbol"},
      {[](Program& p) { p.metadata.symbols = {{"k", std::int64_t{1} << 31}}; }, "/metadata/symbols/k",
       "not in the range"},
      {[](Program& p) { p.metadata.symbols = {{"m", -1}}; }, "/metadata/symbols/m", "not in the range"},
      {[](Program& p) { p.metadata.scalars = {{"m", 1}}; }, "/metadata/scalars/m", "is a symbol. Name a scalar"},
      {[](Program& p) { p.metadata.scalars = {{"s", 1.0 / 0.0}}; }, "/metadata/scalars/s", "not finite"},
  });
}

TEST(ValidateMetadataTest, ChecksCosts) {
  expect_problems({
      {[](Program& p) { p.metadata.flops = Expr::symbol("tiles"); }, "/metadata/flops", "no \"tiles\" in scope"},
      {[](Program& p) { p.metadata.bytes = Expr::symbol("s"); }, "/metadata/bytes", "cannot use it"},
  });
}

}  // namespace
}  // namespace kmux
