#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <iterator>

#include "blocks.h"
#include "line.h"

namespace kmux::fake_cuda {
namespace {

constexpr int kDriverFrames = 8;  // at most, before the first caller

std::string demangled(const char* symbol) {
  int status = 0;
  char* const name = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  const std::string text = status == 0 ? name : symbol;
  std::free(name);
  return text;
}

const void* driver_base() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&driver_base), &info);
  return info.dli_fbase;
}

std::string frame_text(const void* frame) {
  Dl_info info{};
  std::string text;
  if (dladdr(frame, &info) == 0) return append(text, frame), text;
  const std::string file = info.dli_fname;
  const auto* const begin = static_cast<const char*>(info.dli_sname == nullptr ? info.dli_fbase : info.dli_saddr);
  text = info.dli_sname == nullptr ? "" : demangled(info.dli_sname);
  text += "+";
  append(text, Hex{static_cast<std::uint64_t>(static_cast<const char*>(frame) - begin)});
  return text + " (" + file.substr(file.rfind('/') + 1) + ")";
}

}  // namespace

AllocationPlace AllocationPlace::here(CUstream stream) {
  static const void* const base = driver_base();
  AllocationPlace place;
  place.stream = stream;
  void* frames[kDriverFrames + std::tuple_size_v<decltype(place.frames)>];
  const int count = backtrace(frames, std::size(frames));
  for (int i = 0; i < count && place.frame_count < static_cast<int>(place.frames.size()); ++i) {
    Dl_info info{};
    const bool of_driver = dladdr(frames[i], &info) != 0 && info.dli_fbase == base;
    if (!of_driver) place.frames[static_cast<std::size_t>(place.frame_count++)] = frames[i];
  }
  return place;
}

std::string AllocationPlace::text() const {
  std::string text = "on stream ";
  append(text, stream);
  for (int i = 0; i < frame_count; ++i) {
    text += (i == 0 ? " by " : " < ") + frame_text(frames[static_cast<std::size_t>(i)]);
  }
  return text;
}

}  // namespace kmux::fake_cuda
