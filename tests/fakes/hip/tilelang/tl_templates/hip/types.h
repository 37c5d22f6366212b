// The declarations of TileLang's headers for HIP that exported programs without templates use. TileLang's headers need
// ROCm's; these are for the HIP on the CPU.
#pragma once

using half_t = half;
