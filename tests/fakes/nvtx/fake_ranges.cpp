// A profiler's range library that records its calls; CMake sets the names of its functions.
#include <string>

namespace {

std::string told;

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int KMUX_FAKE_PUSH(const char* name) {
  told.append(name).append("(");
  return 0;
}
__attribute__((visibility("default"))) int KMUX_FAKE_POP() {
  told.append(")");
  return 0;
}
__attribute__((visibility("default"))) const char* kmux_told() { return told.c_str(); }

}  // extern "C"
