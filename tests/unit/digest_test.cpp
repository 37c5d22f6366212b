// The digest of a program covers every field except metadata.
#include <functional>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"

#include "unit/sample_program.h"

namespace kmux {
namespace {

Body& first_body(Program& program) { return program.variants[0].body; }
TensorMap& first_map(Program& program) { return first_body(program).tensor_maps[0]; }
Fill& fill_of(Program& program) { return std::get<Fill>(first_body(program).steps[0]); }
For& loop_of(Program& program) { return std::get<For>(first_body(program).steps[1]); }
If& guard_of(Program& program) { return std::get<If>(first_body(program).steps[2]); }

using Change = std::function<void(Program&)>;

// Expects that each change alone gives a distinct digest and survives JSON.
void expect_distinct(const std::vector<Change>& changes) {
  std::set<std::string> digests{digest(sample_program())};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Program program = sample_program();
    changes[i](program);
    EXPECT_TRUE(digests.insert(digest(program)).second) << "change " << i << " is not in the digest";
  }
}

TEST(DigestTest, CoversEveryFieldOfSignature) {
  expect_distinct({
      [](Program& p) { p.name = "other"; },
      [](Program& p) { p.signature.params[0].name = "other"; },
      [](Program& p) { std::swap(p.signature.params[0], p.signature.params[1]); },
      [](Program& p) { p.signature.params[6].kind = ScalarParam{dtype::kInt8}; },
      [](Program& p) { p.signature.params[4].kind = ScalarParam{dtype::kFloat64}; },
      [](Program& p) { buffer_of(p, 0).dtype.lanes = 2; },
      [](Program& p) { buffer_of(p, 0).shape[0] = 1; },
      [](Program& p) { buffer_of(p, 0).strides.emplace(); },
      [](Program& p) { buffer_of(p, 0).strides = {{1}}; },
      [](Program& p) { buffer_of(p, 0).alignment_bytes = 64; },
      [](Program& p) { buffer_of(p, 0).nullable = true; },
      [](Program& p) { p.signature.outputs = {}; },
      [](Program& p) { p.signature.symbols[0].name = "other"; },
      [](Program& p) { p.signature.symbols[0].dtype = dtype::kInt32; },
  });
}

TEST(DigestTest, CoversEveryFieldOfVariant) {
  expect_distinct({
      [](Program& p) { p.variants.pop_back(); },
      [](Program& p) { std::swap(p.variants[0], p.variants[1]); },
      [](Program& p) { p.variants[0].dialect = "hip"; },
      [](Program& p) { p.variants[0].requirements.arch = {}; },
      [](Program& p) { p.variants[0].requirements.features = {}; },
      [](Program& p) { p.variants[0].settings.standard = ""; },
      [](Program& p) { p.variants[0].settings.defines = {}; },
      [](Program& p) { p.variants[0].settings.preludes = {}; },
      [](Program& p) { p.variants[0].settings.include_hints = {"tilelang"}; },
      [](Program& p) { p.variants[0].settings.python_requires = {"numpy"}; },
      [](Program& p) { p.variants[0].settings.compile_flags = {"-O3"}; },
      [](Program& p) { p.variants[0].settings.fast_math = false; },
      [](Program& p) { p.variants[0].sources[0].path = "other.cu"; },
      [](Program& p) { p.variants[0].sources[0].content += " "; },
      [](Program& p) { p.variants[0].headers[0].content += " "; },
      [](Program& p) { p.variants[0].headers = {}; },
      [](Program& p) { first_body(p).lets[0].name = "other"; },
      [](Program& p) { first_body(p).lets[0].value = 1; },
      [](Program& p) { std::swap(first_body(p).lets[0], first_body(p).lets[1]); },
      [](Program& p) { first_body(p).asserts[0].condition = 1; },
      [](Program& p) { first_body(p).asserts[0].message = "other"; },
      [](Program& p) { first_body(p).workspaces[0].name = "other"; },
      [](Program& p) { first_body(p).workspaces[0].bytes = 1; },
      [](Program& p) { first_body(p).workspaces[0].alignment_bytes = 512; },
  });
}

TEST(DigestTest, CoversEveryFieldOfTensorMap) {
  expect_distinct({
      [](Program& p) { first_map(p).name = "other"; },
      [](Program& p) { first_map(p).dtype = TensorMapDType::kBFloat16; },
      [](Program& p) { first_map(p).base.name = "B"; },
      [](Program& p) { first_map(p).base.offset_bytes = 16; },
      [](Program& p) { first_map(p).dims[0] = 1; },
      [](Program& p) { first_map(p).strides_bytes[0] = 16; },
      [](Program& p) { first_map(p).element_strides = {1, 1}; },
      [](Program& p) { std::get<TiledMap>(first_map(p).mode).box[0] = 32; },
      [](Program& p) { first_map(p).interleave = Interleave::k16B; },
      [](Program& p) { first_map(p).swizzle = Swizzle::k64B; },
      [](Program& p) { first_map(p).l2_promotion = L2Promotion::k256B; },
      [](Program& p) { first_map(p).oob_fill = OobFill::kNan; },
      [](Program& p) { first_map(p).mode = Im2colMap{}; },
      [](Program& p) { first_map(p).mode = Im2colMap{{1}, {}, 0, 0}; },
      [](Program& p) { first_map(p).mode = Im2colMap{{}, {1}, 0, 0}; },
      [](Program& p) { first_map(p).mode = Im2colMap{{}, {}, 1, 0}; },
      [](Program& p) { first_map(p).mode = Im2colMap{{}, {}, 0, 1}; },
  });
}

TEST(DigestTest, CoversEveryFieldOfStep) {
  expect_distinct({
      [](Program& p) { std::swap(first_body(p).steps[0], first_body(p).steps[1]); },
      [](Program& p) { fill_of(p).target.name = "C"; },
      [](Program& p) { fill_of(p).target.offset_bytes = 4; },
      [](Program& p) { fill_of(p).bytes = 4; },
      [](Program& p) { fill_of(p).value = 4; },
      [](Program& p) { loop_of(p).variable = "j"; },
      [](Program& p) { loop_of(p).begin = 1; },
      [](Program& p) { loop_of(p).end = 1; },
      [](Program& p) { loop_of(p).steps = {}; },
      [](Program& p) { guard_of(p).condition = 1; },
      [](Program& p) { guard_of(p).then_steps = {}; },
      [](Program& p) { guard_of(p).else_steps = guard_of(p).then_steps; },
  });
}

TEST(DigestTest, CoversEveryFieldOfLaunch) {
  expect_distinct({
      [](Program& p) { launch_of(p, 0).kernel = "other"; },
      [](Program& p) { launch_of(p, 0).args[0] = TensorMapArg{"B_desc"}; },
      [](Program& p) { launch_of(p, 0).args[1] = TensorArg{"A"}; },
      [](Program& p) { launch_of(p, 0).args[1] = TensorArg{"B", 2}; },
      [](Program& p) { launch_of(p, 0).args[2] = WorkspaceArg{"other"}; },
      [](Program& p) { launch_of(p, 0).args[2] = WorkspaceArg{"partial", 4}; },
      [](Program& p) { launch_of(p, 0).args[3] = ScalarArg{"splits"}; },
      [](Program& p) { launch_of(p, 0).args[4] = ExprArg{1}; },
      [](Program& p) { std::get<ExprArg>(launch_of(p, 0).args[4]).dtype = dtype::kInt64; },
      [](Program& p) { launch_of(p, 0).grid = {}; },
      [](Program& p) { launch_of(p, 0).block = {}; },
      [](Program& p) { launch_of(p, 0).cluster = {}; },
      [](Program& p) { launch_of(p, 0).dynamic_smem_bytes = 0; },
      [](Program& p) { launch_of(p, 0).cooperative = true; },
      [](Program& p) { launch_of(p, 0).programmatic_serialization = false; },
      [](Program& p) { launch_of(p, 0).l2_windows[0].buffer = "A"; },
      [](Program& p) { launch_of(p, 0).l2_windows[0].bytes = 1; },
      [](Program& p) { launch_of(p, 0).l2_windows[0].hit_ratio = 1; },
      [](Program& p) { launch_of(p, 1).returns = CallResult::kVoid; },
      [](Program& p) { launch_of(p, 0).packed_values = true; },
  });
}

TEST(DigestTest, ExcludesMetadata) {
  Program program = sample_program();
  const std::string before = digest(program);
  for (const Change& change : std::vector<Change>{
           [](Program& p) { p.metadata.description = "other"; }, [](Program& p) { p.metadata.origin = "other"; },
           [](Program& p) { p.metadata.reference = "other"; }, [](Program& p) { p.metadata.symbols = {}; },
           [](Program& p) { p.metadata.scalars = {}; }, [](Program& p) { p.metadata.flops = 1; },
           [](Program& p) { p.metadata.bytes = 1; }, [](Program& p) { p.metadata = {}; }}) {
    change(program);
    EXPECT_EQ(digest(program), before);
  }
}

TEST(DigestTest, IsASha256) { EXPECT_THAT(digest(sample_program()), testing::MatchesRegex("[0-9a-f]{64}")); }

}  // namespace
}  // namespace kmux
