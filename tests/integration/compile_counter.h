#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "kmux/log.h"

namespace kmux {

/// Counts, while it lives, how often a program went to a backend that `auto` chose, and keeps the warnings.
class CompileCounter {
 public:
  CompileCounter() {
    set_log_sink(LogLevel::kInfo, [this](LogLevel level, std::string_view text) {
      if (text.starts_with("Execution backend resolved")) ++compiles_;
      if (level == LogLevel::kWarning) warnings_.emplace_back(text);  // one call at a time
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

}  // namespace kmux
