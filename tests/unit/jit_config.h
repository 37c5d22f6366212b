#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmux/jit_described.h"

namespace kmux {

enum class Layout : std::uint8_t { kRow, kColumn };
BOOST_DESCRIBE_ENUM(Layout, kRow, kColumn)
enum class Plain : std::int8_t { kFirst = -1, kSecond = 1 };

struct Tile {
  std::int64_t m = 64;
  std::int64_t n = 32;
};
BOOST_DESCRIBE_STRUCT(Tile, (), (m, n))

/// A member of every kind that a configuration may have.
struct EveryKind {
  bool flag = false;
  std::int8_t small = -1;
  std::uint64_t large = 1;
  float single_ = 0.5F;
  double real = 0.1;
  std::string text = "x";
  Layout layout = Layout::kRow;
  Plain plain = Plain::kFirst;
  DType dtype = dtype::kFloat16;
  std::optional<int> maybe = {};
  std::vector<std::string> words = {"a", "b"};
  std::array<bool, 2> pair = {true, false};
  std::vector<bool> bits = {};
  Tile tile = {};
};
BOOST_DESCRIBE_STRUCT(EveryKind, (),
                      (flag, small, large, single_, real, text, layout, plain, dtype, maybe, words, pair, bits, tile))

}  // namespace kmux
