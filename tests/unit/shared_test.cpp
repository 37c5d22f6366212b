#include "kmux/shared.h"

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/function_ref.h"

namespace kmux {
namespace {

struct Base {
  explicit Base(int& count) : ended(count) {}
  virtual ~Base() { ++ended; }
  int& ended;
};
struct Derived : Base {
  Derived(int& count, int number) : Base(count), value(number) {}
  int value;
};

TEST(SharedTest, LastHandleDestroysObject) {
  int ended = 0;
  auto first = Shared<Derived>::make(ended, 3);
  EXPECT_EQ(first.use_count(), 1);
  {
    const Shared<Derived> second = first;
    EXPECT_EQ(first.use_count(), 2);
    EXPECT_EQ(second->value, 3);
    EXPECT_EQ(&*second, first.get());
    EXPECT_EQ(first, second);
  }
  EXPECT_EQ(ended, 0);
  first.reset();
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(first, nullptr);
  EXPECT_EQ(first.use_count(), 0);
}

TEST(SharedTest, MovedFromHandleIsEmpty) {
  int ended = 0;
  auto from = Shared<Derived>::make(ended, 3);
  const Shared<Derived> to = std::move(from);
  EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move): what it is about
  EXPECT_EQ(to.use_count(), 1);
}

TEST(SharedTest, AssignmentMaintainsUseCount) {
  int ended = 0;
  auto one = Shared<Derived>::make(ended, 1);
  auto two = Shared<Derived>::make(ended, 2);
  const auto& same = one;
  one = same;
  EXPECT_EQ(one->value, 1);
  EXPECT_EQ(one.use_count(), 1);
  one = two;
  EXPECT_EQ(ended, 1) << "the object that no handle has any more";
  EXPECT_EQ(two.use_count(), 2);
  one = nullptr;
  EXPECT_EQ(two.use_count(), 1);
}

TEST(SharedTest, ConvertedHandlesDestroyWholeObject) {
  int ended = 0;
  {
    const Shared<const Base> base = Shared<Derived>::make(ended, 1);
    Shared<void> bare = Shared<Derived>(new Derived(ended, 2));
    EXPECT_TRUE(base);
    bare = Shared<Derived>::make(ended, 3);
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(static_cast<Derived*>(bare.get())->value, 3);
  }
  EXPECT_EQ(ended, 3);
  static_assert(!std::is_convertible_v<Shared<Base>, Shared<Derived>>);
  static_assert(!std::is_convertible_v<Shared<const Base>, Shared<Base>>);
}

TEST(SharedTest, CustomDeleterRunsEvenForNull) {
  std::vector<void*> ended;
  int object = 0;
  {
    const Shared<void> handle(&object, [&](void* last) { ended.push_back(last); });
    const Shared<void> none(nullptr, [&](void* last) { ended.push_back(last); });
    EXPECT_FALSE(none);
    EXPECT_EQ(none.use_count(), 1);
  }
  EXPECT_THAT(ended, testing::ElementsAre(nullptr, &object));
}

TEST(SharedTest, ThreadsCopyHandlesConcurrently) {
  int ended = 0;
  {
    auto object = Shared<Derived>::make(ended, 1);
    std::array<std::thread, 4> threads;
    for (std::thread& thread : threads) {
      thread = std::thread([own = object] {
        for (int i = 0; i < 10'000; ++i) {
          const Shared<Derived> copy = own;
          ASSERT_EQ(copy->value, 1);
        }
      });
    }
    object.reset();
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(ended, 1);
}

std::size_t length(const std::string& text) { return text.size(); }

TEST(FunctionRefTest, CallsBorrowedFunctionWithoutCopy) {
  const auto call = [](FunctionRef<std::size_t(const std::string&)> function) { return function("four"); };
  std::size_t more = 1;
  const auto lambda = [&](const std::string& text) { return text.size() + more; };
  EXPECT_EQ(call(length), 4U);
  EXPECT_EQ(call(lambda), 5U);
  more = 2;
  EXPECT_EQ(call(lambda), 6U) << "no copy";
}

TEST(FunctionRefTest, PassesMoveOnlyObjects) {
  const auto keep = [](std::unique_ptr<int> value) { return value; };
  const FunctionRef<std::unique_ptr<int>(std::unique_ptr<int>)> function = keep;
  EXPECT_EQ(*function(std::make_unique<int>(7)), 7);
}

}  // namespace
}  // namespace kmux
