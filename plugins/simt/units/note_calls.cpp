// Notes for checks: fences and groups, which have no effect on values here. Only checked kernels call them.
#include "simt/units/unit_calls.h"
#include "simt/units/unit_check.h"
#include "simt/units/whole_warp.h"

namespace kmux::simt {
namespace {

ThreadClock& clock() { return *FiberLaunch::current().thread().clock; }

void note_proxy_fence() { clock().fence(); }
void note_register_fence() {}

void commit_products() { clock().products.commit(); }
void wait_for_products(unsigned left) { clock().products.wait(left); }
void commit_bulk() { clock().bulk.commit(); }
void wait_for_bulk(unsigned left) { clock().bulk.wait(left); }
void commit_copies() { clock().copies.commit(); }
void wait_for_copies(unsigned left) { clock().copies.wait(left); }

void ask_together(std::span<Thread* const> lanes) {
  check_whole_warp(lanes, "setmaxnreg");
  check_registers(lanes, operands_of<unsigned>(*lanes.front()));
}

void ask_for_registers(unsigned registers) { call_whole_warp(ask_together, &registers, __builtin_return_address(0)); }

void wait_for_all_copies() {
  clock().copies.commit();
  clock().copies.wait(0);
}

}  // namespace

std::span<const UnitCall> note_calls() {
  static const UnitCall calls[] = {
      unit_call_of("kmux.note.fence_proxy", &note_proxy_fence),
      unit_call_of("kmux.note.wgmma_fence", &note_register_fence),
      unit_call_of("kmux.note.wgmma_commit", &commit_products),
      unit_call_of("kmux.note.wgmma_wait", &wait_for_products),
      unit_call_of("kmux.note.registers", &ask_for_registers),
      unit_call_of("kmux.note.bulk_commit", &commit_bulk),
      unit_call_of("kmux.note.bulk_wait", &wait_for_bulk),
      unit_call_of("kmux.note.copy", &check_small_copy),
      unit_call_of("kmux.note.copy_arrive", &arrive_copies),
      unit_call_of("kmux.note.copy_commit", &commit_copies),
      unit_call_of("kmux.note.copy_wait", &wait_for_copies),
      unit_call_of("kmux.note.copy_wait_all", &wait_for_all_copies),
  };
  return calls;
}

}  // namespace kmux::simt
