// C = act(A @ B + bias) in single precision, blocked for three levels of cache, with packed operands: the kind and size
// of C++ kernel that a generator passes to a compiler. One instance for each of four activations.
#include <cmath>
#include <cstdint>

namespace {

using Index = std::int64_t;

// A tile of C stays in registers: 6 rows of two vectors of 16.
constexpr Index kTileRows = 6;
constexpr Index kTileColumns = 32;
constexpr Index kBlockRows = 96;  // a packed block of A fits the second level
constexpr Index kBlockDepth = 256;  // a packed panel of B fits the first
constexpr Index kBlockColumns = 512;  // a packed block of B fits the third

alignas(64) thread_local float packed_a[kBlockRows * kBlockDepth];
alignas(64) thread_local float packed_b[kBlockDepth * kBlockColumns];

enum class Activation : std::int32_t { kNone, kRelu, kGelu, kSilu };

struct Problem {
  const float* a;
  const float* b;
  const float* bias;
  float* c;
  Index rows, columns, depth;
};

inline Index smaller(Index x, Index y) { return x < y ? x : y; }

template <Activation kActivation>
inline float activate(float x) {
  if constexpr (kActivation == Activation::kRelu) return x > 0.0f ? x : 0.0f;
  if constexpr (kActivation == Activation::kSilu) return x / (1.0f + std::exp(-x));
  if constexpr (kActivation == Activation::kGelu) {
    constexpr float kRootOfTwoOverPi = 0.79788456f;
    return 0.5f * x * (1.0f + std::tanh(kRootOfTwoOverPi * (x + 0.044715f * x * x * x)));
  }
  return x;
}

// Packs panels of kTileRows rows, consecutively, each ordered by depth; missing rows are zero.
void pack_a(const Problem& problem, Index row, Index rows, Index at, Index depth) {
  float* out = packed_a;
  for (Index panel = 0; panel < rows; panel += kTileRows) {
    const Index live = smaller(kTileRows, rows - panel);
    for (Index k = 0; k < depth; ++k) {
      for (Index i = 0; i < kTileRows; ++i) {
        *out++ = i < live ? problem.a[(row + panel + i) * problem.depth + at + k] : 0.0f;
      }
    }
  }
}

// Packs panels of kTileColumns columns, as above.
void pack_b(const Problem& problem, Index column, Index columns, Index at, Index depth) {
  float* out = packed_b;
  for (Index panel = 0; panel < columns; panel += kTileColumns) {
    const Index live = smaller(kTileColumns, columns - panel);
    for (Index k = 0; k < depth; ++k) {
      const float* from = problem.b + (at + k) * problem.columns + column + panel;
      for (Index j = 0; j < live; ++j) out[j] = from[j];
      for (Index j = live; j < kTileColumns; ++j) out[j] = 0.0f;
      out += kTileColumns;
    }
  }
}

// sums = a panel of A times a panel of B.
inline void multiply_panels(const float* __restrict a, const float* __restrict b, Index depth,
                            float (&sums)[kTileRows][kTileColumns]) {
  float tile[kTileRows][kTileColumns] = {};  // not aliased, so it can stay in registers
  for (Index k = 0; k < depth; ++k) {
    for (Index i = 0; i < kTileRows; ++i) {
      for (Index j = 0; j < kTileColumns; ++j) tile[i][j] += a[i] * b[j];
    }
    a += kTileRows;
    b += kTileColumns;
  }
  for (Index i = 0; i < kTileRows; ++i) {
    for (Index j = 0; j < kTileColumns; ++j) sums[i][j] = tile[i][j];
  }
}

struct Tile {
  Index row, column;  // of C
  Index rows, columns;  // the part inside C
  bool first, last;  // slice of the depth
};

inline float sum_so_far(const Problem& problem, const Tile& tile, Index row, Index column) {
  return tile.first ? problem.bias[column] : problem.c[row * problem.columns + column];
}

template <Activation kActivation>
void store(const Problem& problem, const Tile& tile, const float (&sums)[kTileRows][kTileColumns]) {
  for (Index i = 0; i < tile.rows; ++i) {
    const Index row = tile.row + i;
    for (Index j = 0; j < tile.columns; ++j) {
      const Index column = tile.column + j;
      const float sum = sum_so_far(problem, tile, row, column) + sums[i][j];
      problem.c[row * problem.columns + column] = tile.last ? activate<kActivation>(sum) : sum;
    }
  }
}

struct Block {
  Index row, column, at;  // origin in C and in the depth
  Index rows, columns, depth;
};

template <Activation kActivation>
void multiply_block(const Problem& problem, const Block& block) {
  for (Index j = 0; j < block.columns; j += kTileColumns) {
    for (Index i = 0; i < block.rows; i += kTileRows) {
      alignas(64) float sums[kTileRows][kTileColumns];
      multiply_panels(packed_a + i * block.depth, packed_b + j * block.depth, block.depth, sums);
      const Tile tile = {block.row + i,
                         block.column + j,
                         smaller(kTileRows, block.rows - i),
                         smaller(kTileColumns, block.columns - j),
                         block.at == 0,
                         block.at + block.depth == problem.depth};
      store<kActivation>(problem, tile, sums);
    }
  }
}

template <Activation kActivation>
void multiply(const Problem& problem) {
  for (Index column = 0; column < problem.columns; column += kBlockColumns) {
    const Index columns = smaller(kBlockColumns, problem.columns - column);
    for (Index at = 0; at < problem.depth; at += kBlockDepth) {
      const Index depth = smaller(kBlockDepth, problem.depth - at);
      pack_b(problem, column, columns, at, depth);
      for (Index row = 0; row < problem.rows; row += kBlockRows) {
        const Index rows = smaller(kBlockRows, problem.rows - row);
        pack_a(problem, row, rows, at, depth);
        multiply_block<kActivation>(problem, {row, column, at, rows, columns, depth});
      }
    }
  }
}

}  // namespace

extern "C" std::int32_t gemm(const float* a, const float* b, const float* bias, float* c, std::int64_t rows,
                             std::int64_t columns, std::int64_t depth, std::int32_t activation) {
  const Problem problem = {a, b, bias, c, rows, columns, depth};
  switch (static_cast<Activation>(activation)) {
    case Activation::kNone:
      multiply<Activation::kNone>(problem);
      return 0;
    case Activation::kRelu:
      multiply<Activation::kRelu>(problem);
      return 0;
    case Activation::kGelu:
      multiply<Activation::kGelu>(problem);
      return 0;
    case Activation::kSilu:
      multiply<Activation::kSilu>(problem);
      return 0;
  }
  return 1;
}
