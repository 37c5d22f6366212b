// The command `kmux` on nodes of a fleet: what the variables mean to those who use kmux, and to those who look after it.
#include <sys/stat.h>

#include "kmux/json.h"

#include "fleet/redis_server.h"
#include "integration/cli_session.h"

namespace kmux::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class FleetCommandTest : public testing::Test {
 protected:
  ProcessResult run(const std::string& node, const std::vector<std::string>& words) {
    variables_["KMUX_CACHE_DIR"] = (session_.folder() / node).string();
    variables_["KMUX_REMOTE_CACHE"] =
        url_ + (variables_.contains("KMUX_REMOTE_CACHE_KEY_FILE") ? "" : unauthenticated_);
    return session_.run(words, variables_);
  }
  bool compiles(const std::string& node) {
    const ProcessResult result = run(node, {"compile", "scale/scale.kmux.json", "--option", "tier=fast", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    return !*parse_json(result.standard_output).value().find("from_cache")->as_bool();
  }
  std::string stats() { return run("one", {"cache", "stats"}).standard_output; }
  void use_key(const std::string& content) {
    session_.write("key", content);
    ::chmod((session_.folder() / "key").c_str(), 0600);
    variables_["KMUX_REMOTE_CACHE_KEY_FILE"] = (session_.folder() / "key").string();
  }

  RedisServer server_{{"--requirepass", "hunter2"}};
  CliSession session_;
  CliSession::Variables variables_{{"KMUX_REMOTE_CACHE_TIMEOUT", "20000"}};
  std::string url_ = "redis+unix://:hunter2@" + server_.socket_address().socket;
  std::string unauthenticated_ = "?unauthenticated=1";
};

TEST_F(FleetCommandTest, NodeReusesBuildOfAnotherNode) {
  EXPECT_TRUE(compiles("one"));
  EXPECT_FALSE(compiles("two"));
  server_.kill();
  EXPECT_FALSE(compiles("two")) << "it is on its disk";
}

TEST_F(FleetCommandTest, NodesWithDifferentKeysShareNothing) {
  use_key("the key of the fleet");
  EXPECT_TRUE(compiles("one"));
  EXPECT_FALSE(compiles("two"));
  use_key("the key of others....");
  EXPECT_TRUE(compiles("three"));
}

TEST_F(FleetCommandTest, StatsReportServer) {
  EXPECT_THAT(stats(), HasSubstr("remote  redis+unix://" + server_.socket_address().socket));
  EXPECT_THAT(stats(), HasSubstr("0 names in its database, without a key)"));
  EXPECT_THAT(stats(), Not(HasSubstr("hunter2")));
  use_key("the key of the fleet");
  variables_["KMUX_REMOTE_CACHE_READ_ONLY"] = "1";
  EXPECT_THAT(stats(), HasSubstr("names in its database, authenticated, read only)"));
  const Json json = parse_json(run("one", {"cache", "stats", "--json"}).standard_output).value();
  EXPECT_EQ(json.find("remote")->find("names")->as_integer() != nullptr, true);
  server_.kill();
  EXPECT_THAT(stats(), HasSubstr("not in use (Connection refused)"));
}

TEST_F(FleetCommandTest, RemoteCacheRequiresKeyUnlessUrlOptsOut) {
  EXPECT_TRUE(compiles("one"));
  EXPECT_FALSE(compiles("two"));
  unauthenticated_.clear();
  EXPECT_TRUE(compiles("three"));
  EXPECT_THAT(stats(), HasSubstr("not in use (KMUX_REMOTE_CACHE: the remote cache has no key"));
}

TEST_F(FleetCommandTest, StatsReportInvalidSettings) {
  variables_["KMUX_REMOTE_CACHE_TTL"] = "soon";
  EXPECT_THAT(stats(), HasSubstr("not in use (KMUX_REMOTE_CACHE_TTL cannot be \"soon\""));
  variables_.erase("KMUX_REMOTE_CACHE_TTL");
  url_ = "https://:hunter2@host";
  EXPECT_THAT(stats(), HasSubstr("not in use (KMUX_REMOTE_CACHE: the URL of the remote cache is refused"));
  EXPECT_THAT(stats(), Not(HasSubstr("hunter2")));
}

TEST_F(FleetCommandTest, DeadServerIsReportedWithoutPassword) {
  server_.kill();
  variables_["KMUX_VERBOSE"] = "1";
  const ProcessResult result = run("one", {"compile", "scale/scale.kmux.json"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_error, HasSubstr("the remote cache 'redis+unix://"));
  EXPECT_THAT(result.standard_error, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace kmux::test
