#pragma once

#include <functional>

#include "kmux/dispatch.h"

#include "kernel/adapter_slot.h"
#include "resolve/call_sample.h"

namespace kmux {

/// Tells the shapes of the first call of `slot` that succeeds, after it was launched. Later calls cost nothing more.
///
/// `tell` runs on the thread of that call.
void watch_first_call(AdapterSlot& slot, const Signature& signature, std::function<void(CallSample)> tell);

}  // namespace kmux
