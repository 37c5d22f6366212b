#include "nvidia/launch/tensor_map.h"

#include <cstring>

#include <gmock/gmock.h>

#include "map_example.h"
#include "recorded_driver.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kFirst[] =
    "cuTensorMapEncodeTiled dtype=6 dims=64,32 strides=1024 box=16,8 step=1 modes=0,0,2,0 base=4096";

class TensorMapsTest : public testing::Test {
 protected:
  int encode(const MapExample& example, MapSlot* slot) {
    std::memset(map_.bytes, 0xee, sizeof(map_.bytes));
    error_.text.clear();
    return encode_tiled_map(driver_.table, slot, &map_, example.geometry(), example.box, error_.sink());
  }
  // Returns the first value that the recorded driver wrote into the map.
  void* encoded_base() const {
    void* base = nullptr;
    std::memcpy(&base, map_.bytes, sizeof(base));
    return base;
  }

  RecordedDriver driver_;
  MapSlot slot_ = {};
  kmux_tensor_map map_ = {};
  WrittenText error_;
};

TEST_F(TensorMapsTest, EncodeTiledGeometry) {
  MapExample example;
  example.rank = 3;
  example.interleave = 2;
  example.swizzle = 1;
  example.oob_fill = 1;
  example.element_strides[0] = 2;
  EXPECT_EQ(encode(example, &slot_), 0);
  EXPECT_THAT(driver_.take(),
              ElementsAre("cuTensorMapEncodeTiled dtype=6 dims=64,32,16 strides=1024,4096 box=16,8,4 step=2 "
                          "modes=2,1,2,1 base=4096"));
  EXPECT_EQ(encoded_base(), example.base);
}

TEST_F(TensorMapsTest, EncodeIm2colGeometry) {
  MapExample example;
  example.rank = 4;
  EXPECT_EQ(encode_im2col_map(driver_.table, &slot_, &map_, example.geometry(), example.im2col(), error_.sink()), 0);
  EXPECT_EQ(encode_im2col_map(driver_.table, &slot_, &map_, example.geometry(), example.im2col(), error_.sink()), 0);
  EXPECT_THAT(driver_.take(),
              ElementsAre("cuTensorMapEncodeIm2col dtype=6 dims=64,32,16,8 strides=1024,4096,8192 corners=-1,1 "
                          "channels=32 pixels=64 step=1 modes=0,0,2,0 base=4096"));
  driver_.fail("cuTensorMapEncodeIm2col", CUDA_ERROR_INVALID_VALUE);
  example.dims[2] = 17;
  EXPECT_NE(encode_im2col_map(driver_.table, &slot_, &map_, example.geometry(), example.im2col(), error_.sink()), 0);
  EXPECT_THAT(error_.text, HasSubstr("cuTensorMapEncodeIm2col failed with 1 CUDA_ERROR_TEST"));
}

// The driver rejects a null address, although rank 1 has no strides to read there.
TEST_F(TensorMapsTest, PassNonNullStridesForRankOne) {
  MapExample example;
  example.rank = 1;
  kmux_map_geometry geometry = example.geometry();
  geometry.strides_bytes = nullptr;
  static bool has_address = false;
  driver_.table.encode_tiled = [](void*, int, uint32_t, void*, const uint64_t*, const uint64_t* strides,
                                  const uint32_t*, const uint32_t*, int, int, int, int) {
    has_address = strides != nullptr;
    return CUDA_SUCCESS;
  };
  EXPECT_EQ(encode_tiled_map(driver_.table, nullptr, &map_, geometry, example.box, error_.sink()), 0) << error_.text;
  EXPECT_TRUE(has_address);
}

TEST_F(TensorMapsTest, MakeNoDriverCallWhenUnchanged) {
  EXPECT_EQ(encode({}, &slot_), 0);
  EXPECT_THAT(driver_.take(), ElementsAre(kFirst));
  EXPECT_EQ(encode({}, &slot_), 0);
  EXPECT_THAT(driver_.take(), IsEmpty());
  EXPECT_EQ(encoded_base(), reinterpret_cast<void*>(0x1000));
}

TEST_F(TensorMapsTest, ReplaceAddressWhenOnlyBaseChanges) {
  MapExample example;
  EXPECT_EQ(encode(example, &slot_), 0);
  driver_.take();
  example.base = reinterpret_cast<void*>(0x2000);
  EXPECT_EQ(encode(example, &slot_), 0);
  EXPECT_THAT(driver_.take(), ElementsAre("cuTensorMapReplaceAddress base=8192"));
  EXPECT_EQ(encoded_base(), example.base);
  EXPECT_EQ(encode(example, &slot_), 0);
  EXPECT_THAT(driver_.take(), IsEmpty());
  EXPECT_EQ(encoded_base(), example.base);
}

