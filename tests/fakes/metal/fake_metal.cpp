#include "fake_metal.h"

#include <dlfcn.h>
#include <stdexcept>

namespace kmux {

std::string FakeMetal::library() { return KMUX_FAKE_METAL_LIBRARY; }

FakeMetal FakeMetal::load() {
  void* const library = dlopen(KMUX_FAKE_METAL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  using Entry = fake_metal::Control* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "kmux_fake_metal_control"));
  if (entry == nullptr) throw std::runtime_error(dlerror());
  FakeMetal fake(entry());
  fake.reset();
  return fake;
}

}  // namespace kmux
