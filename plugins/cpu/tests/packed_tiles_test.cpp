// Tiles shared by blocks of a grid column or row, which the first block packs for the others (simt/transforms/packed_tiles.cpp).
#include <algorithm>
#include <string>
#include <vector>

#include "suite_kernel.h"

namespace kmux::cpu {
namespace {

constexpr int kTile = 16;

class PackedTilesTest : public SuiteKernels {
 protected:
  struct Sizes {  // in tiles
    int rows, columns, depth;
  };
  struct Product {
    std::vector<int> a, b, c;
  };

  /// Runs a product of tiles in blocks of `row` and `column`, with `before` first.
  void multiply(const std::string& before = "", const std::string& row = "blockIdx.y",
                const std::string& column = "blockIdx.x") {
    source_ =
        "__global__ void multiply(int* c, const int* a, const int* b, int columns, int depth) {\n"
        "  __shared__ int as[16][16], bs[16][16];\n"
        "  const int tx = threadIdx.x, ty = threadIdx.y, width = depth;\n  int sum = 0;\n"
        "  const int i = " +
        row + " * 16 + ty, j = " + column + " * 16 + tx;\n  " + before +
        "\n"
        "  for (int t = 0; t < depth; t += 16) {\n"
        "    as[ty][tx] = a[i * width + t + tx];\n    bs[ty][tx] = b[(t + ty) * columns + j];\n    __syncthreads();\n"
        "    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];\n    __syncthreads();\n  }\n"
        "  c[i * columns + j] = sum;\n}\n";
  }
  /// Returns operands in which b has `more` elements after its end.
  Product matrices(const Sizes& sizes, std::size_t more = 0) {
    const auto area = [](int x, int y) {
      return static_cast<std::size_t>(x) * kTile * static_cast<std::size_t>(y) * kTile;
    };
    return {integers(area(sizes.rows, sizes.depth), -9, 9), integers(area(sizes.depth, sizes.columns) + more, -9, 9),
            std::vector<int>(area(sizes.rows, sizes.columns), -1)};
  }
  void run(Product& all, const Sizes& sizes, const std::vector<int>& grid) {
    launch("multiply", {grid, {16, 16}}, {all.c, all.a, all.b, sizes.columns * kTile, sizes.depth * kTile});
  }
  /// Returns the product. `depth_of`, `shift_of`: the depth of a row of tiles, and the offset of its b.
  template <class Depth, class Shift>
  static std::vector<int> product(const Product& all, const Sizes& sizes, Depth depth_of, Shift shift_of) {
    const int columns = sizes.columns * kTile, depth = sizes.depth * kTile;
    std::vector<int> c(all.c.size());
    for (int i = 0; i < sizes.rows * kTile; ++i) {
      const int* const b = all.b.data() + shift_of(i / kTile);
      for (int k = 0; k < depth_of(i / kTile) * kTile; ++k) {
        for (int j = 0; j < columns; ++j) c[i * columns + j] += all.a[i * depth + k] * b[k * columns + j];
      }
    }
    return c;
  }
  /// Checks a product in which each row of tiles begins `tiles` further on in b; `tiles_of` must compute the same
  /// offset.
  template <class Tiles>
  void expect_shifted(const std::string& tiles, Tiles tiles_of) {
    const Sizes sizes{9, 3, 4};
    multiply("b += " + tiles + " * 16;");
    Product all = matrices(sizes, 3 * kTile);
    run(all, sizes, {sizes.columns, sizes.rows});
    const auto shift = [&](int row) { return tiles_of(all, static_cast<std::size_t>(row)) * kTile; };
    EXPECT_EQ(all.c, product(all, sizes, [&](int) { return sizes.depth; }, shift));
  }
  /// Checks a product in which each column of tiles begins `elements` further on in a; `elements_of` must compute the
  /// same offset.
  template <class Elements>
  void expect_moved(const std::string& elements, Elements elements_of) {
    const Sizes sizes{13, 5, 4};
    multiply("a += " + elements + ";");
    Product all = matrices(sizes);
    all.a.resize(all.a.size() + kTile, 5);
    run(all, sizes, {sizes.columns, sizes.rows});
    for (int column = 0; column < sizes.columns; ++column) {
      Product moved = all;
      moved.a.erase(moved.a.begin(), moved.a.begin() + elements_of(all, static_cast<std::size_t>(column)));
      const std::vector<int> expected = product(moved, sizes);
      for (std::size_t i = static_cast<std::size_t>(column * kTile); i < all.c.size();
           i += static_cast<std::size_t>(sizes.columns * kTile))
        ASSERT_TRUE(std::equal(&all.c[i], &all.c[i] + kTile, &expected[i])) << column << ", " << i;
    }
  }
  static int none(int) { return 0; }
  static std::vector<int> product(const Product& all, const Sizes& sizes) {
    return product(all, sizes, [&](int) { return sizes.depth; }, none);
  }
};
INSTANTIATE_TEST_SUITE_P(Tiers, PackedTilesTest, testing::Values("fast", "full"));

// One block, fewer than share tiles, as many, and more; more tiles in depth than fit; one for all threads.
TEST_P(PackedTilesTest, SupportGridsOfAllShapes) {
  multiply();
  for (const Sizes& sizes : {Sizes{1, 1, 1}, Sizes{1, 3, 4}, Sizes{2, 2, 3}, Sizes{12, 2, 4}, Sizes{13, 3, 2},
                             Sizes{25, 1, 5}, Sizes{3, 2, 300}, Sizes{40, 40, 8}}) {
    Product all = matrices(sizes);
    run(all, sizes, {sizes.columns, sizes.rows});
    ASSERT_EQ(all.c, product(all, sizes)) << sizes.rows << "x" << sizes.columns << "x" << sizes.depth;
  }
}

// A block deeper than those before it packs more tiles; one that ends sooner, or does not begin, leaves the packed ones
// in place.
TEST_P(PackedTilesTest, SupportBlocksOfDifferentDepths) {
  multiply("depth = min(depth, 16 * int(blockIdx.y * 7 % 5));");
  const Sizes sizes{23, 3, 4};
  Product all = matrices(sizes);
  run(all, sizes, {sizes.columns, sizes.rows});
  EXPECT_EQ(all.c, product(all, sizes, [](int row) { return std::min(4, row * 7 % 5); }, none));
}

// A block's tiles depend on its row, by index or by values in memory: they must not be reused for another row.
TEST_P(PackedTilesTest, AreNotReusedAcrossRows) {
  expect_shifted("blockIdx.y % 4", [](const Product&, std::size_t row) { return static_cast<int>(row % 4); });
}

TEST_P(PackedTilesTest, AreNotReusedAtOffsetsFromMemory) {
  expect_shifted("(a[blockIdx.y] & 3)", [](const Product& all, std::size_t row) { return all.a[row] & 3; });
}

// Each layer of the grid has separate tiles per column.
TEST_P(PackedTilesTest, AreSeparatePerLayer) {
  multiply("b += blockIdx.z * 16; c += blockIdx.z * gridDim.y * 16 * columns;");
  const Sizes sizes{3, 2, 4};
  Product all = matrices(sizes, 2 * kTile);
  const std::vector<int> clear = all.c;
  all.c.resize(3 * clear.size());
  run(all, sizes, {sizes.columns, sizes.rows, 3});
  const auto deep = [&](int) { return sizes.depth; };
  for (int layer = 0; layer < 3; ++layer) {
    const auto begin = all.c.begin() + layer * static_cast<std::ptrdiff_t>(clear.size());
    const std::vector<int> found(begin, begin + static_cast<std::ptrdiff_t>(clear.size()));
    EXPECT_EQ(found, product({all.a, all.b, clear}, sizes, deep, [&](int) { return layer * 16; })) << layer;
  }
}

TEST_P(PackedTilesTest, SupportRowsAlongX) {
  multiply("", "blockIdx.x", "blockIdx.y");
  const Sizes sizes{4, 30, 3};
  Product all = matrices(sizes);
  run(all, sizes, {sizes.rows, sizes.columns});
  EXPECT_EQ(all.c, product(all, sizes));
}

// Packed tiles are only valid within one launch: memory may change before the next.
TEST_P(PackedTilesTest, AreDiscardedBetweenLaunches) {
  multiply();
  const Sizes sizes{5, 1, 3};
  for (int i = 0; i < 3; ++i) {
    Product all = matrices(sizes);
    run(all, sizes, {sizes.columns, sizes.rows});
    ASSERT_EQ(all.c, product(all, sizes));
  }
}

// Blocks of a row that are deeper than those before them copy more; b, too, is only present in part.
TEST_P(PackedTilesTest, SupportDifferentDepthsWithinRow) {
  multiply("depth = min(depth, 16 * int((blockIdx.x * 7 + blockIdx.y * 3) % 6));");
  const Sizes sizes{14, 9, 5};
  Product all = matrices(sizes);
  run(all, sizes, {sizes.columns, sizes.rows});
  std::vector<std::vector<int>> of_depth;
  for (int depth = 0; depth <= sizes.depth; ++depth)
    of_depth.push_back(product(all, sizes, [&](int) { return depth; }, none));
  for (int row = 0; row < sizes.rows; ++row) {
    for (int column = 0; column < sizes.columns; ++column) {
      const std::vector<int>& expected = of_depth.at(std::min(sizes.depth, (column * 7 + row * 3) % 6));
      const auto place = static_cast<std::size_t>((row * kTile + 5) * sizes.columns * kTile + column * kTile + 3);
      ASSERT_EQ(all.c[place], expected[place]) << row << ", " << column;
    }
  }
}

// Copies for a column, with an offset from its index or from memory, must not be reused for another column or layer.
TEST_P(PackedTilesTest, CopiesAreNotReusedAcrossColumns) {
  expect_moved("blockIdx.x % 3", [](const Product&, std::size_t column) { return static_cast<int>(column % 3); });
}

TEST_P(PackedTilesTest, CopiesAreNotReusedAtOffsetsFromMemory) {
  expect_moved("(b[blockIdx.x] & 3)", [](const Product& all, std::size_t column) { return all.b[column] & 3; });
}

TEST_P(PackedTilesTest, CopiesAreSeparatePerLayer) {
  multiply("a += blockIdx.z * 16 * depth; c += blockIdx.z * gridDim.y * 16 * columns;");
  const Sizes sizes{3, 4, 2};
  Product all = matrices({sizes.rows + 2, sizes.columns, sizes.depth});
  all.c.resize(static_cast<std::size_t>(3 * sizes.rows * sizes.columns * kTile * kTile));
  run(all, sizes, {sizes.columns, sizes.rows, 3});
  const std::vector<int> whole = product(all, {sizes.rows + 2, sizes.columns, sizes.depth});
  const auto row = static_cast<std::ptrdiff_t>(sizes.columns * kTile * kTile);
  for (std::ptrdiff_t layer = 0; layer < 3; ++layer) {
    const auto found = all.c.begin() + layer * sizes.rows * row;
    EXPECT_TRUE(std::equal(found, found + sizes.rows * row, whole.begin() + layer * row)) << layer;
  }
}

// Two copies, one of which is read transposed and has a column that is never written; and one that is read after the
// loop.
TEST_P(PackedTilesTest, SupportSeveralCopies) {
  source_ = R"(__global__ void multiply(int* c, const int* a, const int* b, int columns, int depth) {
  __shared__ int as[16][17], ds[16][16], es[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  int sum = 0;
  const int i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
  for (int t = 0; t < depth; t += 16) {
    as[ty][tx] = a[i * depth + t + tx];
    ds[ty][tx] = a[(blockIdx.y * 16 + tx % 16) * depth * 0 + i * depth + t + tx];
    es[ty][tx] = a[i * depth + t + tx];
    bs[ty][tx] = b[(t + ty) * columns + j];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += (as[ty][k] + 2 * ds[k][ty] + es[ty][k]) * bs[k][tx];
    __syncthreads();
  }
  c[i * columns + j] = sum + es[tx][ty];
})";
  const Sizes sizes{14, 3, 4};
  Product all = matrices(sizes);
  run(all, sizes, {sizes.columns, sizes.rows});
  const int depth = sizes.depth * kTile, columns = sizes.columns * kTile;
  const auto a = [&](int i, int k) { return all.a[static_cast<std::size_t>(i * depth + k)]; };
  for (int i = 0; i < sizes.rows * kTile; ++i) {
    for (int j = 0; j < columns; ++j) {
      int sum = a(i / kTile * kTile + j % kTile, depth - kTile + i % kTile);
      for (int k = 0; k < depth; ++k) {
        const int across = a(i / kTile * kTile + k % kTile, k / kTile * kTile + i % kTile);
        sum += (2 * a(i, k) + 2 * across) * all.b[static_cast<std::size_t>(k * columns + j)];
      }
      ASSERT_EQ(all.c[static_cast<std::size_t>(i * columns + j)], sum) << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace kmux::cpu
