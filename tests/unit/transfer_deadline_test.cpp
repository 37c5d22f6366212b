#include <gtest/gtest.h>

#include "cache/remote/redis_connection.h"

namespace kmux {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class TransferDeadlineTest : public testing::Test {
 protected:
  static TransferDeadline::Clock::time_point at(int milliseconds_since) {
    return TransferDeadline::Clock::time_point(milliseconds(milliseconds_since));
  }
  TransferDeadline deadline_{milliseconds(500), at(1000)};
};

TEST_F(TransferDeadlineTest, EqualsTimeoutWithoutProgress) { EXPECT_EQ(deadline_.end(), at(1500)); }

TEST_F(TransferDeadlineTest, GrowsWithTransferredBytes) {
  int now = 1000;
  for (int i = 0; i < 8; ++i) deadline_.moved(1 << 20, at(now += 1000));  // twice the required speed
  EXPECT_EQ(deadline_.end(), at(now + 2000)) << "of silence";
  for (int i = 0; i < 7; ++i) deadline_.moved(256, at(now += 1000));
  EXPECT_EQ(std::chrono::floor<milliseconds>(deadline_.end()), at(1500 + 16'000 + 3)) << "of all, at 512 KiB a second";
}

TEST_F(TransferDeadlineTest, IsNotExtendedByTrickleOfBytes) {
  for (int now = 1000; now < 1500; now += 10) deadline_.moved(1, at(now));
  EXPECT_LT(deadline_.end(), at(1501));
}

TEST_F(TransferDeadlineTest, ReplyMayTakeAsLongAsCommand) {
  deadline_.moved(1 << 20, at(1000));
  EXPECT_EQ(deadline_.end(), at(3000));
  deadline_.moved(7 << 20, at(1000));
  deadline_.wait_for_reply();
  EXPECT_EQ(deadline_.end(), at(1500 + 16'000));
}

}  // namespace
}  // namespace kmux
