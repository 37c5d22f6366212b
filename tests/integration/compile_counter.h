#pragma once

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/log.h"

namespace kmux {

/// Counts how often a program went to a backend that `auto` chose during its lifetime, and keeps the warnings.
class CompileCounter {
 public:
  CompileCounter() {
    set_log_sink(LogLevel::kInfo, [this](LogLevel level, std::string_view text) {
      if (text.starts_with("Execution backend resolved")) ++compiles_;
      if (level == LogLevel::kWarning) warnings_.emplace_back(text);  // calls are serialized
    });
  }
  ~CompileCounter() { set_log_sink(LogLevel::kInfo, {}); }
  CompileCounter(const CompileCounter&) = delete;
  CompileCounter& operator=(const CompileCounter&) = delete;

  int compiles() const { return compiles_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::atomic<int> compiles_ = 0;
  std::vector<std::string> warnings_;
};

/// Calls `is_right` with 0 to 15 in 16 threads concurrently. All must return true, and one compile must serve them.
template <class Function>
void expect_one_compile_for_16_threads(Function is_right) {
  const CompileCounter counter;
  std::atomic<int> right = 0;
  std::latch all(16);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      all.arrive_and_wait();
      if (is_right(i)) ++right;
    });
  }
  threads.clear();
  EXPECT_EQ(right, 16);
  EXPECT_EQ(counter.compiles(), 1);
}

}  // namespace kmux
