#include "cache/remote_lease.h"

#include <atomic>

#include <gtest/gtest.h>

namespace kmux {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(RemoteLease, IsRenewedUntilItIsReleased) {
  std::atomic<int> renewals{0};
  int releases = 0;
  {
    const RemoteLease lease([&] { ++renewals; }, milliseconds(1), [&] { ++releases; });
    while (renewals < 3) std::this_thread::yield();
    EXPECT_EQ(releases, 0);
  }
  const int all = renewals;
  EXPECT_EQ(releases, 1);
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(renewals, all) << "nobody renews what was released";
}

TEST(RemoteLease, DoesNotWaitToBeReleased) {
  std::atomic<int> renewals{0};
  int releases = 0;
  {
    const RemoteLease lease([&] { ++renewals; }, hours(1), [&] { ++releases; });
  }
  EXPECT_EQ(renewals, 0);
  EXPECT_EQ(releases, 1);
}

}  // namespace
}  // namespace kmux
