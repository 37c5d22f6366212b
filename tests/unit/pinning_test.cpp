#include "resolve/pinning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/dispatch_json.h"
#include "kmux/tune.h"

#include "temp_folder.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kProgramDigest(64, 'a');

/// Two candidates: 'cpu' is possible, 'gpu' is refused.
class PinningTest : public testing::Test {
 protected:
  PinningTest() {
    for (const char* name : {"cpu", "gpu"}) {
      Manifest manifest;
      manifest.name = name;
      manifest.build_id = "01";
      manifests_.push_back(manifest);
      Candidate candidate{.backend = name, .target = "c"};
      candidate.verdict = candidates_.empty() ? Verdict::kPossible : Verdict::kRefused;
      candidate.reason = "there is no device";
      candidates_.push_back(std::move(candidate));
    }
  }
  Result<std::size_t> asked(const std::vector<Pin>& pins) const {
    const PinTable table(pins);
    return pinned_candidate(table.of(kProgramDigest), "/l", "gemm", kProgramDigest, candidates_,
                            {&manifests_[0], &manifests_[1]});
  }
  Error refusal(const Pin& pin) const {
    const auto found = asked({pin});
    EXPECT_FALSE(found.ok());
    EXPECT_THAT(found.error().message, HasSubstr("Run `kmux tune PROGRAM --lock FILE`"));
    return found.error();
  }
  std::vector<Manifest> manifests_;
  std::vector<Candidate> candidates_;
};

TEST_F(PinningTest, SelectsPinForThisTarget) {
  EXPECT_EQ(
      asked({{kProgramDigest, "gemm", "d", "cpu", "99", 0}, {kProgramDigest, "gemm", "c", "cpu", "01", 0}}).value(),
      0U);
}

TEST_F(PinningTest, SelectsFirstCandidateAmongMatchingPins) {
  candidates_[1].verdict = Verdict::kPossible;
  candidates_[1].target = "g";
  std::swap(candidates_[0], candidates_[1]);  // the device's backend goes first; its target is second in the file
  EXPECT_EQ(
      asked({{kProgramDigest, "gemm", "c", "cpu", "01", 0}, {kProgramDigest, "gemm", "g", "gpu", "01", 0}}).value(),
      0U);
}

TEST_F(PinningTest, RejectsUnpinnedProgram) {
  const Error error = refusal({std::string(64, 'b'), "gemm", "c", "cpu", "01", 0});
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("program 'gemm' (aaaaaaaaaaaa) is not in lock file '/l' (policy pinned)"));
}

TEST_F(PinningTest, RejectsChangedPlugin) {
  const Error error = refusal({kProgramDigest, "gemm", "c", "cpu", "02", 0});
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("to build 02 of plugin 'cpu', and this one is 01"));
}

TEST_F(PinningTest, RejectsPinForOtherTarget) {
  EXPECT_THAT(refusal({kProgramDigest, "gemm", "d", "cpu", "01", 0}).message,
              HasSubstr("for d only, which is not a target of this machine"));
  EXPECT_THAT(refusal({kProgramDigest, "gemm", "c", "cpu", "01", 7}).message,
              HasSubstr("which is not a target of this machine"));
}

TEST_F(PinningTest, RejectsUnavailableBackend) {
  const Error error = refusal({kProgramDigest, "gemm", "c", "gpu", "01", 0});
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("to backend 'gpu', which cannot take it (there is no device)"));
}

TEST_F(PinningTest, FindsProgramAmongManyPins) {
  std::vector<Pin> pins;
  for (const char* target : {"d", "c"}) {
    for (const char digit : {'c', 'a', 'b'}) pins.push_back({std::string(64, digit), "gemm", target, "cpu", "01", 0});
  }
  const PinTable table(pins);
  EXPECT_THAT(table.of(kProgramDigest), ElementsAre(pins[4], pins[1])) << "by target";
  EXPECT_TRUE(table.of(std::string(64, 'd')).empty());
  EXPECT_EQ(asked(pins).value(), 0U);
}

TEST_F(PinningTest, ReplacesEarlierPinOfSameTarget) {
  const TempFolder folder;
  const Program program{.name = "gemm"};
  Tuning tuning;
  tuning.candidates = {{.backend = "cpu", .variant = 0, .target = "c", .build_id = "01"},
                       {.backend = "gpu", .variant = 1, .target = "c", .build_id = "02"},
                       {.backend = "gpu", .variant = 1, .target = "d", .build_id = "02"}};
  for (const std::size_t winner : {0, 1, 2}) {
    tuning.winner = winner;
    ASSERT_TRUE(pin(folder.path() / "lock", program, tuning).ok());
  }
  EXPECT_THAT(read_lock_file(folder.path() / "lock").value(),
              ElementsAre(Pin{digest(program), "gemm", "c", "gpu", "02", 1},
                          Pin{digest(program), "gemm", "d", "gpu", "02", 1}));
}

TEST_F(PinningTest, RejectsOverwritingForeignFile) {
  const TempFolder folder;
  const auto file = folder.write("lock", "precious");
  Tuning tuning;
  tuning.candidates = {{.backend = "cpu"}};
  EXPECT_EQ(pin(file, {.name = "gemm"}, tuning).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux
