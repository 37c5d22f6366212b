#pragma once

#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kmux/dispatch.h"

namespace kmux::cpu {

/// A random kernel of one block, `NAME(const unsigned* x, unsigned* y)`, as CUDA C++ and as equivalent C that runs one
/// thread after another. Phases with divergent control flow alternate with barriers and exchanges within warps, some of
/// them in loops that all threads run together. Functions return from within loops, atomic operations commute, and some
/// threads end before others. A kernel has a phase or two, so that thousands compile in a minute; one of 16 is larger.
///
/// Shapes: `x` has 1,024 elements, `y` one per thread.
class RandomKernel {
 public:
  /// Creates a kernel without the statements whose numbers are in `left_out`: both texts omit them, so they remain
  /// equivalent.
  RandomKernel(std::string name, unsigned seed, unsigned threads, std::set<unsigned> left_out = {});

  const std::string& cuda() const { return cuda_; }
  const std::string& c() const { return c_; }
  /// Returns the number of statements before any was left out.
  unsigned statements() const { return numbers_; }

  /// Returns the text that must precede such kernels in a CUDA source.
  static const std::string& cuda_prelude();
  static const std::string& c_prelude();

  static constexpr unsigned kInputs = 1024;

 private:
  static constexpr unsigned kVariables = 4;

  unsigned several(unsigned most) const { return is_large_ ? most : 1; }
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  /// Returns `text`, unless the statement of that number is left out.
  std::string kept(unsigned number, const std::string& text) const { return left_out_.contains(number) ? "" : text; }
  std::string variable() { return "v" + std::to_string(pick(kVariables)); }
  std::string rounds(unsigned below);
  std::string condition();
  std::string leaf();
  std::string neighbour();
  std::string expression(unsigned depth);
  std::string conversion(const std::string& a, const std::string& b);
  std::string statement(unsigned depth, bool in_loop);
  std::string branch(unsigned depth, bool in_loop);
  std::string counted_loop(unsigned depth);
  std::string left_loop(unsigned depth);
  std::string simple();
  std::string block(unsigned count, unsigned depth, bool in_loop);
  void function();
  void begin();
  void end();
  void phase();
  void exchange();
  void items(unsigned count, unsigned depth);
  void both(const std::string& text) { cuda_ += text, c_ += text; }
  /// Returns a loop of the C text over the threads.
  std::string each(const std::string& body) const;

  const std::string name_;
  const std::set<unsigned> left_out_;
  std::mt19937 random_;
  const unsigned threads_;
  const bool is_large_;
  unsigned names_ = 0;
  unsigned numbers_ = 0;
  unsigned phases_ = 0;
  std::string cuda_;
  std::string c_;
};

/// The launch parameters of a seed: the block of its kernel, and whether the compiler knows it.
struct RandomBlock {
  std::array<int, 3> extents;
  bool is_known = true;

  static const RandomBlock& of(unsigned seed);
  unsigned threads() const { return static_cast<unsigned>(extents[0] * extents[1] * extents[2]); }
};

/// A program that launches the kernels of `count` seeds from `first` on, called `k0` and so on, each with its seed's
/// block and a separate input and output.
///
/// Shapes: its arguments are an int32, which is 1, then for each kernel `x` and `y`.
class RandomProgram {
 public:
  /// Seeds of one program, which begins at a multiple of this: compiling a program has a fixed cost, however small it
  /// is.
  static constexpr unsigned kTogether = 48;
  /// Returns the seeds from `first` to the end of the program that contains it, but none from `end` on.
  static RandomProgram from(unsigned first, unsigned end);

  RandomProgram(unsigned first, unsigned count, const std::set<unsigned>& left_out = {});

  unsigned first() const { return first_; }
  unsigned size() const { return static_cast<unsigned>(kernels_.size()); }
  const RandomKernel& kernel(unsigned index) const { return kernels_[index]; }
  unsigned threads(unsigned index) const { return RandomBlock::of(first_ + index).threads(); }
  std::vector<unsigned> input(unsigned index) const;

  /// Returns the program in CUDA C++, with one block per kernel.
  Program cuda() const { return program("cuda"); }
  /// Returns the program in C, with the meaning of each kernel.
  Program c() const { return program("c"); }

 private:
  Program program(const std::string& dialect) const;

  unsigned first_;
  std::vector<RandomKernel> kernels_;
};

}  // namespace kmux::cpu
