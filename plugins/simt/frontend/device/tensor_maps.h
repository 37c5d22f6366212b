// Tensor maps, which kernels take from launches and pass on to copies.
#pragma once

struct alignas(64) CUtensorMap_st {
  unsigned long long opaque[16];
};
typedef struct CUtensorMap_st CUtensorMap;
