// PlanRunner and the printed launcher of the same plan must make the same driver calls for all arguments.
#include <random>

#include <gmock/gmock.h>

#include "kmux/plugin/driver_dialect.h"
#include "kmux/plugin/plan_runner.h"

#include "compiled.h"
#include "programs.h"
#include "transcript.h"

namespace kmux {
namespace {

using test::Transcript;
using PrintedLauncher = int(const kmux_slot*, const kmux_launch_env*, kmux_sink);

/// Returns random arguments: some usual, some edge cases, some arbitrary.
class RandomSlots {
 public:
  std::vector<kmux_slot> of(const Plan& plan) {
    std::vector<kmux_slot> slots;
    for (const SlotInfo& info : plan.slots) {
      kmux_slot slot;
      slot.bits = number(info.kind == SlotKind::kSymbol ? dtype::kInt64 : info.dtype);
      if (info.kind == SlotKind::kTensor || info.kind == SlotKind::kPointer) slot.bits = 4096 * below(1000);
      slots.push_back(slot);
    }
    return slots;
  }
  std::size_t below(std::size_t end) { return engine_() % end; }

 private:
  // Returns the bits of a value, zero-extended as in a call.
  std::uint64_t number(DType type) {
    constexpr std::int64_t kUsual[] = {0, 1, 2, 5, 63, 64, 100, 128, 129, 1000, 4096, 8192};
    constexpr std::int64_t kEdges[] = {-1,
                                       -128,
                                       -129,
                                       127,
                                       255,
                                       1 << 20,
                                       std::int64_t{1} << 31,
                                       std::int64_t{1} << 62,
                                       std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max()};
    const std::size_t choice = below(10);
    auto bits = static_cast<std::uint64_t>(kUsual[below(std::size(kUsual))]);
    if (choice >= 6) bits = static_cast<std::uint64_t>(kEdges[below(std::size(kEdges))]);
    if (choice == 9) bits = engine_();
    return type.bits < 64 ? bits & ((std::uint64_t{1} << type.bits) - 1) : bits;
  }
  std::mt19937_64 engine_{7};
};

// Returns the driver calls of the single-launch path; nothing if the plan does not take it.
std::optional<std::string> told_shortly(const PlanRunner& runner, const std::vector<kmux_slot>& slots, const Plan& plan,
                                        std::size_t fails_at) {
  Transcript transcript(plan, fails_at);
  SingleLaunch single;
  if (!runner.is_single() || !runner.single_maps().empty() || !runner.evaluate(slots.data(), single)) return {};
  const unsigned* const grid = single.launch.grid;
  const bool is_empty = grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
  const kmux_driver_env& env = transcript.env();
  const int code = is_empty ? KMUX_OK : env.driver->launch(&env, &single.launch, transcript.sink());
  return transcript.text(code);
}

class PlanRunnerGoldenTest : public ::testing::TestWithParam<Program> {};

TEST_P(PlanRunnerGoldenTest, MakesSameDriverCallsAsPrintedLauncher) {
  const Plan plan = lower(GetParam(), 0).value();
  DriverDialect dialect;
  const DynamicLibrary library = test::compile(emit_launcher(plan, dialect, "kmux_launch")).value();
  PrintedLauncher* const printed = library.function<PrintedLauncher>("kmux_launch").value();
  const PlanRunner runner = PlanRunner::compile(plan).value();
  RandomSlots random;
  int successes = 0;
  int shorter = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<kmux_slot> slots = random.of(plan);
    const std::size_t fails_at = round % 4 == 0 ? random.below(8) : 1000;
    Transcript expected(plan, fails_at);
    Transcript actual(plan, fails_at);
    const int expected_code = printed(slots.data(), &expected.env().env, expected.sink());
    const int actual_code = runner.launch(slots.data(), actual.env(), actual.sink());
    ASSERT_EQ(actual.text(actual_code), expected.text(expected_code)) << "round " << round;
    const auto shortly = told_shortly(runner, slots, plan, fails_at);
    ASSERT_EQ(shortly.value_or(expected.text(expected_code)), expected.text(expected_code)) << "round " << round;
    successes += actual_code == KMUX_OK ? 1 : 0;
    shorter += shortly ? 1 : 0;
  }
  EXPECT_GT(successes, 20);
  EXPECT_EQ(shorter > 20, runner.is_single() && runner.single_maps().empty());
}

INSTANTIATE_TEST_SUITE_P(Programs, PlanRunnerGoldenTest, ::testing::ValuesIn(test::golden_programs()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace kmux
