// The sdk's check of constant maps before compilation must agree with a launcher's check of any map at the call.
#include <random>

#include <gmock/gmock.h>

#include "kmux/validate.h"

#include "map_example.h"
#include "nvidia/launch/tensor_map.h"
#include "unit/sample_program.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

std::vector<Expr> expressions(const unsigned long long* values, unsigned count) {
  std::vector<Expr> list;
  for (unsigned i = 0; i < count; ++i) list.emplace_back(static_cast<std::int64_t>(values[i]));
  return list;
}

template <class Value>
std::vector<std::int64_t> integers(const Value* values, unsigned count) {
  return {values, values + count};
}

TensorMap map_of(const MapExample& example, bool tiled) {
  TensorMap map{.name = "A_desc", .dtype = static_cast<TensorMapDType>(example.dtype), .base = {"A"}};
  map.dims = expressions(example.dims, example.rank);
  map.strides_bytes = expressions(example.strides_bytes, example.rank - 1);
  map.element_strides = integers(example.element_strides, example.rank);
  map.interleave = static_cast<Interleave>(example.interleave);
  map.swizzle = static_cast<Swizzle>(example.swizzle);
  map.l2_promotion = static_cast<L2Promotion>(example.l2_promotion);
  map.oob_fill = static_cast<OobFill>(example.oob_fill);
  const unsigned corners = example.rank >= 3 ? example.rank - 2 : 0;
  if (tiled) {
    map.mode = TiledMap{integers(example.box, example.rank)};
  } else {
    map.mode =
        Im2colMap{integers(example.lower, corners), integers(example.upper, corners), example.channels, example.pixels};
  }
  return map;
}

std::string problems_of_sdk(const MapExample& example, bool tiled) {
  Program program = sample_program();
  program.variants[0].body.tensor_maps[0] = map_of(example, tiled);
  std::string text;
  for (const Problem& problem : validate(program)) text += problem.path + ": " + problem.message + "\n";
  return text;
}

std::string problems_of_launcher(const MapExample& example, bool tiled) {
  WrittenText error;
  if (tiled) {
    check_tiled_map(example.geometry(), example.box, error.sink());
  } else {
    check_im2col_map(example.geometry(), example.im2col(), error.sink());
  }
  return error.text;
}

// Mostly valid maps: one to three values are replaced by values near the limits.
class Drawing {
 public:
  MapExample example(bool tiled) {
    MapExample made;
    made.rank = tiled ? from({1U, 2U, 3U, 4U, 5U}) : from({3U, 4U, 5U});
    for (unsigned i = from({1U, 2U, 3U}); i > 0; --i) spoil(made);
    return made;
  }

 private:
  template <class Value>
  Value from(std::initializer_list<Value> values) {
    return values.begin()[random_() % values.size()];
  }

  void spoil(MapExample& map) {
    const unsigned at = static_cast<unsigned>(random_() % map.rank);
    switch (random_() % 9) {
      case 0:
        map.dtype = static_cast<unsigned>(random_() % 16);
        break;
      case 1:
        map.dims[at] = from({1ULL, 0ULL, 128ULL, 192ULL, 1ULL << 32, (1ULL << 32) + 1});
        break;
      case 2:
        map.strides_bytes[at % 4] = from({16ULL, 32ULL, 24ULL, 48ULL, 0ULL, (1ULL << 40) - 32, 1ULL << 40});
        break;
      case 3:
        map.element_strides[at] = from({0U, 1U, 8U, 9U});
        break;
      case 4:
        map.box[at] = from({0U, 1U, 8U, 16U, 32U, 64U, 128U, 256U, 257U});
        break;
      case 5:
        map.channels = from({0U, 1U, 8U, 64U, 128U, 256U, 257U}), map.pixels = from({0U, 1U, 1024U, 1025U});
        break;
      case 6:
        map.interleave = from({0U, 1U, 2U}), map.swizzle = static_cast<unsigned>(random_() % 7);
        break;
      case 7:
        map.oob_fill = from({0U, 1U}), map.l2_promotion = static_cast<unsigned>(random_() % 4);
        break;
      default:
        map.lower[at % 3] = from({-32768, -32769, -128, -129, -16, -17}),
                       map.upper[at % 3] = from({15, 16, 127, 128, 32768});
    }
  }

  std::mt19937 random_{5};  // NOLINT(cert-msc*): the same maps in every run
};

TEST(MapAgreementTest, ValidationAgreesWithLauncher) {
  Drawing drawing;
  int good = 0;
  constexpr int kMaps = 4000;
  for (int i = 0; i < kMaps; ++i) {
    const bool tiled = i % 2 == 0;
    const MapExample example = drawing.example(tiled);
    const std::string before = problems_of_sdk(example, tiled);
    const std::string later = problems_of_launcher(example, tiled);
    ASSERT_EQ(before.empty(), later.empty()) << "map " << i << "\n" << before << later;
    good += before.empty() ? 1 : 0;
  }
  EXPECT_GT(good, kMaps / 20);
  EXPECT_LT(good, kMaps - kMaps / 20);
}

}  // namespace
}  // namespace kmux::nvidia
