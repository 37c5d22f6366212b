#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kmux::bench::spmd {

/// A tensor of a problem.
struct Buffer {
  std::string name;
  std::size_t count;
  bool is_integer = false;  // int, else float
};

/// The comparison of an output with the native code's.
enum class Check {
  kElements,  // each element
  kTotal,     // their sum, since a kernel may place partial sums anywhere
};

/// A kernel of kernels/ with its launch and arguments, and the equivalent function of native.cpp.
///
/// Shapes: the first of `buffers` is the output. Kernel and function take `buffers`, then `scalars`, which are ints.
struct Problem {
  std::string title;
  std::string kernel;
  std::string native;
  std::vector<Buffer> buffers;
  std::vector<std::pair<std::string, int>> scalars;
  std::array<unsigned, 3> grid;
  std::array<unsigned, 3> block;
  double work;  // bytes, operations or elements of a launch
  std::string unit;  // of 1e9 of them in a second
  Check check = Check::kElements;
};

/// The level of memory that holds a problem's data.
enum class Size { kL2, kDram };

Problem vadd(Size size);
Problem one_block();  // of vadd
Problem saxpy();
Problem silu();
Problem stencil(Size size, unsigned block_x, unsigned block_y);
Problem tree_sum(Size size);
Problem stride_sum(Size size);
Problem transpose();
Problem matmul_tiled(int n);
Problem matmul_packed(int n);  // the kernel of matmul_tiled with another native function
Problem matmul_naive(int n, unsigned block_x, unsigned block_y);
Problem mandelbrot(int width, int height);

/// Returns the text of `file` in kernels/.
std::string kernel_text(const std::string& file);

}  // namespace kmux::bench::spmd
