#pragma once

#include "commands.h"

namespace kmux::fake_metal {

// Methods of MTLCommandBuffer.
Object* compute_encoder(CommandBuffer& self);
Object* blit_encoder(CommandBuffer& self);

}  // namespace kmux::fake_metal
