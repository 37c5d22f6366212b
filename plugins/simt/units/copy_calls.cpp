// Bulk copies without a tensor map. A copy is done when it is issued: threads may only rely on it later.
#include <bit>
#include <cstring>

#include "simt/units/cluster.h"
#include "simt/units/element_reduction.h"
#include "simt/units/mbarrier.h"
#include "simt/units/unit_calls.h"
#include "simt/units/unit_check.h"

namespace kmux::simt {
namespace {

constexpr std::uint32_t kGranule = 16;  // bytes: sizes and addresses of bulk copies are multiples

void check_bulk(const void* to, const void* from, std::uint32_t bytes) {
  const auto is_aligned = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address) % kGranule == 0; };
  if (bytes % kGranule == 0 && is_aligned(to) && is_aligned(from)) return;
  throw KernelFailure("a bulk copy of " + std::to_string(bytes) +
                      " bytes (its size and both addresses must be multiples of 16). Align them.");
}

// `barrier` is null for a copy to global memory.
void check_copy(const char* to, const char* from, std::uint32_t bytes, const void* barrier) {
  check_bulk(to, from, bytes);
  check_copy_read(from, bytes, barrier);
  if (barrier != nullptr) check_copy_write(to, bytes, barrier);
}

void load(char* to, const char* from, std::uint32_t bytes, void* barrier) {
  check_copy(to, from, bytes, barrier);
  std::memmove(to, from, bytes);
  complete_transaction(barrier, bytes);
}

void load_multicast(char* to, const char* from, std::uint32_t bytes, char* barrier, unsigned blocks) {
  for (unsigned mask = blocks & 0xffff; mask != 0; mask &= mask - 1) {
    const auto rank = static_cast<unsigned>(std::countr_zero(mask));
    load(peer_address(to, rank), from, bytes, peer_address(barrier, rank));
  }
}

void store(char* to, const char* from, std::uint32_t bytes) {
  check_copy(to, from, bytes, nullptr);
  std::memmove(to, from, bytes);
}

// st.async: the values are registers of the thread, at `from`.
void store_async(char* to, const char* from, std::uint32_t bytes, void* barrier) {
  check_copy_write(to, bytes, barrier);
  std::memcpy(to, from, bytes);
  complete_transaction(barrier, bytes);
}

// `barrier` is null for a reduction in global memory.
void reduce(char* to, const char* from, std::uint32_t bytes, unsigned operation, unsigned type, void* barrier) {
  check_copy(to, from, bytes, barrier);
  reduce_elements(to, from, bytes, static_cast<Reduction>(operation), static_cast<ElementType>(type));
  if (barrier != nullptr) complete_transaction(barrier, bytes);
}

// st.bulk fills with zeros.
void clear(char* to, std::uint64_t bytes) {
  if (check_own_access(to, bytes, access_kind::kWrite) == to) std::memset(to, 0, bytes);
}

}  // namespace

std::span<const UnitCall> copy_calls() {
  static const UnitCall calls[] = {
      unit_call_of("kmux.unit.bulk.load", &load),   unit_call_of("kmux.unit.bulk.load_multicast", &load_multicast),
      unit_call_of("kmux.unit.bulk.store", &store), unit_call_of("kmux.unit.bulk.reduce", &reduce),
      unit_call_of("kmux.unit.bulk.clear", &clear), unit_call_of("kmux.unit.store.async", &store_async),
  };
  return calls;
}

}  // namespace kmux::simt
