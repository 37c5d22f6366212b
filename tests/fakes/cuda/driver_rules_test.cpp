#include "driver_rules.h"

#include <cstring>
#include <dlfcn.h>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_cuda.h"

namespace kmux::driver_rules {
namespace {

constexpr std::uint64_t kSeeds = 30;
constexpr std::uint64_t kSeedsOfOverlap = 1000;
constexpr std::uint64_t kSeedsOfRefusals = 3;  // which depend little on order

// The one kernel of the rules, without its cycles.
void run_fill(const fake_cuda::KernelRun& run) {
  void* to = nullptr;
  std::memcpy(static_cast<void*>(&to), run.args[0], sizeof to);
  std::memcpy(to, run.args[1], sizeof(unsigned));
}

class DriverRulesTest : public testing::Test {
 protected:
  std::string outcome_over_fake(const Rule& rule, const std::function<void(FakeCuda&)>& set_up) {
    FakeCuda fake = FakeCuda::load();
    fake.on_launch(run_fill);
    set_up(fake);
    std::string outcome = outcome_of(Driver::open(dlopen("libcuda.so.1", RTLD_NOW)), rule);
    EXPECT_EQ(fake.live().streams, 0U) << rule.name;
    EXPECT_EQ(fake.live().allocations, 0U) << rule.name;
    EXPECT_EQ(fake.live().executables, 0U) << rule.name;
    const bool misuses = rule.needs_overlap || rule.name == "pool.freed_twice";
    EXPECT_EQ(misuses ? "" : fake.misuse(), "") << rule.name;
    return outcome;
  }
};

TEST_F(DriverRulesTest, HoldOnEagerFake) {
  for (const Rule& rule : rules()) {
    if (rule.needs_overlap) continue;
    EXPECT_EQ(outcome_over_fake(rule, [](FakeCuda& fake) { fake.set_eager(); }), rule.expected)
        << rule.name << ": " << rule.sentence;
  }
}

TEST_F(DriverRulesTest, HoldOnFakeInEveryOrder) {
  for (const Rule& rule : rules()) {
    if (rule.needs_overlap) continue;
    const bool is_refusal =
        rule.name.starts_with("spoil.") || rule.name.starts_with("refuse.") || rule.name.starts_with("take.");
    const std::uint64_t seeds = is_refusal ? kSeedsOfRefusals : kSeeds;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      EXPECT_EQ(outcome_over_fake(rule, [&](FakeCuda& fake) { fake.set_deferred(seed); }), rule.expected)
          << rule.name << ": " << rule.sentence << " seed " << seed;
    }
  }
}

TEST_F(DriverRulesTest, HoldOnFakeInSomeOrder) {
  for (const Rule& rule : rules()) {
    std::set<std::string> outcomes;
    for (std::uint64_t seed = 1; rule.needs_overlap && seed <= kSeedsOfOverlap; ++seed) {
      outcomes.insert(outcome_over_fake(rule, [&](FakeCuda& fake) { fake.set_deferred(seed); }));
      if (outcomes.contains(rule.expected)) break;
    }
    EXPECT_EQ(outcomes.contains(rule.expected), rule.needs_overlap)
        << rule.name << ": " << rule.sentence << " Found: " << testing::PrintToString(outcomes);
  }
}

TEST_F(DriverRulesTest, HaveUniqueNames) {
  std::set<std::string> names;
  for (const Rule& rule : rules()) EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
}

}  // namespace
}  // namespace kmux::driver_rules
