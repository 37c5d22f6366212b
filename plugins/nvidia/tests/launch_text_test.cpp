// The launch layer must compile with nothing but the language, libc and the text that a launcher prints before it.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/emit.h"
#include "kmux/plugin/process.h"

namespace kmux {

extern const std::string_view driver_header;
extern const std::string_view nvidia_launch_text;

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string compile(const std::string& code) {
  Command command{.argv = {KMUX_TEST_COMPILER, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                           "-fno-exceptions", "-fno-rtti", "-fsyntax-only", "-"}};
  command.standard_input = code;
  const auto result = run(command);
  if (!result) return result.error().explain();
  return result->exit_code == 0 ? "" : result->standard_error;
}

std::string with_prelude(const std::string& code) { return launcher_prelude_for(code) + "\n" + code; }

TEST(LaunchTextTest, CompilesWithPreludeAlone) {
  EXPECT_EQ(compile(with_prelude(std::string(driver_header) + std::string(nvidia_launch_text))), "");
}

TEST(LaunchTextTest, CompilesWithLauncherBody) {
  const std::string user = R"(
extern "C" int body(const kmux_slot*, const kmux_launch_env*, kmux_sink);
int call(kmux::nvidia::Launcher& launcher, const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) {
  return launcher.call(env, error, [slots](const kmux_driver_env& inner, kmux_sink sink) {
    return body(slots, &inner.env, sink);
  });
})";
  EXPECT_EQ(compile(with_prelude(std::string(driver_header) + std::string(nvidia_launch_text) + user)), "");
}

TEST(LaunchTextTest, DependsOnLibcOnly) {
  const std::string_view text = nvidia_launch_text;
  for (const char* header : {"<string>", "<vector>", "<map>", "<memory>", "<functional>", "<iostream>", "<mutex>"}) {
    EXPECT_THAT(text, Not(HasSubstr(std::string("#include ") + header)));
  }
  EXPECT_THAT(text, Not(HasSubstr("#include \"")));
}

}  // namespace
}  // namespace kmux
