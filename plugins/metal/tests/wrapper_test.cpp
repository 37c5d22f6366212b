#include "wrapper.h"

#include "kmux/plugin/plan.h"

#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class MetalWrapperTest : public testing::Test {
 protected:
  Result<std::string> wrap(const Program& program, Options options = {}) {
    return MetalWrapper(host).wrap({program, 0, {"metal"}, std::move(options)});
  }
  FakeHost host;
};

TEST_F(MetalWrapperTest, PrintsPlanAndBindings) {
  const Program program = one_kernel(kAddOne).build().value();
  EXPECT_THAT(wrap(program).value(),
              AllOf(StartsWith(to_string(lower(program, 0).value())),
                    HasSubstr("k: buffer(0) x, bytes(1) int32(n); threadgroups (ceildiv(n, 64), 1, 1) of threads (64, "
                              "1, 1)")));
}

TEST_F(MetalWrapperTest, PrintsFunctionConstants) {
  const Program program = one_kernel(kAddOne).build().value();
  EXPECT_THAT(wrap(program, {{"function_constants", "tile:int=4"}}).value(), HasSubstr("constant tile:int=4"));
}

TEST_F(MetalWrapperTest, RejectsUnknownOptions) {
  EXPECT_EQ(wrap(one_kernel(kAddOne).build().value(), {{"graph", "on"}}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux::metal
