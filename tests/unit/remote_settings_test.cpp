#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/cache.h"
#include "kmux/log.h"

#include "cache/runtime_cache.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::HasSubstr;
using testing::Not;
using SetVariables = std::map<std::string, std::string>;

Result<std::optional<RemoteSettings>> read(const SetVariables& variables) {
  return read_remote_settings(Environment::from(variables));
}

SetVariables one_variable(const char* name, const std::string& value) {
  return {{"KMUX_REMOTE_CACHE", "redis://host?unauthenticated=1"}, {name, value}};
}

std::string refusal(const SetVariables& variables) {
  const auto settings = read(variables);
  return settings ? "taken" : settings.error().message;
}

TEST(RemoteSettingsTest, AreEnabledByServerWithDefaults) {
  EXPECT_FALSE(read({}).value());
  EXPECT_FALSE(read({{"KMUX_REMOTE_CACHE_KEY_FILE", "/none"}}).value());
  const RemoteSettings plain = **read({{"KMUX_REMOTE_CACHE", "redis://:word@host/2?unauthenticated=1"}});
  EXPECT_EQ(plain.redis.address.host, "host");
  EXPECT_EQ(plain.redis.address.password, "word");
  EXPECT_EQ(plain.redis.keep, std::chrono::hours(30 * 24));
  EXPECT_EQ(plain.redis.timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(plain.secret, "");
}

TEST(RemoteSettingsTest, ReadTimesAndKey) {
  const TempFolder temp;
  const std::filesystem::path key = temp.write("key", "0123456789abcdef");
  ::chmod(key.c_str(), 0600);
  EXPECT_EQ((*read(one_variable("KMUX_REMOTE_CACHE_TTL", "60")))->redis.keep, std::chrono::seconds(60));
  EXPECT_EQ((*read(one_variable("KMUX_REMOTE_CACHE_TIMEOUT", "20")))->redis.timeout, std::chrono::milliseconds(20));
  EXPECT_EQ((*read(one_variable("KMUX_REMOTE_CACHE_KEY_FILE", key)))->secret, "0123456789abcdef");
}

TEST(RemoteSettingsTest, RequireKeyUnlessUnauthenticated) {
  const TempFolder temp;
  const std::filesystem::path key = temp.write("key", "0123456789abcdef");
  ::chmod(key.c_str(), 0600);
  const auto without = read({{"KMUX_REMOTE_CACHE", "redis://:hunter2@host"}});
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(without.error().message,
            "KMUX_REMOTE_CACHE: the remote cache has no key (KMUX_REMOTE_CACHE_KEY_FILE is not set, and without a key "
            "anyone who can write to the server can run any code here). Set it to a file with the fleet's key, see "
            "docs/fleet.md, or add ?unauthenticated=1 to the URL where anyone who reaches the server may do that.");
  EXPECT_TRUE(read({{"KMUX_REMOTE_CACHE", "redis://host?unauthenticated=1"}}).ok());
  EXPECT_EQ((*read({{"KMUX_REMOTE_CACHE", "redis://host"}, {"KMUX_REMOTE_CACHE_KEY_FILE", key}}))->secret,
            "0123456789abcdef");
  EXPECT_EQ((*read(one_variable("KMUX_REMOTE_CACHE_KEY_FILE", key)))->secret, "0123456789abcdef")
      << "a key counts whatever the URL allows";
}

TEST(RemoteSettingsTest, ReportInvalidVariable) {
  EXPECT_THAT(refusal({{"KMUX_REMOTE_CACHE", "http://u:hunter2@host"}}),
              testing::AllOf(HasSubstr("KMUX_REMOTE_CACHE: the URL of the remote cache is refused"),
                             Not(HasSubstr("hunter2"))));
  for (const char* bad : {"0", "-1", "1.5", "ten", "99999999999999999999"}) {
    EXPECT_THAT(
        refusal(one_variable("KMUX_REMOTE_CACHE_TTL", bad)),
        HasSubstr("KMUX_REMOTE_CACHE_TTL cannot be \"" + std::string(bad) + "\" (it is in seconds, from 1 to "));
    EXPECT_THAT(refusal(one_variable("KMUX_REMOTE_CACHE_TIMEOUT", bad)),
                HasSubstr("KMUX_REMOTE_CACHE_TIMEOUT cannot be"));
  }
  EXPECT_THAT(refusal(one_variable("KMUX_REMOTE_CACHE_KEY_FILE", "/none")),
              HasSubstr("key of the remote cache '/none' is refused"));
}

TEST(RemoteSettingsTest, AreIgnoredUnderAtSecure) {
  EXPECT_FALSE(read_remote_settings(Environment::from(one_variable("KMUX_REMOTE_CACHE_READ_ONLY", "1"), true)).value());
}

TEST(RemoteSettingsTest, DisableRemoteCacheWithWarningIfInvalid) {
  const TempFolder temp;
  std::string text;
  set_log_sink(LogLevel::kWarning, [&](LogLevel, std::string_view line) { text.append(line).append("\n"); });
  SetVariables variables = one_variable("KMUX_REMOTE_CACHE_KEY_FILE", "/none");
  variables["KMUX_CACHE_DIR"] = (temp.path() / "cache").string();
  EXPECT_NE(open_cache(Environment::from(variables)).value(), nullptr);
  set_log_sink(LogLevel::kWarning, {});
  EXPECT_THAT(text, HasSubstr("there is no remote cache: the key of the remote cache '/none' is refused"));
}

TEST(RemoteSettingsTest, InquiryReportsUrlAndProblem) {
  EXPECT_FALSE(inquire_remote_cache(Environment::from({})));
  const auto wrong = inquire_remote_cache(Environment::from({{"KMUX_REMOTE_CACHE", "x"}}));
  EXPECT_THAT(wrong->problem->message, HasSubstr("it is not a URL"));
  const auto dead =
      inquire_remote_cache(Environment::from({{"KMUX_REMOTE_CACHE", "redis+unix:///none?unauthenticated=1"}}));
  EXPECT_EQ(dead->url, "redis+unix:///none");
  EXPECT_EQ(dead->problem->code, ErrorCode::kUnavailable);
  EXPECT_FALSE(dead->authenticated || dead->read_only);
}

}  // namespace
}  // namespace kmux
