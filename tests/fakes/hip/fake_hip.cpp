#include "fake_hip.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

namespace kmux {

FakeHip FakeHip::load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  using Query = fake_hip::Control*();
  auto* const query = reinterpret_cast<Query*>(dlsym(library, "kmux_fake_hip_control"));
  if (query == nullptr) throw std::runtime_error(dlerror());
  if (query() == nullptr) throw std::runtime_error(path + ": its device is not a fake");
  const FakeHip fake(query());
  fake->reset();
  return fake;
}

std::string FakeHip::path() {
  const char* const other = std::getenv("KMUX_FAKE_HIP_LIBRARY");
  return other == nullptr ? KMUX_FAKE_HIP_LIBRARY : other;
}

bool FakeHip::compiles() {
  if (std::getenv("KMUX_FAKE_HIP_LIBRARY") == nullptr) return true;  // the one on the CPU includes a compiler
  void* const library = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  using Create = int(void**, const char*, const char*, int, const char**, const char**);
  using Destroy = int(void**);
  auto* const create = reinterpret_cast<Create*>(dlsym(library, "hiprtcCreateProgram"));
  auto* const destroy = reinterpret_cast<Destroy*>(dlsym(library, "hiprtcDestroyProgram"));
  void* program = nullptr;
  return create != nullptr && destroy != nullptr && create(&program, "", "empty.hip", 0, nullptr, nullptr) == 0 &&
         destroy(&program) == 0;
}

}  // namespace kmux
