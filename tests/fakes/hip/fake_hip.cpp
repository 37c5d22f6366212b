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
  if (query() == nullptr) throw std::runtime_error(path + ": its device is no fake");
  const FakeHip fake(query());
  fake->reset();
  return fake;
}

std::string FakeHip::path() {
  const char* const named = std::getenv("KMUX_FAKE_HIP_LIBRARY");
  return named == nullptr ? KMUX_FAKE_HIP_LIBRARY : named;
}

}  // namespace kmux
