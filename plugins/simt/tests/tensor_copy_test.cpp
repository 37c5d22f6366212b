// Copies by tensor maps, compared with an element-wise model: a coordinate in the tensor for each element of a box.
#include "simt/units/tensor_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor_example.h"

namespace kmux::simt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Coordinates = std::vector<std::int64_t>;  // innermost first

constexpr unsigned kSizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};  // by the driver's numbers
constexpr char kUntouched = '\xcd';

/// One copy.
struct CopyExample {
  MapExample map;
  std::vector<int> at;
  std::vector<std::uint16_t> offsets = {};

  unsigned size() const { return kSizes[map.dtype]; }
  BoxPlace place() const {
    return {at.data(), static_cast<unsigned>(at.size()), map.is_im2col() ? offsets.data() : nullptr};
  }
};

std::uint64_t tensor_bytes(const MapExample& map) {
  return map.dims.size() == 1 ? map.dims[0] * kSizes[map.dtype] : map.strides.back() * map.dims.back();
}

// Returns where an element is in the tensor, in bytes; nothing if it is out of bounds.
std::optional<std::uint64_t> place_of(const MapExample& map, const Coordinates& element) {
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < element.size(); ++i) {
    if (element[i] < 0 || element[i] >= static_cast<std::int64_t>(map.dims[i])) return std::nullopt;
    place += static_cast<std::uint64_t>(element[i]) * (i == 0 ? kSizes[map.dtype] : map.strides[i - 1]);
  }
  return place;
}

// Returns the rows of a box, each by its first element. A box has every `step`-th element of its sides.
std::vector<Coordinates> tiled_rows(const CopyExample& copy) {
  std::vector<Coordinates> rows = {{copy.at.begin(), copy.at.end()}};
  for (std::size_t dim = copy.at.size() - 1; dim > 0; --dim) {
    std::vector<Coordinates> all;
    for (const Coordinates& row : rows) {
      for (unsigned i = 0; i < copy.map.box[dim]; i += copy.map.steps[dim]) {
        all.push_back(row);
        all.back()[dim] += i;
      }
    }
    rows = std::move(all);
  }
  return rows;
}

// Lists the base pixels of the tensor in order, and takes those from `at` on.
std::vector<Coordinates> im2col_rows(const CopyExample& copy) {
  const MapExample& map = copy.map;
  const std::size_t outer = map.dims.size() - 1;
  std::vector<Coordinates> bases = {{}};
  for (std::size_t dim = outer; dim > 0; --dim) {
    std::vector<Coordinates> all;
    const bool is_outer = dim == outer;  // which has no corners
    const std::int64_t begin = is_outer ? copy.at[dim] : map.lower[dim - 1];
    const std::int64_t end = static_cast<std::int64_t>(map.dims[dim]) + (is_outer ? 400 : map.upper[dim - 1]);
    for (const Coordinates& base : bases) {
      for (std::int64_t i = begin; i < end && all.size() < 5000; i += map.steps[dim]) {
        all.push_back(base);
        all.back().insert(all.back().begin(), i);
      }
    }
    bases = std::move(all);
  }
  const auto first = std::ranges::find(bases, Coordinates(copy.at.begin() + 1, copy.at.end()));
  const auto pixels = static_cast<std::ptrdiff_t>(map.box[1]);
  EXPECT_GE(bases.end() - first, pixels);
  std::vector<Coordinates> rows(first, first + pixels);
  for (Coordinates& row : rows) {
    for (std::size_t i = 0; i + 1 < outer; ++i) row[i] += copy.offsets[i];
    row.insert(row.begin(), copy.at[0]);
  }
  return rows;
}

std::size_t swizzled(std::size_t place, unsigned swizzle) {
  const std::size_t chunk = place / 16 % 8, line = place / 128 % 8;
  const std::size_t moved[] = {chunk, chunk ^ (line & 1), chunk ^ (line & 3), chunk ^ line};
  // Swizzles of 32 and 64 bytes repeat after 2 and 4 lines, and change the lower bits of the chunk alone.
  return place - chunk * 16 + moved[swizzle] * 16;
}

/// An element of a box in shared memory, and its place in the tensor.
struct BoxElement {
  std::size_t shared;
  std::optional<std::uint64_t> place;
};

