#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kmux/par_compile.h"

#include "progress_view.h"

namespace kmux::cli {

/// What a user sees while programs are compiled.
class ProgressView {
 public:
  virtual ~ProgressView() = default;
  virtual void show(const CompileProgress& event) = 0;
  /// Takes away what is not meant to stay.
  virtual void end() = 0;
};

/// A bar where stderr is a terminal, else lines on stderr. `names` are what the programs are called, by index.
std::unique_ptr<ProgressView> progress_on_stderr(std::vector<std::string> names);

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
