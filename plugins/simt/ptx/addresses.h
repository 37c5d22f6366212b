#pragma once

#include "simt/ptx/emitter.h"

namespace kmux::simt::ptx {

/// Returns `operand`, an address in the shared memory of the block, as a pointer. Such an address is a generic one, or
/// its lower 32 bits. The shared memory of a block is smaller than 2 GiB, so any address of it completes another.
Result<Value*> shared_address(Emitter& emitter, const Operand& operand);

/// Returns the address "[a + 4]" as a pointer. `is_shared`: it is in the shared memory of the block.
Result<Value*> address(Emitter& emitter, const Operand& operand, bool is_shared);

}  // namespace kmux::simt::ptx
