#pragma once

#include "device_memory.h"

namespace kmux {

/// The capture that records `stream` of `device` now; 0: none does.
Result<std::uint64_t> capture_of(const Device& device, void* stream);

/// Frees a block as the table of `DeviceMemory` has it: now, in stream order, or once its stream is not captured any more.
/// Failures are logged.
void release_block(OwnedBlock block) noexcept;

/// Frees what had to wait for the end of a capture, where that has come. Nearly free where nothing waits.
void release_deferred_blocks() noexcept;

}  // namespace kmux
