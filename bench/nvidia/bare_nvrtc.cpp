#include "bare_nvrtc.h"

#include <dlfcn.h>
#include <fstream>
#include <stdexcept>

namespace kmux::bench {

using nvrtc::NvrtcProgram;
using nvrtc::NvrtcResult;

BareNvrtc::BareNvrtc(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
#define KMUX_NVRTC_CALL(name, symbol, params) \
  calls_.name = reinterpret_cast<NvrtcResult(*) params>(dlsym(library, #symbol));
  KMUX_NVRTC_CALLS(KMUX_NVRTC_CALL)
#undef KMUX_NVRTC_CALL
}

void BareNvrtc::compile(const std::string& text, const std::vector<std::string>& options) const {
  NvrtcProgram program = nullptr;
  calls_.create(&program, text.c_str(), "bare.cu", 0, nullptr, nullptr);
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const NvrtcResult result = calls_.compile(program, static_cast<int>(pointers.size()), pointers.data());
  std::size_t bytes = 0;
  if (result == NvrtcResult::kSuccess) {
    calls_.code_size(program, &bytes);
    std::string code(bytes, '\0');
    calls_.code(program, code.data());
  }
  std::size_t log_bytes = 0;
  calls_.log_size(program, &log_bytes);
  std::string log(log_bytes, '\0');
  calls_.log(program, log.data());
  calls_.destroy(&program);
  if (result != NvrtcResult::kSuccess) throw std::runtime_error("NVRTC does not compile: " + log);
}

std::string open_nvrtc() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t begin = line.find('/');
    if (begin != line.npos && line.find("libnvrtc.so") != line.npos) return line.substr(begin);
  }
  throw std::runtime_error("no NVRTC is open");
}

}  // namespace kmux::bench
