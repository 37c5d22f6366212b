// What TileLang's headers for HIP declare, as far as exported programs without templates use it. Theirs want ROCm's
// headers; these are for the HIP on the CPU.
#pragma once

using half_t = half;
