#pragma once

#include <random>
#include <string>

namespace kmux::cpu {

/// A random kernel of one block, `kernel(const unsigned* x, unsigned* y)`, as CUDA C++ and as C that does for one thread after
/// another what it means. Phases with control flow of every thread's own stand between barriers and exchanges within warps, some
/// of them in loops that all threads go round together.
///
/// Shapes: `x` has 64 elements, `y` one a thread.
class RandomKernel {
 public:
  RandomKernel(unsigned seed, unsigned threads);

  const std::string& cuda() const { return cuda_; }
  const std::string& c() const { return c_; }

  static constexpr unsigned kInputs = 64;

 private:
  static constexpr unsigned kVariables = 5;

  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  std::string variable() { return "v" + std::to_string(pick(kVariables)); }
  std::string expression(unsigned depth);
  std::string statement(unsigned depth, bool in_loop);
  std::string statements(unsigned count, unsigned depth, bool in_loop);
  void phase();
  void exchange();
  void items(unsigned count, unsigned depth);
  void both(const std::string& text) { cuda_ += text, c_ += text; }

  std::mt19937 random_;
  const unsigned threads_;
  unsigned names_ = 0;
  unsigned phases_ = 0;
  std::string cuda_;
  std::string c_;
};

}  // namespace kmux::cpu
