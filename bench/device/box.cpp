#include "box.h"

#include <functional>
#include <numeric>

namespace kmux::suite {
namespace {

// Visits all indices of `extents`, the first dimension fastest.
void for_each(const Shape& extents, const std::function<void(const Shape&)>& visit) {
  Shape index(extents.size(), 0);
  const std::int64_t count =
      std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<std::int64_t>());
  for (std::int64_t i = 0; i < count; ++i) {
    visit(index);
    for (std::size_t d = 0; d < index.size() && ++index[d] == extents[d]; ++d) index[d] = 0;
  }
}

// Returns the element at `at`, or `fill` outside of the tensor.
double element_at(const Shape& dims, const Shape& at, double fill) {
  std::int64_t offset = 0;
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (at[d] < 0 || at[d] >= dims[d]) return fill;
    offset = offset * dims[d] + at[d];
  }
  return static_cast<double>(offset);
}

// Returns the offset bits within 128-byte rows that are xored with row bits.
std::int64_t swizzle_mask(Swizzle swizzle) {
  if (swizzle == Swizzle::k32B) return 0x10;
  if (swizzle == Swizzle::k64B) return 0x30;
  return swizzle == Swizzle::k128B ? 0x70 : 0;
}

std::string names(const std::string& letter, std::size_t count, const std::string& before) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += before + letter + std::to_string(i);
  return text;
}

// Returns "{%2, %3}", `count` operands from number `first` on.
std::string places(std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + std::to_string(first + i);
  return "{" + text + "}";
}

std::string operands(const std::string& constraint, const std::string& letter, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += ", \"" + constraint + "\"(" + letter + std::to_string(i) + ")";
  return text;
}

constexpr const char* kBegin = R"(
struct alignas(64) Map { char bytes[128]; };
__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
)";

constexpr const char* kPrepare = R"(
  extern __shared__ unsigned char memory[];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned char* const box = memory + (1024 - shared_address(memory) % 1024) % 1024;
  const unsigned ready = shared_address(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(ready) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(ready), "r"(bytes) : "memory");
)";

constexpr const char* kFinish = R"(
  }
  __syncthreads();
  const long long begin = clock64();
  for (int done = 0; !done;) {
    if (clock64() - begin > 4000000000) __trap();  // fewer bytes came than were asked for
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(ready) : "memory");
  }
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = box[i];
}
)";

}  // namespace

Shape packed_strides(const Shape& dims) {
  Shape strides;
  std::int64_t stride = 1;
  for (const std::int64_t dim : dims) {
    strides.push_back(stride);
    stride *= dim;
  }
  return strides;
}

std::int64_t Box::element_count() const { return static_cast<std::int64_t>(expected().size()); }

Numbers Box::expected() const {
  Shape extents = box;
  Shape steps = element_strides.empty() ? Shape(box.size(), 1) : element_strides;
  for (std::size_t d = 0; d < box.size(); ++d) extents[d] = (box[d] + steps[d] - 1) / steps[d];
  Numbers numbers;
  for_each(extents, [&](const Shape& index) {
    Shape at = corner;
    for (std::size_t d = 0; d < at.size(); ++d) at[d] += index[d] * steps[d];
    numbers.push_back(element_at(dims, at, fill));
  });
  return numbers;
}

// Source: PTX ISA, "im2col mode": the position goes from lower corner to dimension - 1 + upper corner.
Numbers Columns::expected() const {
  Numbers numbers;
  Shape position = corner;
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      Shape at = position;
      at[0] += channel;
      for (std::size_t d = 0; d < offsets.size(); ++d) at[d + 1] += offsets[d];
      numbers.push_back(element_at(dims, at, 0));
    }
    ++position[1];
    for (std::size_t d = 0; d < lower.size() && position[d + 1] > dims[d + 1] - 1 + upper[d]; ++d) {
      position[d + 1] = lower[d];
      ++position[d + 2];
    }
  }
  return numbers;
}

Numbers swizzled(const Numbers& numbers, std::int64_t element_bytes, Swizzle swizzle) {
  Numbers turned(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t byte = static_cast<std::int64_t>(i) * element_bytes;
    turned[static_cast<std::size_t>((byte ^ ((byte >> 3) & swizzle_mask(swizzle))) / element_bytes)] = numbers[i];
  }
  return turned;
}

std::string load_kernel(std::size_t rank, bool is_im2col) {
  const std::size_t offsets = is_im2col ? rank - 2 : 0;
  std::string text = kBegin;
  text += "extern \"C\" __global__ void load(const __grid_constant__ Map map, unsigned char* out, int bytes";
  text += names("c", rank, ", int ") + names("o", offsets, ", unsigned short ") + ") {";
  text += kPrepare;
  text += "    asm volatile(\"cp.async.bulk.tensor." + std::to_string(rank) + "d.shared::cluster.global";
  text += is_im2col ? ".im2col" : "";
  text += ".mbarrier::complete_tx::bytes [%0], [%1, " + places(3, rank) + "], [%2]";
  text += offsets > 0 ? ", " + places(3 + rank, offsets) : "";
  text += ";\"\n        :: \"r\"(shared_address(box)), \"l\"(&map), \"r\"(ready)" + operands("r", "c", rank) +
          operands("h", "o", offsets) + " : \"memory\");";
  return text + kFinish;
}

void add_load_arguments(LaunchBuilder& launch, std::int64_t bytes, const Shape& corner, const Shape& offsets) {
  launch.arg(bytes);
  for (const std::int64_t coordinate : corner) launch.arg(coordinate);
  for (const std::int64_t offset : offsets) launch.arg(offset, dtype::kUInt16);
}

}  // namespace kmux::suite
