#pragma once

#include <functional>
#include <string>
#include <vector>

#include "progress_view.h"

namespace kmux::cli {

/// A line for each program that has ended, for a log: "[3/64] gemm.kmux.json: compiled with cpu in 120 ms".
class ProgressLines final : public ProgressView {
 public:
  ProgressLines(std::function<void(const std::string&)> write, std::vector<std::string> names)
      : write_(std::move(write)), names_(std::move(names)) {}
  void show(const CompileProgress& event) override;
  void end() override {}

 private:
  std::function<void(const std::string&)> write_;
  std::vector<std::string> names_;
  std::size_t ended_ = 0;
};

}  // namespace kmux::cli
