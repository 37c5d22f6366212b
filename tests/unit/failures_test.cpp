#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resolve/backend_history.h"
#include "system/compile_scope.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;

Error crash() { return make_error(ErrorCode::kCompileFailed, "it crashed.").with("worker", "crashed"); }
Error refused_source() { return make_error(ErrorCode::kCompileFailed, "expected ';'."); }

/// A FailureMemory whose clock the test advances.
class FailureMemoryTest : public testing::Test {
 protected:
  std::chrono::steady_clock::time_point now_{};
  Failures failures_{[this] { return now_; }};
  CandidateKey key_{"digest", 0, "cpu", "c"};
};

TEST_F(FailureMemoryTest, QuarantinesForTenMinutesAndReportsRemainingTime) {
  EXPECT_TRUE(failures_.empty());
  failures_.note(key_, crash());
  EXPECT_EQ(failures_.find(key_, false), (Quarantine{"it crashed.", 600}));
  now_ += 9min;
  EXPECT_EQ(failures_.find(key_, false), (Quarantine{"it crashed.", 60}));
  now_ += 1min;
  EXPECT_EQ(failures_.find(key_, false), std::nullopt);
}

TEST_F(FailureMemoryTest, RestartsQuarantineOnRepeatedFailure) {
  failures_.note(key_, crash());
  now_ += 9min;
  failures_.note(key_, crash());
  now_ += 9min;
  EXPECT_TRUE(failures_.find(key_, false).has_value());
}

TEST_F(FailureMemoryTest, IgnoresCancellation) {
  failures_.note(key_, cancellation("it was stopped (nobody waits)."));
  EXPECT_TRUE(failures_.empty());
}

TEST_F(FailureMemoryTest, IgnoresExternallyKilledWorker) {
  failures_.note(key_, make_error(ErrorCode::kCompileFailed, "it was killed.").with("worker", "killed"));
  EXPECT_TRUE(failures_.empty());
}

TEST_F(FailureMemoryTest, ForgetsExpiredFailures) {
  failures_.note(key_, crash());
  now_ += 10min;
  failures_.note({"other", 0, "cpu", "c"}, crash());
  now_ += 10min;
  failures_.note({"other", 0, "cpu", "c"}, make_error(ErrorCode::kInternal, "again."));
  EXPECT_EQ(failures_.find(key_, true), std::nullopt);
}

TEST_F(FailureMemoryTest, IsKeyedByProgramVariantBackendAndTarget) {
  failures_.note(key_, crash());
  for (const CandidateKey& other : {CandidateKey{"other", 0, "cpu", "c"}, CandidateKey{"digest", 1, "cpu", "c"},
                                    CandidateKey{"digest", 0, "gpu", "c"}, CandidateKey{"digest", 0, "cpu", "d"}}) {
    EXPECT_EQ(failures_.find(other, true), std::nullopt);
  }
}

TEST_F(FailureMemoryTest, AppliesSourceErrorsOnlyInBackground) {
  failures_.note(key_, refused_source());
  EXPECT_EQ(failures_.find(key_, false), std::nullopt);
  EXPECT_EQ(failures_.find(key_, true)->reason, "expected ';'.");
}

TEST_F(FailureMemoryTest, BlamesBackendForNonSourceErrors) {
  EXPECT_EQ(blame_of(crash()), Blame::kBackend);
  EXPECT_EQ(blame_of(make_error(ErrorCode::kUnavailable, "no memory.")), Blame::kBackend);
  EXPECT_EQ(blame_of(make_error(ErrorCode::kInternal, "a bug.")), Blame::kBackend);
  EXPECT_EQ(blame_of(refused_source()), Blame::kSources);
}

TEST_F(FailureMemoryTest, IgnoresLaunchInvalidArgumentAndUnsupportedErrors) {
  for (const ErrorCode code : {ErrorCode::kLaunchFailed, ErrorCode::kInvalidArgument, ErrorCode::kUnsupported}) {
    failures_.note(key_, make_error(code, "no."));
  }
  EXPECT_TRUE(failures_.empty());
}

}  // namespace
}  // namespace kmux
