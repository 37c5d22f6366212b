#pragma once

#include <span>
#include <string_view>

namespace kmux::simt {

/// A function by which code on fibers uses a unit of a GPU: "kmux.unit." and its name, and its address.
///
/// Threads: called by the running thread of a FiberLaunch.
struct UnitCall {
  std::string_view name;
  void* address;
};

template <class F>
UnitCall unit_call_of(std::string_view name, F* function) {
  return {name, reinterpret_cast<void*>(function)};
}

// One file each.
std::span<const UnitCall> barrier_calls();  // mbarrier, named barriers, clusters
std::span<const UnitCall> copy_calls();  // bulk copies without a tensor map
std::span<const UnitCall> matrix_calls();  // products of matrices by warps
std::span<const UnitCall> matrix_move_calls();  // of matrices between shared memory and registers
std::span<const UnitCall> note_calls();  // notes for checks, "kmux.note." and a name
std::span<const UnitCall> tensor_calls();  // copies by tensor maps, and functions by which launchers encode these

/// Returns the address of the function `symbol`, or null for other symbols.
void* unit_call(std::string_view symbol);

}  // namespace kmux::simt
