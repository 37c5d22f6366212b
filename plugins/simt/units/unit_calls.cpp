#include "simt/units/unit_calls.h"

#include <algorithm>

namespace kmux::simt {

void* unit_call(std::string_view symbol) {
  for (const std::span<const UnitCall> calls :
       {barrier_calls(), copy_calls(), matrix_calls(), matrix_move_calls(), note_calls(), tensor_calls()}) {
    const auto found = std::ranges::find(calls, symbol, &UnitCall::name);
    if (found != calls.end()) return found->address;
  }
  return nullptr;
}

}  // namespace kmux::simt
