/* An application in C11 that knows an exported library by its header alone. It is compiled by the test, and runs without
 * kmux, a compiler, Python or libtvm_ffi. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "axpy.h"

static DLTensor vector(float* data, int64_t* count) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = 1;
  tensor.dtype.code = kDLFloat;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = count;
  return tensor;
}

/* Prints the names of libraries that must not be there. */
static void print_strangers(void) {
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "libkmux") != NULL || strstr(line, "tvm") != NULL || strstr(line, "libstdc++") != NULL ||
        strstr(line, "libLLVM") != NULL || strstr(line, "python") != NULL) {
      printf("stranger: %s", line);
    }
  }
  if (maps != NULL) fclose(maps);
}

int main(int argc, char** argv) {
  float x[] = {1, 2, 3}, y[] = {10, 20, 30};
  int64_t three = 3, two = 2;
  DLTensor a = vector(x, &three), b = vector(y, &three), shorter = vector(y, &two);
  void* library = argc < 2 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return printf("%s\n", dlerror()), 1;
  TVMFFISafeCallType call;
  int (*on_stream)(void*, const TVMFFIAny*, int32_t);
  const char* (*last_error)(void);
  *(void**)&call = dlsym(library, "__tvm_ffi_axpy");
  *(void**)&on_stream = dlsym(library, "axpy_on_stream");
  *(void**)&last_error = dlsym(library, "axpy_last_error");
  int code = axpy_call(call, 2, &a, &b);
  printf("%d %g %g %g\n", code, y[0], y[1], y[2]);
  code = axpy_call_on(on_stream, NULL, 2, &a, &b);
  printf("%d %g %g %g\n", code, y[0], y[1], y[2]);
  code = axpy_call(call, 2, &a, &shorter);
  printf("%d %s\n", code, last_error());
  print_strangers();
  return 0;
}
