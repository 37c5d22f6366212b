#include "system/compile_scope.h"

#include <thread>

#include <gtest/gtest.h>

namespace kmux {
namespace {

using namespace std::chrono_literals;

class FakeScope final : public CompileScope {
 public:
  explicit FakeScope(Limit left) : left_(left) {}
  Result<std::shared_ptr<void>> admit(const std::string&, bool) override { return std::shared_ptr<void>(); }
  bool has_neighbours() const override { return true; }
  Limit time_left() const override { return left_; }
  bool is_cancelled() const override { return false; }
  void took_memory(std::uint64_t) override {}

 private:
  Limit left_;
};

TEST(CompileScopeTest, IsBoundToEnteringThread) {
  FakeScope outer({}), inner({});
  EXPECT_EQ(CompileScope::current(), nullptr);
  {
    const CompileScope::Entered entered(outer);
    {
      const CompileScope::Entered deeper(inner);
      EXPECT_EQ(CompileScope::current(), &inner);
    }
    EXPECT_EQ(CompileScope::current(), &outer);
    std::thread([] { EXPECT_EQ(CompileScope::current(), nullptr); }).join();
  }
  EXPECT_EQ(CompileScope::current(), nullptr);
}

TEST(CompileScopeTest, ShortensLimits) {
  EXPECT_EQ(limit_in_scope({}), std::nullopt);
  EXPECT_EQ(limit_in_scope(5ms), 5ms);
  FakeScope endless({}), short_one(3ms);
  const CompileScope::Entered entered(endless);
  EXPECT_EQ(limit_in_scope(5ms), 5ms);
  const CompileScope::Entered deeper(short_one);
  EXPECT_EQ(limit_in_scope(5ms), 3ms);
  EXPECT_EQ(limit_in_scope(1ms), 1ms);
  EXPECT_EQ(limit_in_scope({}), 3ms);
}

}  // namespace
}  // namespace kmux
