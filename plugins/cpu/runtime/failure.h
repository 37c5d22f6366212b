#pragma once

#include <exception>
#include <string>

namespace kmux::cpu {

/// What a kernel's own assert or __trap throws out of it; a launch makes launch_failed of it.
class KernelFailure final : public std::exception {
 public:
  explicit KernelFailure(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace kmux::cpu

extern "C" {

/// Ends the kernel that calls it, with an error that says what failed: the text of an assertion, where it stands, and which
/// thread it was. Called by the code of kernels; throws kmux::cpu::KernelFailure through it.
///
/// Threads: any.
void kmux_cpu_fail(const char* what, const char* file, unsigned line, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned thread_x, unsigned thread_y, unsigned thread_z);
}
