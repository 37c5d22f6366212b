#include "nvidia/launch/driver_table.h"

#include <atomic>
#include <dlfcn.h>

#include "nvidia/launch/context.h"
#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
namespace {

std::atomic<const DriverTable*> opened_driver{nullptr};
Lock opening_driver;
DriverTable driver_functions;

template <class Function>
bool find_driver_function(void* library, const char* symbol, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, symbol));
  return *function != nullptr;
}

// Fills the table. Returns the first symbol that the library lacks; null if it has all.
const char* fill_driver_table(void* library, DriverTable* table) {
#define KMUX_CALL(name, symbol, params) \
  if (!find_driver_function(library, #symbol, &table->name)) return #symbol;
  KMUX_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
#define KMUX_CALL(name, symbol, params) find_driver_function(library, #symbol, &table->name);
  KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
  return nullptr;
}

void* open_driver_library(kmux_sink error) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* const reason = dlerror();
  fail(error, KMUX_UNAVAILABLE, "cannot open the CUDA driver \"libcuda.so.1\" (%s). Install NVIDIA's driver.",
       reason == nullptr ? "the loader gives no reason" : reason);
  return nullptr;
}

bool start_driver(void* library, kmux_sink error) {
  if (const char* const missing = fill_driver_table(library, &driver_functions)) {
    fail(error, KMUX_UNAVAILABLE, "the CUDA driver lacks \"%s\" (it is older than 12.0). Install a newer driver.",
         missing);
    return false;
  }
  const CUresult result = driver_functions.init(0);
  if (result == CUDA_SUCCESS) return true;
  fail_call(driver_functions, error, "cuInit", result, "the driver cannot be used");
  return false;
}

}  // namespace

const DriverTable* open_driver(kmux_sink error) {
  if (const DriverTable* const driver = opened_driver.load(std::memory_order_acquire)) return driver;
  const Locked locked(opening_driver);
  if (const DriverTable* const driver = opened_driver.load(std::memory_order_acquire)) return driver;
  void* const library = open_driver_library(error);
  if (library == nullptr) return nullptr;
  if (!start_driver(library, error)) {
    dlclose(library);
    return nullptr;
  }
  opened_driver.store(&driver_functions, std::memory_order_release);
  return &driver_functions;
}

}  // namespace kmux::nvidia
