#include "wrapper.h"

#include "workbench.h"

namespace kmux::hip {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<std::string> wrapped(const Program& program, Options options = {}) {
  const FakeHost host;
  HipWrapper wrapper(host);
  return wrapper.wrap({program, 0, Target{"hip", "gfx90a", {}}, std::move(options)});
}

TEST(HipWrapperTest, PrintsSelfContainedExportUnit) {
  const std::string text = wrapped(one_kernel(kAddOne).build().value()).value();
  for (const char* part : {"int init(void)", "int call(void* x, long long n, hipStream_t kmux_stream)",
                           "const char* get_last_error(void)", "libamdhip64.so.7", "{\"k\", 0, 0, 0}"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("#include \"")));
}

TEST(HipWrapperTest, RejectsUnknownOptions) {
  const Error error = wrapped(one_kernel(kAddOne).build().value(), {{"tier", "fast"}}).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("option \"tier\" is not known"));
}

}  // namespace
}  // namespace kmux::hip
