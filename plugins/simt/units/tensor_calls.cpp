// Copies by tensor maps. A copy is done when it is issued: threads may only rely on it later.
#include <bit>

#include "simt/units/cluster.h"
#include "simt/units/mbarrier.h"
#include "simt/units/tensor_copy.h"
#include "simt/units/tensor_fields.h"
#include "simt/units/tensor_map.h"
#include "simt/units/unit_calls.h"
#include "simt/units/unit_check.h"

namespace kmux::simt {
namespace {

// `offsets` is null in tiled mode.
void tensor_load(const void* map, char* to, const int* coordinates, unsigned rank, const unsigned short* offsets,
                 void* barrier) {
  const BoxPlace place = {coordinates, rank, offsets};
  const std::uint32_t bytes = load_box(map, place, to);
  if (is_checked()) check_copy_write(to, box_extent(map, place), barrier, read_map(map, rank).swizzle);
  complete_transaction(barrier, bytes);
}

// Copies to each block of the bits in `blocks`, at the same offset as `to`, and completes at the same mbarrier in each.
void tensor_load_multicast(const void* map, char* to, const int* coordinates, unsigned rank,
                           const unsigned short* offsets, void* barrier, unsigned short blocks) {
  for (unsigned mask = blocks; mask != 0; mask &= mask - 1) {
    const auto block = static_cast<unsigned>(std::countr_zero(mask));
    tensor_load(map, peer_address(to, block), coordinates, rank, offsets, peer_address(barrier, block));
  }
}

// Checks the read of a box in shared memory.
void check_box_read(const void* map, const BoxPlace& place, const char* from) {
  if (is_checked()) check_copy_read(from, box_extent(map, place), nullptr);
}

void tensor_store(const void* map, const char* from, const int* coordinates, unsigned rank) {
  check_box_read(map, {coordinates, rank}, from);
  store_box(map, {coordinates, rank}, from);
}

void tensor_reduce(const void* map, const char* from, const int* coordinates, unsigned rank, unsigned operation) {
  check_box_read(map, {coordinates, rank}, from);
  reduce_box(map, {coordinates, rank}, from, static_cast<Reduction>(operation));
}

void tensor_replace(void* map, unsigned field, unsigned dimension, unsigned long long value) {
  replace_field(map, static_cast<TensorField>(field), dimension, value);
}

}  // namespace

std::span<const UnitCall> tensor_calls() {
  static const UnitCall calls[] = {
      unit_call_of("kmux.unit.tensor.load", &tensor_load),
      unit_call_of("kmux.unit.tensor.load_multicast", &tensor_load_multicast),
      unit_call_of("kmux.unit.tensor.store", &tensor_store),
      unit_call_of("kmux.unit.tensor.reduce", &tensor_reduce),
      unit_call_of("kmux.unit.tensor.replace", &tensor_replace),
      unit_call_of("kmux_cpu_encode_tiled", &kmux_cpu_encode_tiled),
      unit_call_of("kmux_cpu_encode_im2col", &kmux_cpu_encode_im2col),
      unit_call_of("kmux_cpu_check_map", &kmux_cpu_check_map),
  };
  return calls;
}

}  // namespace kmux::simt
