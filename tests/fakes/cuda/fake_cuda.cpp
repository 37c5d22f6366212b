#include "fake_cuda.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>

namespace kmux {
namespace {

std::string symbol_of(const std::string& line) { return line.substr(0, line.find(' ')); }

}  // namespace

FakeCuda FakeCuda::load() {
  void* library = dlopen(KMUX_FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != library) {
    throw std::runtime_error("another libcuda.so.1 was opened before the fake one. Load the fake first.");
  }
  using Entry = fake_cuda::Control* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "kmux_fake_cuda_control"));
  if (entry == nullptr) throw std::runtime_error(dlerror());
  FakeCuda fake(entry());
  fake.reset();
  return fake;
}

std::vector<std::string> FakeCuda::calls(const std::string& symbol) const {
  std::vector<std::string> lines = calls();
  std::erase_if(lines, [&](const std::string& line) { return symbol_of(line) != symbol; });
  return lines;
}

std::vector<std::string> FakeCuda::symbols() const {
  std::vector<std::string> lines = calls();
  std::transform(lines.begin(), lines.end(), lines.begin(), symbol_of);
  return lines;
}

fake_cuda::TensorMapBytes FakeCuda::read_map(const void* map) {
  fake_cuda::TensorMapBytes bytes;
  std::memcpy(&bytes, map, sizeof bytes);
  if (bytes.magic != fake_cuda::kTensorMapMagic) throw std::runtime_error("the fake driver did not encode this map");
  return bytes;
}

}  // namespace kmux
