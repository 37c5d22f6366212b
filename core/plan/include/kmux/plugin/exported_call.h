#pragma once

#include <string_view>

#include "kmux/plugin/emit.h"
#include "kmux/plugin/plan.h"

namespace kmux {

/// Prints `extern "C" int call(...)`: parameters in the order of the signature, then the symbols of shapes, then those of
/// strides, then the stream. Buffers and pointers are `void*`; scalars have their own type, or the unsigned integer of
/// their width where C++17 has none (float16, bfloat16, float8); symbols are `long long`. What it prints calls
/// `static int kmux_call_alone(const kmux_slot* slots, void* stream)`, which the unit defines.
void emit_exported_call(CodeWriter& out, const Plan& plan, std::string_view stream_type = "void*");

}  // namespace kmux
