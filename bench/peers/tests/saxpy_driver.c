// A CUDA driver without a device: memory is the host's, a launch computes saxpy at once. For tests/device_test.py,
// which compiles it into a library; SAXPY_DRIVER_FAULT injects a fault: "launch" fails, "result" is wrong.
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char* fault(void) {
  const char* const named = getenv("SAXPY_DRIVER_FAULT");
  return named == NULL ? "" : named;
}

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static char thing;  // the target of opaque handles

int cuInit(unsigned flags) { return (int)flags; }
int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int length, int device) { return strncpy(name, "saxpy only", (size_t)length), device; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuDeviceGetAttribute(int* value, int attribute, int device) { return *value = attribute == 75 ? 9 : 0, device; }
int cuDevicePrimaryCtxRetain(void** context, int device) { return *context = &thing, device; }
int cuCtxSetCurrent(void* context) { return context != &thing; }
int cuCtxSynchronize(void) { return 0; }
int cuGetErrorName(int code, const char** name) { return *name = code == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : NULL, 0; }

int cuEventCreate(double** event, unsigned flags) { return *event = malloc(sizeof **event), (int)flags; }
int cuEventRecord(double* event, void* stream) { return *event = now_ms(), stream != NULL; }
int cuEventSynchronize(double* event) { return event == NULL; }
int cuEventElapsedTime(float* elapsed, const double* begin, const double* end) {
  return *elapsed = (float)(*end - *begin), 0;
}

int cuMemAlloc_v2(unsigned long long* address, size_t size) {
  return *address = (unsigned long long)(size_t)malloc(size), *address == 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t size) {
  return memcpy((void*)(size_t)to, from, size), 0;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t size) {
  return memcpy(to, (const void*)(size_t)from, size), 0;
}

int cuModuleLoadData(void** module, const char* image) { return *module = &thing, memcmp(image, "\177ELF", 4); }
int cuModuleGetFunction(void** function, const void* module, const char* name) {
  return *function = &thing, module != &thing || strcmp(name, "saxpy") != 0;
}

int cuLaunchKernel(void* function, unsigned grid, unsigned grid_y, unsigned grid_z, unsigned block, unsigned block_y,
                   unsigned block_z, unsigned shared, void* stream, void** params, void** extra) {
  if (function != &thing || grid_y * grid_z * block_y * block_z != 1 || shared || stream || extra) return 1;
  if (strcmp(fault(), "launch") == 0) return 719;
  const float *const x = *(float**)params[0], *const y = *(float**)params[1];
  float* const z = *(float**)params[2];
  const float a = *(float*)params[3], wrong = strcmp(fault(), "result") == 0 ? 1 : 0;
  const long long n = *(long long*)params[4];
  for (long long i = 0; i < n && i < (long long)grid * block; ++i) z[i] = a * x[i] + y[i] + wrong;
  return 0;
}

// NVRTC queries an open libcuda.so.1 for private tables, and works without them.
int cuGetExportTable(const void** table, const void* id) { return *table = NULL, id == NULL ? 1 : 500; }
