#pragma once

#include "simt/ptx/instruction.h"

namespace kmux::simt::ptx {

/// Takes the state space of shared memory, of the block or of its cluster. Returns true if there was one.
bool take_shared(Instruction& instruction);

/// Returns `operand`, a register or number, as a pointer.
///
/// `is_shared`: it is in the shared memory of the block, or of another one of its cluster. Such an address is a generic
/// one, or its lower 32 bits. The shared memories of a cluster lie within 2 GiB, so any address of them completes another.
Result<Value*> register_address(Emitter& emitter, const Operand& operand, bool is_shared);

/// Returns the address "[a + 4]" as a pointer. `is_shared`: as above.
Result<Value*> address(Emitter& emitter, const Operand& operand, bool is_shared);

}  // namespace kmux::simt::ptx