TEST_F(TensorMapsTest, ReencodeOnShapeChange) {
  MapExample example;
  EXPECT_EQ(encode(example, &slot_), 0);
  example.dims[1] = 31;
  EXPECT_EQ(encode(example, &slot_), 0);
  example.strides_bytes[0] = 2048;
  EXPECT_EQ(encode(example, &slot_), 0);
  EXPECT_THAT(
      driver_.take(),
      ElementsAre(kFirst,
                  "cuTensorMapEncodeTiled dtype=6 dims=64,31 strides=1024 box=16,8 step=1 modes=0,0,2,0 base=4096",
                  "cuTensorMapEncodeTiled dtype=6 dims=64,31 strides=2048 box=16,8 step=1 modes=0,0,2,0 base=4096"));
}

TEST_F(TensorMapsTest, CheckNewAddressBeforeReplacement) {
  MapExample example;
  EXPECT_EQ(encode(example, &slot_), 0);
  driver_.take();
  example.base = reinterpret_cast<void*>(0x2008);
  EXPECT_EQ(encode(example, &slot_), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error_.text, HasSubstr("the base is 0x2008 (not a multiple of 16 bytes)"));
  EXPECT_THAT(driver_.take(), IsEmpty());
  EXPECT_EQ(encode({}, &slot_), 0);
  EXPECT_THAT(driver_.take(), ElementsAre(kFirst));
}

TEST_F(TensorMapsTest, RejectConstraintViolationsWithoutDriverCall) {
  MapExample example;
  example.strides_bytes[0] = 24;
  EXPECT_EQ(encode(example, &slot_), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error_.text, HasSubstr("stride 0 is 24 (not a multiple of 16)"));
  EXPECT_EQ(encode(example, nullptr), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(driver_.take(), IsEmpty());
}

TEST_F(TensorMapsTest, ReencodeEachTimeWithoutSlot) {
  EXPECT_EQ(encode({}, nullptr), 0);
  EXPECT_EQ(encode({}, nullptr), 0);
  EXPECT_THAT(driver_.take(), ElementsAre(kFirst, kFirst));
  EXPECT_EQ(encoded_base(), reinterpret_cast<void*>(0x1000));
}

TEST_F(TensorMapsTest, MarkEmptyMapsWithoutDriverCall) {
  EXPECT_EQ(encode({}, &slot_), 0);
  driver_.take();
  MapExample example;
  example.dims[1] = 0;
  example.base = nullptr;
  for (MapSlot* slot : {&slot_, static_cast<MapSlot*>(nullptr)}) {
    EXPECT_EQ(encode(example, slot), kEmptyMap);
    const EmptyMap* const empty = empty_map_in(&map_, sizeof map_);
    ASSERT_NE(empty, nullptr);
    EXPECT_STREQ(empty->name, "A_desc");
    EXPECT_EQ(empty->dim, 1U);
  }
  struct alignas(64) Record {
    char before[64];
    kmux_tensor_map map;
  } record = {};
  EXPECT_EQ(empty_map_in(&record, sizeof record), nullptr);
  record.map = map_;
  EXPECT_EQ(static_cast<const void*>(empty_map_in(&record, sizeof record)), &record.map);
  EXPECT_EQ(error_.text, "");
  EXPECT_EQ(encode({}, &slot_), 0);
  EXPECT_EQ(empty_map_in(&map_, sizeof map_), nullptr);
  EXPECT_EQ(empty_map_in(&map_, 8), nullptr);
  EXPECT_THAT(driver_.take(), IsEmpty()) << "the slot still has its map";
}

TEST_F(TensorMapsTest, DiscardSlotAfterFailedEncode) {
  EXPECT_EQ(encode({}, &slot_), 0);
  MapExample other;
  other.dims[0] = 128;
  driver_.fail("cuTensorMapEncodeTiled", CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(encode(other, &slot_), 0);
  EXPECT_THAT(error_.text,
              HasSubstr("cuTensorMapEncodeTiled failed with 1 CUDA_ERROR_TEST (a test asked for it; tensor "
                        "map \"A_desc\")"));
  driver_.take();
  EXPECT_EQ(encode({}, &slot_), 0);
  EXPECT_THAT(driver_.take(), ElementsAre(kFirst));
}

TEST_F(TensorMapsTest, DiscardSlotAfterFailedAddressReplacement) {
  EXPECT_EQ(encode({}, &slot_), 0);
  MapExample moved;
  moved.base = reinterpret_cast<void*>(0x2000);
  driver_.fail("cuTensorMapReplaceAddress", CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(encode(moved, &slot_), 0);
  EXPECT_THAT(error_.text, HasSubstr("cuTensorMapReplaceAddress failed with 1"));
  driver_.take();
  EXPECT_EQ(encode({}, &slot_), 0);
  EXPECT_THAT(driver_.take(), ElementsAre(kFirst));
}

TEST_F(TensorMapsTest, ReencodeOnceAfterRejectedMap) {
  MapExample wrong;
  wrong.box[0] = 0;
  wrong.dims[0] = 65;
  EXPECT_EQ(encode({}, &slot_), 0);
  EXPECT_EQ(encode(wrong, &slot_), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(encode({}, &slot_), 0);
  EXPECT_EQ(encode({}, &slot_), 0);
  EXPECT_THAT(driver_.take(), ElementsAre(kFirst, kFirst));
}

}  // namespace
}  // namespace kmux::nvidia
