// What hundreds of compilations take of the process, with a server: through the interface that applications use.
#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/environment.h"
#include "kmux/par_compile.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "cache_faults/torture_cache.h"
#include "fleet/redis_server.h"
#include "fleet/throttled_proxy.h"

namespace kmux {
namespace {

Program numbered_program(const std::string& prefix, int number) {
  ProgramBuilder builder(prefix + std::to_string(number));
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat32, {n}).output("B", dtype::kFloat32, {n});
  builder.variant("c").source("copy.c", "void copy(const float* a, float* b, int n) {} // " + std::to_string(number));
  builder.launch("copy").args({"A", "B"}).arg(n);
  return builder.build().value();
}

/// A network in which what is compiled has to wait; in a process of its own, as it takes threads and descriptors, too.
class SlowNetwork {
 public:
  explicit SlowNetwork(const RemoteAddress& server) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    process_ = start_child([&] {
      const ThrottledProxy proxy(server, 1'000'000);
      const std::uint16_t port = proxy.address().port;
      if (::write(ends[1], &port, sizeof(port)) != sizeof(port)) return 1;
      for (;;) ::pause();
    });
    if (::read(ends[0], &port_, sizeof(port_)) != sizeof(port_)) throw std::runtime_error("no network");
    for (const int end : ends) ::close(end);
  }
  ~SlowNetwork() {
    ::kill(process_, SIGKILL);
    wait_for(process_);
  }
  SlowNetwork(const SlowNetwork&) = delete;
  SlowNetwork& operator=(const SlowNetwork&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  pid_t process_ = 0;
  std::uint16_t port_ = 0;
};

class FleetCrowdTest : public testing::Test {
 protected:
  struct Peak {
    std::ptrdiff_t descriptors = 0;
    std::ptrdiff_t threads = 0;
  };
  static std::ptrdiff_t count_in(const char* folder) {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  }
  /// The most that there was while so many programs were compiled by the null plugin, four at a time.
  Peak compile(const std::string& prefix, int count) {
    const auto runtime = Runtime::create(Environment::from({{"KMUX_CACHE_DIR", (temp_.path() / prefix).string()},
                                                            {"KMUX_REMOTE_CACHE", url_},
                                                            {"KMUX_REMOTE_CACHE_TIMEOUT", "20000"}}),
                                         {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}, .use_default_path = false})
                             .value();
    std::vector<CompileJob> jobs;
    for (int i = 0; i < count; ++i) jobs.push_back({numbered_program(prefix, i), {.execution_backend = "null_a"}});
    Peak peak;
    ParCompileOptions how{.num_workers = 4};
    how.progress = [&](const CompileProgress&) {
      peak.descriptors = std::max(peak.descriptors, count_in("/proc/self/fd"));
      peak.threads = std::max(peak.threads, count_in("/proc/self/task"));
    };
    EXPECT_TRUE(par_compile(*runtime, jobs, how).ok());
    return peak;
  }

  RedisServer server_;
  SlowNetwork network_{server_.address()};
  TempFolder temp_{memory_folder()};
  std::string url_ = "redis://127.0.0.1:" + std::to_string(network_.port()) + "?unauthenticated=1";
};

TEST_F(FleetCrowdTest, ManyCompilesUseFewDescriptorsAndThreads) {
  const Peak one = compile("one", 1);
  const Peak many = compile("many", 640);
  EXPECT_LE(many.descriptors, one.descriptors + 64);
  EXPECT_LE(many.threads, one.threads + 4);
  RecordProperty("descriptors", std::to_string(many.descriptors) + " of one: " + std::to_string(one.descriptors));
  RecordProperty("threads", std::to_string(many.threads) + " of one: " + std::to_string(one.threads));
}

}  // namespace
}  // namespace kmux
