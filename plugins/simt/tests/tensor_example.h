#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/plugin/sink.h"

#include "simt/units/tensor_map.h"

namespace kmux::simt {

/// What a map is encoded from. Lists have the innermost dimension first.
struct MapExample {
  unsigned dtype = 3;  // int32
  std::vector<unsigned long long> dims;
  std::vector<unsigned long long> strides;  // bytes
  std::vector<unsigned> box;                // in im2col mode: channels, pixels
  std::vector<unsigned> steps = std::vector<unsigned>(5, 1);
  std::vector<int> lower = {};  // in im2col mode
  std::vector<int> upper = {};
  unsigned swizzle = 0;
  unsigned fill = 0;
  unsigned interleave = 0;

  bool is_im2col() const { return !lower.empty(); }
  kmux_map_geometry geometry(void* base) const {
    return {
        "A",        0,       base, dtype, static_cast<unsigned>(dims.size()), dims.data(), strides.data(), steps.data(),
        interleave, swizzle, 0,    fill};
  }

  /// Encodes the map of the tensor at `base`; adds a failure to `error`.
  int encode(kmux_tensor_map& map, void* base, std::string& error) const {
    const kmux_map_geometry made = geometry(base);
    if (!is_im2col()) return kmux_cpu_encode_tiled(&map, &made, box.data(), append_to(error));
    return kmux_cpu_encode_im2col(&map, &made, lower.data(), upper.data(), box[0], box[1], append_to(error));
  }
  kmux_tensor_map encoded(void* base) const {
    kmux_tensor_map map = {};
    std::string error;
    EXPECT_EQ(encode(map, base, error), KMUX_OK) << error;
    return map;
  }
};

/// The shared memory of a block, at an address as code on fibers has it.
class SharedExample {
 public:
  static constexpr std::size_t kBytes = 1 << 18;
  SharedExample() : bytes_(static_cast<char*>(std::aligned_alloc(kBytes, kBytes)), &std::free) {}
  char* data() const { return bytes_.get(); }

 private:
  std::unique_ptr<char, decltype(&std::free)> bytes_;
};

/// Returns the text of the KernelFailure that `call` throws; empty if it throws none.
template <class Call>
std::string failure_of(Call call) {
  try {
    call();
  } catch (const std::exception& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace kmux::simt
