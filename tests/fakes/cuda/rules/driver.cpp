#include "driver.h"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace kmux::driver_rules {
namespace {

template <class Function>
void find(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr) throw std::runtime_error(std::string("the driver lacks ") + symbol);
}

void require(Code code, const char* symbol) {
  if (code != 0) throw std::runtime_error(std::string(symbol) + " failed with " + std::to_string(code));
}

}  // namespace

Driver Driver::open(void* library) {
  Driver driver;
#define KMUX_RULE_CALL(name, symbol, params) find(library, #symbol, driver.name);
  KMUX_RULE_CALLS(KMUX_RULE_CALL)
#undef KMUX_RULE_CALL
  driver.primary_reset = reinterpret_cast<Code (*)(int)>(dlsym(library, "cuDevicePrimaryCtxReset_v2"));
  require(driver.init(0), "cuInit");
  driver.enter();
  return driver;
}

void Driver::enter() {
  require(primary_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  require(current_set(context), "cuCtxSetCurrent");
  require(device_pool(&pool, 0), "cuDeviceGetDefaultMemPool");
}

}  // namespace kmux::driver_rules
