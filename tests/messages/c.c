// c MISTAKE: what an exported library says to a C caller. Compiled with scale.h, which `kmux export` wrote, and its library.
// Without a word: the mistakes, a line each.
#include <stdio.h>
#include <string.h>

#include "scale.h"

extern int __tvm_ffi_scale(void*, const TVMFFIAny*, int32_t, TVMFFIAny*);

static double data[8];

static DLTensor tensor(int32_t dimensions, int64_t* shape, uint8_t bits) {
  DLTensor made;
  memset(&made, 0, sizeof made);
  made.data = data;
  made.device.device_type = kDLCPU;
  made.ndim = dimensions;
  made.dtype.code = kDLFloat;
  made.dtype.bits = bits;
  made.dtype.lanes = 1;
  made.shape = shape;
  return made;
}

int main(int count, char** words) {
  int64_t eight[1] = {8}, four[1] = {4}, square[2] = {2, 4};
  DLTensor x = tensor(1, eight, 32), y = tensor(1, eight, 32), short_y = tensor(1, four, 32),
           doubles = tensor(1, eight, 64), flat = tensor(2, square, 32);
  const DLTensor* const wrong[4][2] = {{0, &y}, {&doubles, &y}, {&flat, &y}, {&x, &short_y}};
  const char* const names[4] = {"a null tensor", "a tensor of another dtype", "a tensor of another rank",
                                "an output of another shape"};
  for (int i = 0; i < 4; ++i) {
    if (count < 2) puts(names[i]);
    if (count < 2 || strcmp(words[1], names[i]) != 0) continue;
    if (scale_call(__tvm_ffi_scale, wrong[i][0], 2, wrong[i][1]) == 0) return 1;
    puts(scale_last_error());
  }
  return 0;
}
