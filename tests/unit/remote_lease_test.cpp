#include "cache/remote/remote_lease.h"

#include <atomic>
#include <cerrno>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "cache/disk/file_descriptor.h"
#include "needs.h"

namespace kmux {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class RemoteLeaseTest : public testing::Test {
 protected:
  ~RemoteLeaseTest() override { set_fault_handler(nullptr); }
  std::unique_ptr<RemoteLease> lease_that_counts(milliseconds every) {
    return std::make_unique<RemoteLease>(renewer_, [this] { ++renewals_; }, every, [this] { ++releases_; });
  }

  std::shared_ptr<LeaseRenewer> renewer_ = std::make_shared<LeaseRenewer>();
  std::atomic<int> renewals_{0};
  int releases_ = 0;
};

TEST_F(RemoteLeaseTest, IsRenewedUntilReleased) {
  auto lease = lease_that_counts(milliseconds(1));
  while (renewals_ < 3) std::this_thread::yield();
  EXPECT_EQ(releases_, 0);
  lease.reset();
  const int all = renewals_;
  EXPECT_EQ(releases_, 1);
  auto other = lease_that_counts(hours(1));
  std::atomic<int> later{0};
  const RemoteLease last(renewer_, [&] { ++later; }, milliseconds(1), [] {});
  while (later < 3) std::this_thread::yield();
  EXPECT_EQ(renewals_, all) << "nobody renews what was released";
}

TEST_F(RemoteLeaseTest, IsReleasedWithoutWaiting) {
  lease_that_counts(hours(1)).reset();
  EXPECT_EQ(renewals_, 0);
  EXPECT_EQ(releases_, 1);
}

TEST_F(RemoteLeaseTest, ManyLeasesShareOneThread) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto renew = [&] {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    ++renewals_;
  };
  std::vector<std::unique_ptr<RemoteLease>> leases;
  for (int i = 0; i < 640; ++i) {
    leases.push_back(std::make_unique<RemoteLease>(renewer_, renew, milliseconds(1), [] {}));
  }
  while (renewals_ < 2 * 640) std::this_thread::yield();
  leases.clear();
  EXPECT_EQ(threads.size(), 1);
}

TEST_F(RemoteLeaseTest, SurvivesThrowingCallbacks) {
  std::atomic<int> calls{0};
  const auto fail = [&] {
    ++calls;
    throw std::runtime_error("no");
  };
  auto bad = std::make_unique<RemoteLease>(renewer_, fail, milliseconds(1), fail);
  const auto good = lease_that_counts(milliseconds(1));
  while (calls < 3 || renewals_ < 3) std::this_thread::yield();
  bad.reset();
}

TEST_F(RemoteLeaseTest, IsReleasedIfThreadCannotStart) {
  set_fault_handler([](std::string_view step) { return step == "start renewer" ? EAGAIN : 0; });
  lease_that_counts(milliseconds(1)).reset();
  EXPECT_EQ(releases_, 1);
  EXPECT_EQ(renewals_, 0);
  set_fault_handler(nullptr);
  const auto next = lease_that_counts(milliseconds(1));
  while (renewals_ == 0) std::this_thread::yield();
}

class RemoteLeaseInAChildTest : public RemoteLeaseTest {
 protected:
  /// Returns the exit status of `body` in a child that was forked while the renewer of this process was running.
  int in_a_child(const std::function<bool(LeaseRenewer& of_parent)>& body) {
    const auto shared = LeaseRenewer::of_process();
    EXPECT_EQ(LeaseRenewer::of_process(), shared);
    const RemoteLease lease(shared, [this] { ++renewals_; }, milliseconds(1), [] {});
    while (renewals_ == 0) std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      ::_exit(body(*shared) ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }
};

TEST_F(RemoteLeaseInAChildTest, DoesNotWaitForParentThreads) {
  EXPECT_EQ(in_a_child([](LeaseRenewer& of_parent) {
              of_parent.remove(1);
              return of_parent.add([] {}, hours(1)) == 0 && LeaseRenewer::of_process().get() != &of_parent;
            }),
            0);
}

TEST_F(RemoteLeaseInAChildTest, IsRenewedByThreadOfChild) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << needs("threads in a forked child", "the thread sanitizer ends it");
#endif
  EXPECT_EQ(in_a_child([](LeaseRenewer&) {
              std::atomic<int> renewals{0};
              const RemoteLease own(LeaseRenewer::of_process(), [&] { ++renewals; }, milliseconds(1), [] {});
              while (renewals == 0) std::this_thread::yield();
              return true;
            }),
            0);
}

}  // namespace
}  // namespace kmux
