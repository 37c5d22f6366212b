#include "wrapper.h"

#include <gmock/gmock.h>

#include "kmux/plugin/plan.h"

#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::HasSubstr;

class NvrtcWrapperTest : public testing::Test {
 protected:
  Result<std::string> wrap(Options options = {}) {
    return NvrtcWrapper(host).wrap({program, 0, {"cuda", "sm_90a", {}}, std::move(options)});
  }
  FakeHost host;
  Program program = one_kernel(kAddOne).build().value();
};

TEST_F(NvrtcWrapperTest, ReturnsPlanAsText) { EXPECT_EQ(wrap().value(), to_string(lower(program, 0).value())); }

TEST_F(NvrtcWrapperTest, RejectsUnknownOptions) {
  EXPECT_EQ(wrap({{"graphs", "on"}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(wrap({{"graphs", "on"}}).error().message, HasSubstr("Did you mean 'graph'?"));
}

}  // namespace
}  // namespace kmux::nvrtc
