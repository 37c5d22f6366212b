#include "pool/admission.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kmux {
namespace {

bool never() { return false; }
bool always() { return true; }

constexpr Admission::Request kTen{.bytes = 10, .budget = 25, .most = 4};

/// A request that waits in another thread until it is admitted or called off.
class Waiter {
 public:
  Waiter(Admission& admission, const Admission::Request& request)
      : thread_([this, &admission, request] {
          permit_ = admission.acquire(request, [this] { return asked_ = true, unwanted_.load(); });
          ended_ = true;
        }) {
    while (!asked_) std::this_thread::yield();
  }
  ~Waiter() {
    if (thread_.joinable()) thread_.join();
  }
  bool has_ended() const { return ended_; }
  bool is_admitted() {
    thread_.join();
    return permit_ != nullptr;
  }
  void call_off() { unwanted_ = true; }
  void release() { permit_.reset(); }

 private:
  std::atomic<bool> asked_ = false, unwanted_ = false, ended_ = false;
  std::shared_ptr<Admission::Permit> permit_;
  std::thread thread_;
};

TEST(AdmissionTest, AdmitsSingleRequestOverBudget) {
  const auto admission = std::make_shared<Admission>();
  EXPECT_NE(admission->acquire({.bytes = 1000, .budget = 1, .most = 1}, never), nullptr);
}

TEST(AdmissionTest, WaitsUntilMemoryIsReleased) {
  const auto admission = std::make_shared<Admission>();
  auto first = admission->acquire(kTen, never);
  const auto second = admission->acquire(kTen, never);
  Waiter third(*admission, kTen);
  EXPECT_FALSE(third.has_ended());
  first.reset();
  EXPECT_TRUE(third.is_admitted());
}

TEST(AdmissionTest, WaitsUntilBelowMaximumCount) {
  const auto admission = std::make_shared<Admission>();
  const Admission::Request alone{.bytes = 0, .budget = 100, .most = 1};
  auto first = admission->acquire(alone, never);
  Waiter second(*admission, alone);
  EXPECT_FALSE(second.has_ended());
  first.reset();
  EXPECT_TRUE(second.is_admitted());
}

TEST(AdmissionTest, KeepsOrderBehindLargeRequest) {
  const auto admission = std::make_shared<Admission>();
  auto first = admission->acquire(kTen, never);
  Waiter large(*admission, {.bytes = 25, .budget = 25, .most = 4});
  Waiter small(*admission, {.bytes = 1, .budget = 25, .most = 4});
  EXPECT_FALSE(small.has_ended());  // it would fit
  first.reset();
  EXPECT_TRUE(large.is_admitted());
  large.release();
  EXPECT_TRUE(small.is_admitted());
}

TEST(AdmissionTest, ReturnsNullForCanceledRequests) {
  const auto admission = std::make_shared<Admission>();
  const auto first = admission->acquire({.bytes = 25, .budget = 25, .most = 4}, never);
  Waiter second(*admission, kTen);
  second.call_off();
  admission->reconsider();
  EXPECT_FALSE(second.is_admitted());
  EXPECT_EQ(admission->acquire(kTen, always), nullptr);
}

TEST(AdmissionTest, CountsMemoryButNotSlotOfAbandonedRequest) {
  const auto admission = std::make_shared<Admission>();
  const auto hung = admission->acquire({.bytes = 20, .budget = 25, .most = 1}, never);
  hung->leave_behind();
  const auto next = admission->acquire({.bytes = 20, .budget = 25, .most = 1}, never);
  EXPECT_NE(next, nullptr);  // no other job runs, so this one may
  Waiter third(*admission, {.bytes = 1, .budget = 25, .most = 2});
  EXPECT_FALSE(third.has_ended());
  third.call_off();
  admission->reconsider();
}

}  // namespace
}  // namespace kmux
