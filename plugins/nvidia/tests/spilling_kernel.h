#pragma once

#include <string_view>

namespace kmux::nvidia {

/// Kernel "k" over a float32 buffer, which spills if a thread has only 24 registers.
inline constexpr const char* kSpilling = R"(extern "C" __global__ void k(float* x) {
  float a[64], sum = 0;
  for (int i = 0; i < 64; ++i) a[i] = x[i * 7 % gridDim.x];
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i + k) % 64] + 1;
  for (int i = 0; i < 64; ++i) sum += a[i];
  x[threadIdx.x] = sum;
}
)";

/// Returns the number of spill warnings in `log`.
inline int spill_warnings(std::string_view log) {
  constexpr std::string_view kWarning = "Registers are spilled to local memory in function 'k'";
  int count = 0;
  for (std::size_t at = log.find(kWarning); at != log.npos; at = log.find(kWarning, at + 1)) ++count;
  return count;
}

}  // namespace kmux::nvidia