std::vector<BoxElement> elements_of(const CopyExample& copy, std::size_t to) {
  const unsigned size = copy.size(), row_bytes = copy.map.box[0] * size;
  const std::size_t spans[] = {1, 32, 64, 128};
  const std::size_t pitch = std::max<std::size_t>(row_bytes, spans[copy.map.swizzle]);
  std::vector<BoxElement> elements;
  std::size_t begin = to;
  for (Coordinates row : copy.map.is_im2col() ? im2col_rows(copy) : tiled_rows(copy)) {
    for (unsigned i = 0; i < copy.map.box[0]; ++i, ++row[0]) {
      elements.push_back({swizzled(begin + i * size, copy.map.swizzle), place_of(copy.map, row)});
    }
    begin += pitch;
  }
  return elements;
}

class TensorCopyTest : public testing::Test {
 protected:
  int in(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  bool one_of(int count) { return in(1, count) == 1; }

  // Returns bytes that are a positive finite number in any type.
  std::vector<char> random_bytes(std::size_t count) {
    static const std::vector<char> bytes = [] {
      std::minstd_rand random(3);
      std::vector<char> made(1 << 20);
      for (char& byte : made) byte = static_cast<char>(random() >> 8 & 0x3f);
      return made;
    }();
    const auto begin = bytes.begin() + in(0, 4000);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }

  MapExample random_map(unsigned rank, unsigned dtype) {
    MapExample map;
    map.dtype = dtype;
    map.swizzle = static_cast<unsigned>(in(0, 3));
    const int unit = static_cast<int>(16 / kSizes[dtype]);
    map.box = {static_cast<unsigned>(unit * in(1, map.swizzle == 0 ? 16 : 1 << map.swizzle))};
    map.box[0] = std::min(map.box[0], 256U);
    map.dims = {static_cast<unsigned long long>(in(1, 20 * unit))};
    unsigned long long pitch = (map.dims[0] * kSizes[dtype] + 15) / 16 * 16 + static_cast<unsigned>(16 * in(0, 2));
    for (unsigned i = 1; i < rank; ++i) {
      map.dims.push_back(static_cast<unsigned>(in(1, rank > 3 ? 5 : 9)));
      map.box.push_back(static_cast<unsigned>(in(1, rank > 3 ? 4 : 9)));
      map.strides.push_back(pitch);
      pitch = pitch * map.dims.back() + static_cast<unsigned>(16 * in(0, 1));
      map.steps[i] = static_cast<unsigned>(one_of(2) ? in(1, 4) : 1);
    }
    map.steps[0] = static_cast<unsigned>(in(1, 3));  // without effect
    map.fill = dtype >= 6 && one_of(2) ? 1 : 0;
    return map;
  }

  CopyExample random_tiled(unsigned dtype) {
    CopyExample copy = {random_map(static_cast<unsigned>(in(1, 5)), dtype), {}};
    const int unit = static_cast<int>(16 / copy.size());
    for (std::size_t i = 0; i < copy.map.dims.size(); ++i) {
      copy.at.push_back(in(-static_cast<int>(copy.map.box[i]) - 1, static_cast<int>(copy.map.dims[i]) + 2));
    }
    copy.at[0] = copy.at[0] / unit * unit;
    return copy;
  }

  // Begins at a base pixel of the map.
  CopyExample random_im2col(unsigned dtype) {
    CopyExample copy = {random_map(static_cast<unsigned>(in(3, 5)), dtype), {0}};
    MapExample& map = copy.map;
    map.box = {map.box[0], static_cast<unsigned>(in(1, 40))};
    for (std::size_t i = 1; i + 1 < map.dims.size(); ++i) {
      map.lower.push_back(in(-3, 1));
      map.upper.push_back(in(-3, 2));
      const int dim = static_cast<int>(map.dims[i]);
      if (dim + map.upper.back() <= map.lower.back()) map.upper.back() = map.lower.back() - dim + 1;
      const int step = static_cast<int>(map.steps[i]);
      copy.at.push_back(map.lower.back() + step * in(0, (dim + map.upper.back() - map.lower.back() - 1) / step));
      copy.offsets.push_back(static_cast<std::uint16_t>(in(0, 3)));
    }
    copy.at.push_back(in(0, static_cast<int>(map.dims.back()) - 1));
    return copy;
  }

  // Compares all shared memory with what the model writes.
  void expect_load(const CopyExample& copy) {
    const std::size_t to = static_cast<std::size_t>(in(0, 40)) * 128;
    std::vector<char> tensor = random_bytes(tensor_bytes(copy.map) + 16);
    char* const base = aligned(tensor);
    std::vector<char> expected(kShown, kUntouched);
    const std::vector<BoxElement> elements = elements_of(copy, to);
    for (const BoxElement& element : elements) {
      char* const at = expected.data() + element.shared;
      element.place ? load_element(copy, at, base + *element.place) : fill_element(copy, at);
    }
    std::memset(shared_.data(), kUntouched, kShown);
    const kmux_tensor_map map = copy.map.encoded(base);
    EXPECT_EQ(load_box(&map, copy.place(), shared_.data() + to), elements.size() * copy.size());
    ASSERT_EQ(std::memcmp(shared_.data(), expected.data(), kShown), 0) << described(copy);
  }

  void expect_store(const CopyExample& copy) {
    const std::vector<char> tile = random_bytes(kShown);
    std::memcpy(shared_.data(), tile.data(), kShown);
    std::vector<char> tensor = random_bytes(tensor_bytes(copy.map) + 16), expected = tensor;
    char* const base = aligned(tensor);
    for (const BoxElement& element : elements_of(copy, 128)) {
      if (!element.place) continue;
      std::memcpy(expected.data() + (base - tensor.data()) + *element.place, &tile[element.shared], copy.size());
    }
    const kmux_tensor_map map = copy.map.encoded(base);
    store_box(&map, {copy.at.data(), static_cast<unsigned>(copy.at.size())}, shared_.data() + 128);
    ASSERT_EQ(tensor, expected) << described(copy);
  }

  static char* aligned(std::vector<char>& bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + (16 - address % 16) % 16;
  }

  static std::string described(const CopyExample& copy) {
    std::string text = "dtype " + std::to_string(copy.map.dtype) + ", swizzle " + std::to_string(copy.map.swizzle);
    for (std::size_t i = 0; i < copy.map.dims.size(); ++i) {
      text += "; dim " + std::to_string(copy.map.dims[i]) + ", step " + std::to_string(copy.map.steps[i]) + ", at " +
              std::to_string(copy.at[i]);
    }
    return text;
  }

  static void load_element(const CopyExample& copy, char* to, const char* from) {
    std::memcpy(to, from, copy.size());
    if (copy.map.dtype < 11) return;  // tf32: of positive finite numbers
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    const std::uint32_t rest = bits % 0x2000, last = bits / 0x2000 % 2;
    bits -= rest;
    if (rest > 0x1000 || (rest == 0x1000 && last == 1)) bits += 0x2000;
    std::memcpy(to, &bits, sizeof bits);
  }

  static void fill_element(const CopyExample& copy, char* to) {
    for (unsigned i = 0; i < copy.size(); ++i) to[i] = copy.map.fill == 0 ? '\0' : i % 2 == 0 ? '\xf7' : '\x7f';
  }

  static constexpr std::size_t kShown = SharedExample::kBytes;
  SharedExample shared_;
  std::mt19937 random_{7};
};

TEST_F(TensorCopyTest, LoadsBoxesOfEveryRankTypeAndBorder) {
  for (int i = 0; i < 520; ++i) expect_load(random_tiled(static_cast<unsigned>(i % 13)));
}

TEST_F(TensorCopyTest, LoadsPixelsOfImages) {
  for (int i = 0; i < 390; ++i) expect_load(random_im2col(static_cast<unsigned>(i % 13)));
}

TEST_F(TensorCopyTest, StoresBoxesWithinBounds) {
  for (int i = 0; i < 390; ++i) expect_store(random_tiled(static_cast<unsigned>(i % 13)));
}

TEST_F(TensorCopyTest, StoresPixelsWithinBounds) {
  for (int i = 0; i < 195; ++i) {
    CopyExample copy = random_im2col(static_cast<unsigned>(i % 13));
    std::ranges::fill(copy.offsets, std::uint16_t{0});
    expect_store(copy);
  }
}

TEST_F(TensorCopyTest, RoundsToTf32) {
  alignas(16) std::array<std::uint32_t, 8> numbers = {0x3f801000, 0x3f803000, 0xbf801001,
                                                      0x7f7fffff, 0xffffffff, 0x00018001};
  const MapExample example = {.dtype = 11, .dims = {8}, .strides = {}, .box = {8}};
  const kmux_tensor_map map = example.encoded(numbers.data());
  const int at = 0;
  EXPECT_EQ(load_box(&map, {&at, 1}, shared_.data()), 32U);
  std::array<std::uint32_t, 6> loaded = {};
  std::memcpy(loaded.data(), shared_.data(), sizeof loaded);
  EXPECT_THAT(loaded, ElementsAre(0x3f800000, 0x3f804000, 0xbf802000, 0x7f800000, 0x7fffe000, 0x00018000));
}

TEST_F(TensorCopyTest, InvalidCopiesFail) {
  alignas(16) std::array<int, 256> numbers = {};
  const MapExample tiled = {.dims = {16, 16}, .strides = {64}, .box = {8, 4}};
  const kmux_tensor_map map = tiled.encoded(numbers.data());
  const int at[] = {0, 0}, odd[] = {3, 0};
  const std::uint16_t offsets[] = {0};
  const auto load = [&](const BoxPlace& place, std::size_t to) {
    return failure_of([&] { load_box(&map, place, shared_.data() + to); });
  };
  EXPECT_THAT(load({at, 2}, 64), HasSubstr("at an address that is not a multiple of 128. Align it."));
  EXPECT_THAT(load({odd, 2}, 0), HasSubstr("innermost coordinate 3 (with elements of 4 bytes, which is not a multiple "
                                           "of 16 bytes). Use a multiple of 4."));
  EXPECT_THAT(load({at, 1}, 0), HasSubstr("has rank 2 (the instruction has 1 coordinates)"));
  EXPECT_THAT(load({at, 2, offsets}, 0), HasSubstr("whose mode is tiled (the instruction has the other one)"));
  const MapExample large = {.dims = {16, 16}, .strides = {64}, .box = {8, 16}};
  const kmux_tensor_map wide = large.encoded(numbers.data());
  EXPECT_THAT(failure_of([&] { load_box(&wide, {at, 2}, shared_.data() + kShown - 256); }),
              HasSubstr("that ends behind the memory of its block"));
}

/// Elements of a tensor and of a tile in shared memory, and what the tensor has afterwards.
struct ReductionExample {
  unsigned dtype;
  Reduction operation;
  std::vector<std::uint64_t> tensor, tile, result;
};

// The results of an H200.
std::vector<ReductionExample> reductions() {
  using enum Reduction;
  const std::vector<std::uint64_t> words = {5, 0xffffffff, 0, 9, 0x3f800000, 0x80000000, 1, 7};
  const std::vector<std::uint64_t> others = {5, 3, 7, 8, 0x7fc00000, 0, 0x80000001, 7};
  const std::vector<std::uint64_t> longs = {7, ~0ULL, 1ULL << 63, 0}, other_longs = {9, 2, 1, 1ULL << 63};
  const std::vector<std::uint64_t> halves = {0x3c00, 0x7e00, 0x3c00, 0x8000, 0, 1, 0x7bff, 0x7c01};
  const std::vector<std::uint64_t> other_halves = {0x3c01, 0x3c00, 0xfe00, 0, 0x8000, 1, 0x7bff, 0x3c00};
  const std::vector<std::uint64_t> bfloats = {0x3f80, 0x7fc1, 0x3f80, 0x8000, 0, 1, 0x7f7f, 0x7f81};
  const std::vector<std::uint64_t> other_bfloats = {0x3f81, 0x3f80, 0xffc0, 0, 0x8000, 1, 0x7f7f, 0x3f80};
  return {
      {2, kAdd, words, others, {0xa, 2, 7, 0x11, 0xbf400000, 0x80000000, 0x80000002, 14}},
      {2, kMin, words, others, {5, 3, 0, 8, 0x3f800000, 0, 1, 7}},
      {2, kMax, words, others, {5, 0xffffffff, 7, 9, 0x7fc00000, 0x80000000, 0x80000001, 7}},
      {2, kInc, words, others, {0, 0, 1, 0, 0x3f800001, 0, 2, 0}},
      {2, kDec, words, others, {4, 3, 7, 8, 0x3f7fffff, 0, 0, 6}},
      {2, kAnd, words, others, {5, 3, 0, 8, 0x3f800000, 0, 1, 7}},
      {3, kMin, words, others, {5, 0xffffffff, 0, 8, 0x3f800000, 0x80000000, 0x80000001, 7}},
      {3, kMax, words, others, {5, 3, 7, 9, 0x7fc00000, 0, 1, 7}},
      {3, kXor, words, others, {0, 0xfffffffc, 7, 1, 0x40400000, 0x80000000, 0x80000000, 0}},
      {4, kAdd, longs, other_longs, {0x10, 1, (1ULL << 63) + 1, 1ULL << 63}},
      {4, kMin, longs, other_longs, {7, 2, 1, 0}},
      {4, kOr, longs, other_longs, {0xf, ~0ULL, (1ULL << 63) + 1, 1ULL << 63}},
      {5, kMin, longs, other_longs, {7, ~0ULL, 1ULL << 63, 1ULL << 63}},
      {6, kMin, halves, other_halves, {0x3c00, 0x3c00, 0x3c00, 0x8000, 0x8000, 1, 0x7bff, 0x3c00}},
      {6, kMax, halves, other_halves, {0x3c01, 0x3c00, 0x3c00, 0, 0, 1, 0x7bff, 0x3c00}},
      {9, kMin, bfloats, other_bfloats, {0x3f80, 0x3f80, 0x3f80, 0x8000, 0x8000, 1, 0x7f7f, 0x3f80}},
      {6,
       kAdd,
       {0x3c00, 0x8000, 0, 1, 0x7bff, 0, 0, 0},
       {0x3c01, 0, 0x8000, 1, 0x7bff, 0, 0, 0},
       {0x4000, 0, 0, 2, 0x7c00, 0, 0, 0}},
      {9,
       kAdd,
       {0x3f80, 0x8000, 0, 1, 0x7f7f, 0, 0, 0},
       {0x3f81, 0, 0x8000, 1, 0x7f7f, 0, 0, 0},
       {0x4000, 0, 0, 2, 0x7f80, 0, 0, 0}},
      {7, kAdd, {5, 0x3f800000, 0x7f7fffff, 0}, {5, 0x40000000, 0x7f7fffff, 0}, {10, 0x40400000, 0x7f800000, 0}},
      {8, kAdd, {0x3ff0000000000000, 1}, {0x3ff0000000000001, 1}, {0x4000000000000000, 2}},
  };
}

std::vector<char> bytes_of(const std::vector<std::uint64_t>& numbers, unsigned size) {
  std::vector<char> bytes;
  for (const std::uint64_t number : numbers) {
    const char* const first = reinterpret_cast<const char*>(&number);
    bytes.insert(bytes.end(), first, first + size);
  }
  return bytes;
}

TEST_F(TensorCopyTest, ReducesAsHardware) {
  for (const ReductionExample& example : reductions()) {
    const unsigned size = kSizes[example.dtype];
    const std::vector<char> tile = bytes_of(example.tile, size), result = bytes_of(example.result, size);
    alignas(16) std::array<char, 64> tensor = {};
    std::ranges::copy(bytes_of(example.tensor, size), tensor.begin());
    std::ranges::copy(tile, shared_.data());
    const auto count = static_cast<unsigned>(example.tensor.size());
    const MapExample map = {.dtype = example.dtype, .dims = {count}, .strides = {}, .box = {count}};
    const kmux_tensor_map encoded = map.encoded(tensor.data());
    const int at = 0;
    reduce_box(&encoded, {&at, 1}, shared_.data(), example.operation);
    EXPECT_TRUE(std::equal(result.begin(), result.end(), tensor.begin()))
        << "dtype " << example.dtype << ", operation " << static_cast<unsigned>(example.operation);
  }
}

TEST_F(TensorCopyTest, ReductionsOfOtherTypesFail) {
  using enum Reduction;
  constexpr std::pair<unsigned, Reduction> kRefused[] = {{0, kAdd}, {1, kMin}, {3, kInc}, {4, kDec}, {5, kAdd},
                                                         {5, kOr},  {6, kAnd}, {7, kMin}, {8, kMax}, {9, kXor}};
  alignas(16) std::array<char, 64> tensor = {};
  const int at = 0;
  for (const auto& [dtype, operation] : kRefused) {
    const MapExample map = {.dtype = dtype, .dims = {16 / kSizes[dtype]}, .strides = {}, .box = {16 / kSizes[dtype]}};
    const kmux_tensor_map encoded = map.encoded(tensor.data());
    EXPECT_THAT(failure_of([&] { reduce_box(&encoded, {&at, 1}, shared_.data(), operation); }),
                HasSubstr("by an operation that the type of its tensor map does not have"))
        << dtype;
  }
}

}  // namespace
}  // namespace kmux::simt
