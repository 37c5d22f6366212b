#include "problem.h"

#include "kmux/plugin/file_io.h"

namespace kmux::bench::spmd {
namespace {

constexpr unsigned kThreads = 256;  // of a block in one dimension
constexpr unsigned kTile = 16;
constexpr int kDramElements = 1 << 25;

unsigned blocks_for(int elements, unsigned threads) {
  return (static_cast<unsigned>(elements) + threads - 1) / threads;
}
std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
const char* name_of(Size size) { return size == Size::kL2 ? "L2" : "DRAM"; }
std::string name_of(unsigned x, unsigned y) { return std::to_string(x) + "x" + std::to_string(y); }

// Returns a problem with one thread per element, one written buffer and the `inputs`.
Problem map(const std::string& kernel, const std::vector<std::string>& names, int n) {
  Problem problem{kernel, kernel, kernel, {}, {{"n", n}}, {blocks_for(n, kThreads), 1, 1}, {kThreads, 1, 1}, 0, "GB/s"};
  for (const std::string& name : names) problem.buffers.push_back({name, static_cast<std::size_t>(n)});
  problem.work = 4.0 * static_cast<double>(names.size()) * n;
  return problem;
}

// Returns a problem with one thread per element of a square.
Problem on_square(const std::string& title, const std::string& kernel, const std::vector<std::string>& names, int n,
                  unsigned block_x, unsigned block_y) {
  Problem problem{title, kernel, kernel, {}, {{"n", n}}, {}, {block_x, block_y, 1}, 0, "GB/s"};
  problem.grid = {blocks_for(n, block_x), blocks_for(n, block_y), 1};
  for (const std::string& name : names) problem.buffers.push_back({name, square(n)});
  problem.work = 4.0 * static_cast<double>(names.size()) * static_cast<double>(square(n));
  return problem;
}

Problem product(const std::string& title, const std::string& kernel, int n, unsigned block_x, unsigned block_y) {
  Problem problem = on_square(title + " " + std::to_string(n), kernel, {"c", "a", "b"}, n, block_x, block_y);
  problem.work = 2.0 * n * static_cast<double>(square(n));
  problem.unit = "GFLOP/s";
  return problem;
}

Problem sum(const std::string& kernel, Size size, unsigned blocks) {
  const int n = size == Size::kL2 ? 1 << 16 : kDramElements;
  const unsigned grid = blocks == 0 ? blocks_for(n, kThreads) : blocks;
  return {kernel + " " + name_of(size),
          kernel,
          kernel,
          {{"out", grid}, {"in", static_cast<std::size_t>(n)}},
          {{"n", n}},
          {grid, 1, 1},
          {kThreads, 1, 1},
          4.0 * n,
          "GB/s"};
}

}  // namespace

Problem vadd(Size size) {
  Problem problem = map("vadd", {"c", "a", "b"}, size == Size::kL2 ? 1 << 14 : kDramElements);
  problem.title += std::string(" ") + name_of(size);
  return problem;
}

Problem one_block() { return map("vadd", {"c", "a", "b"}, kThreads); }

Problem saxpy() { return map("saxpy", {"y", "x", "z"}, 1 << 14); }

Problem silu() {
  Problem problem = map("silu", {"y", "x"}, 1 << 16);
  problem.work = 1 << 16;
  problem.unit = "Gelements/s";
  return problem;
}

Problem stencil(Size size, unsigned block_x, unsigned block_y) {
  const std::string title = std::string("stencil ") + name_of(size) + " " + name_of(block_x, block_y);
  return on_square(title, "stencil", {"out", "in"}, size == Size::kL2 ? 256 : 4096, block_x, block_y);
}

Problem tree_sum(Size size) { return sum("tree_sum", size, 0); }

Problem stride_sum(Size size) {
  constexpr unsigned kBlocks = 8;
  Problem problem = sum("stride_sum", size, kBlocks);
  problem.check = Check::kTotal;
  return problem;
}

Problem transpose() { return on_square("transpose", "transpose", {"out", "in"}, 256, kTile, kTile); }

Problem matmul_tiled(int n) { return product("matmul_tiled", "matmul_tiled", n, kTile, kTile); }

Problem matmul_packed(int n) {
  Problem problem = product("matmul_tiled over packed", "matmul_tiled", n, kTile, kTile);
  problem.native = "matmul_packed";
  return problem;
}

Problem matmul_naive(int n, unsigned block_x, unsigned block_y) {
  return product("matmul_naive " + name_of(block_x, block_y), "matmul_naive", n, block_x, block_y);
}

Problem mandelbrot(int width, int height) {
  constexpr unsigned kX = 32;
  constexpr unsigned kY = 4;
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  return {"mandelbrot " + name_of(static_cast<unsigned>(width), static_cast<unsigned>(height)),
          "mandelbrot",
          "mandelbrot",
          {{"out", pixels, true}},
          {{"width", width}, {"height", height}, {"limit", 256}},
          {blocks_for(width, kX), blocks_for(height, kY), 1},
          {kX, kY, 1},
          static_cast<double>(pixels),
          "Gpixels/s"};
}

std::string kernel_text(const std::string& file) {
  return read_file(std::string(KMUX_BENCH_CPU) + "/kernels/" + file).value();
}

}  // namespace kmux::bench::spmd
