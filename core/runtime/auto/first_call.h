#pragma once

#include <functional>

#include "kmux/dispatch.h"

#include "call_sample.h"
#include "src/adapter_slot.h"

namespace kmux {

/// Tells the shapes of the first call of `slot` that succeeds, after it was launched. Later calls cost nothing more.
///
/// `tell` runs on the thread of that call.
void watch_first_call(AdapterSlot& slot, const Signature& signature, std::function<void(CallSample)> tell);

}  // namespace kmux
