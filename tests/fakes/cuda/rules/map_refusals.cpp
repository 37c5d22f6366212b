// Rules of tensor maps that a driver refuses: each is a valid map with one value changed.
#include <utility>

#include "groups.h"

namespace kmux::driver_rules {
namespace {

// 64 x 32 floats of 16 bits in rows of 128 bytes, and the box that one load reads.
struct Map {
  int dtype = 6;  // CU_TENSOR_MAP_DATA_TYPE_FLOAT16
  unsigned rank = 4;
  std::uint64_t dims[6] = {64, 32, 4, 2, 1, 1};
  std::uint64_t strides[5] = {128, 4096, 16384, 32768, 32768};
  unsigned box[6] = {64, 8, 1, 1, 1, 1};
  unsigned element_strides[6] = {1, 1, 1, 1, 1, 1};
  int lower[3] = {-1, -2, 0}, upper[3] = {1, 2, 0};
  unsigned channels = 64, pixels = 128;
  int interleave = 0, swizzle = 3, l2_promotion = 2, oob_fill = 0;
  bool has_strides = true;
  unsigned map_offset = 0, base_offset = 0;  // in bytes
};

using Change = void (*)(Map&);

Code encode(Scene& scene, const Map& map, bool tiled) {
  alignas(64) static unsigned char bytes[256];
  void* const to = bytes + map.map_offset;
  const Address base = scene.memory() + map.base_offset;
  const std::uint64_t* const strides = map.has_strides ? map.strides : nullptr;
  if (tiled) {
    return scene.cu.encode_tiled(to, map.dtype, map.rank, reinterpret_cast<void*>(base), map.dims, strides, map.box,
                                 map.element_strides, map.interleave, map.swizzle, map.l2_promotion, map.oob_fill);
  }
  return scene.cu.encode_im2col(to, map.dtype, map.rank, reinterpret_cast<void*>(base), map.dims, strides, map.lower,
                                map.upper, map.channels, map.pixels, map.element_strides, map.interleave, map.swizzle,
                                map.l2_promotion, map.oob_fill);
}

// Encodes a valid map at an address `bytes` past a multiple of 16.
std::string moved(Scene& scene, unsigned bytes) {
  alignas(64) static unsigned char map[128];
  const Map good;
  const Address base = scene.memory();
  scene.cu.encode_tiled(map, good.dtype, good.rank, reinterpret_cast<void*>(base), good.dims, good.strides, good.box,
                        good.element_strides, good.interleave, good.swizzle, good.l2_promotion, good.oob_fill);
  return told({{"code", scene.cu.replace_address(map, reinterpret_cast<void*>(base + bytes))}});
}

struct NamedChange {
  const char* name;
  const char* sentence;
  Change change;
};

// Values that a driver accepts against its documentation.
constexpr NamedChange kTaken[] = {
    {"map", "A tensor map is encoded.", [](Map&) {}},
    {"aligned", "... wherever it lies: only launches want a multiple of 64 bytes.", [](Map& m) { m.map_offset = 32; }},
    {"interleave_swizzle", "... interleaved by 32 bytes with every swizzle.", [](Map& m) { m.interleave = 2; }},
};

constexpr NamedChange kOfBoth[] = {
    {"base", "Its memory lies at a multiple of 16 bytes.", [](Map& m) { m.base_offset = 8; }},
    {"dtype", "It has the types that there are.", [](Map& m) { m.dtype = 99; }},
    {"rank", "It has at most five dimensions.", [](Map& m) { m.rank = 6; }},
    {"no_rank", "It has dimensions.", [](Map& m) { m.rank = 0; }},
    {"empty", "They have elements.", [](Map& m) { m.dims[1] = 0; }},
    {"dim", "... at most 2^32.", [](Map& m) { m.dims[1] = (std::uint64_t{1} << 32) + 1; }},
    {"stride", "Rows lie multiples of 16 bytes from each other.", [](Map& m) { m.strides[0] = 136; }},
    {"far", "... less than 2^40.", [](Map& m) { m.strides[2] = std::uint64_t{1} << 40; }},
    {"element_stride", "Elements are at most eight apart.", [](Map& m) { m.element_strides[1] = 9; }},
    {"no_element_stride", "... at least one.", [](Map& m) { m.element_strides[1] = 0; }},
    {"interleave", "It is interleaved in the ways that there are.", [](Map& m) { m.interleave = 3; }},
    {"swizzle", "It has the swizzles that there are.", [](Map& m) { m.swizzle = 9; }},
    {"span", "What is read of a row fits into what the swizzle spans.", [](Map& m) { m.swizzle = 1; }},
    {"promotion", "It has the promotions that there are.", [](Map& m) { m.l2_promotion = 4; }},
    {"fill", "It has the fills that there are.", [](Map& m) { m.oob_fill = 2; }},
    {"integer_fill", "... one of which is not for integers.", [](Map& m) { m.dtype = 1, m.oob_fill = 1; }},
    {"units", "What is read of a row has multiples of 16 bytes.",
     [](Map& m) { m.box[0] = m.channels = 4, m.swizzle = 0; }},
};

constexpr NamedChange kOfTiled[] = {
    {"box", "A box has at most 256 elements a side.", [](Map& m) { m.box[1] = 257; }},
    {"no_box", "... at least one.", [](Map& m) { m.box[1] = 0; }},
    {"flat_interleave", "Only three dimensions are interleaved.", [](Map& m) { m.rank = 2, m.interleave = 1; }},
    {"no_strides", "The strides of one dimension, of which there are none, have an address.",
     [](Map& m) { m.rank = 1, m.has_strides = false; }},
};

constexpr NamedChange kOfIm2col[] = {
    {"flat", "Images have three dimensions.", [](Map& m) { m.rank = 2; }},
    {"lower", "A corner of rank 4 has 8 bits.", [](Map& m) { m.lower[0] = -129; }},
    {"upper", "... both have.", [](Map& m) { m.upper[1] = 128; }},
    {"channels", "A pixel has at most 256 channels.", [](Map& m) { m.channels = 264, m.swizzle = 0; }},
    {"pixels", "A column has at most 1024 pixels.", [](Map& m) { m.pixels = 1025; }},
};

Rule rule_of(const char* mode, const NamedChange& named, bool tiled, const char* expected) {
  const Change change = named.change;
  return {std::string(expected == std::string("code 0") ? "take." : "refuse.") + mode + "." + named.name,
          named.sentence,
          [change, tiled](Scene& scene) {
            Map map;
            change(map);
            return told({{"code", encode(scene, map, tiled)}});
          },
          expected};
}

}  // namespace

// Returns rules that require a device of compute capability 9.0.
std::vector<Rule> map_refusal_rules() {
  std::vector<Rule> rules;
  for (const bool tiled : {true, false}) {
    const char* const mode = tiled ? "tiled" : "im2col";
    for (const NamedChange& each : kTaken) rules.push_back(rule_of(mode, each, tiled, "code 0"));
    for (const NamedChange& each : kOfBoth) rules.push_back(rule_of(mode, each, tiled, "code 1"));
  }
  rules.push_back({"take.map.moved", "A map gets another address,", [](Scene& s) { return moved(s, 16); }, "code 0"});
  rules.push_back(
      {"refuse.map.moved", "... at a multiple of 16 bytes.", [](Scene& s) { return moved(s, 8); }, "code 1"});
  for (const NamedChange& each : kOfTiled) rules.push_back(rule_of("tiled", each, true, "code 1"));
  for (const NamedChange& each : kOfIm2col) rules.push_back(rule_of("im2col", each, false, "code 1"));
  return rules;
}

}  // namespace kmux::driver_rules
