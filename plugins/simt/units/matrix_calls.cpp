// Products of matrices: mma.sync and wgmma.mma_async, done when the last lane of a warp comes to them.
#include <array>
#include <string>

#include "simt/check/fiber_block.h"
#include "simt/units/unit_calls.h"
#include "simt/units/unit_check.h"
#include "simt/units/warp_product.h"
#include "simt/units/whole_warp.h"

namespace kmux::simt {
namespace {

void check_same_product(std::span<Thread* const> lanes, std::string_view instruction) {
  const MatrixProduct& first = *operands_of<ProductOperands>(*lanes.front()).product;
  for (const Thread* const lane : lanes) {
    if (*operands_of<ProductOperands>(*lane).product != first) throw_diverged(*lane, instruction);
  }
}

void check_whole_group(const Thread& thread) {
  const kmux_cpu_grid& launch = FiberLaunch::current().launch();
  const unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  constexpr unsigned kLanesOfGroup = kGroupWarps * kWarpLanes;
  if (thread.number / kLanesOfGroup < threads / kLanesOfGroup) return;
  throw KernelFailure("\"wgmma.mma_async\" needs groups of four warps (" + place_of(thread) + "; the block has " +
                      std::to_string(threads) + " threads). Launch a multiple of 128 threads.");
}

GroupProducts& products_of(const Thread& thread) { return FiberLaunch::current().block().products[thread.group()]; }

void begin_in_group(const Thread& first) {
  check_whole_group(first);
  products_of(first).issue(first.warp_of_group());
  FiberLaunch::current().note_change();
}

// Waits until the other warps of the group have issued what this one has: only then a GPU has read all operands, and a
// thread may pass on that they can be overwritten. A group may stay open, but its wgmma come as well.
void wait_for_group() {
  FiberLaunch& launch = FiberLaunch::current();
  const GroupProducts& products = products_of(launch.thread());
  const std::uint64_t issued = products.issued(launch.thread().warp_of_group());
  while (products.done() < issued)
    launch.wait_for({.kind = Wait::Kind::kProducts,
                     .word = &products.done(),
                     .mask = ~std::uint64_t{0},
                     .unlike = products.done()});
}

// Rows of D belong to warps, so each warp of a group does its part when it comes, and waits for no other.
void multiply_together(std::span<Thread* const> lanes) {
  const bool is_by_group = operands_of<ProductOperands>(*lanes.front()).product->is_by_group;
  const std::string_view instruction = is_by_group ? "wgmma.mma_async" : "mma.sync";
  check_whole_warp(lanes, instruction);
  check_same_product(lanes, instruction);
  if (is_by_group) begin_in_group(*lanes.front());
  std::array<const ProductOperands*, kWarpLanes> operands;
  for (unsigned i = 0; i < kWarpLanes; ++i) operands[i] = &operands_of<ProductOperands>(*lanes[i]);
  SharedMemory& memory = FiberLaunch::current().memory();
  const SharedWindow window{memory.begin(), memory.bytes()};
  if (is_by_group) check_product_reads(lanes, *operands.front(), window);
  multiply_warp(operands, lanes.front()->warp_of_group(), window);
}

void multiply(const MatrixProduct* product, void* sums, const void* a, const void* b) {
  ProductOperands operands{product, sums, a, b};
  call_whole_warp(multiply_together, &operands, __builtin_return_address(0));
}

void multiply_group(const MatrixProduct* product, void* sums, const void* a, std::uint64_t a_descriptor,
                    std::uint64_t b_descriptor, unsigned is_added) {
  ProductOperands operands{product, sums, a, nullptr, a_descriptor, b_descriptor, is_added != 0};
  call_whole_warp(multiply_together, &operands, __builtin_return_address(0));
}

void multiply_sparse(const MatrixProduct* product, void* sums, const void* a, const void* b, std::uint32_t metadata) {
  ProductOperands operands{.product = product, .sums = sums, .a = a, .b = b, .metadata = metadata};
  call_whole_warp(multiply_together, &operands, __builtin_return_address(0));
}

void multiply_sparse_group(const MatrixProduct* product, void* sums, const void* a, std::uint64_t a_descriptor,
                           std::uint64_t b_descriptor, unsigned is_added, std::uint32_t metadata) {
  ProductOperands operands{product, sums, a, nullptr, a_descriptor, b_descriptor, is_added != 0, metadata};
  call_whole_warp(multiply_together, &operands, __builtin_return_address(0));
}

}  // namespace

std::span<const UnitCall> matrix_calls() {
  static const UnitCall calls[] = {
      unit_call_of("kmux.unit.mma", multiply), unit_call_of("kmux.unit.wgmma", multiply_group),
      unit_call_of("kmux.unit.wgmma_wait", wait_for_group), unit_call_of("kmux.unit.mma_sparse", multiply_sparse),
      unit_call_of("kmux.unit.wgmma_sparse", multiply_sparse_group)};
  return calls;
}

}  // namespace kmux::simt
