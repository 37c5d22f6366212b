// A library of profilers' ranges that writes down what it is told; its functions are called as CMake says.
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
