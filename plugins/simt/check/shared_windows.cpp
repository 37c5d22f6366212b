#include "simt/check/shared_windows.h"

#include <new>
#include <sys/mman.h>

namespace kmux::simt {
namespace {

std::size_t rounded_up(std::size_t bytes) {
  constexpr std::size_t kStep = SharedWindows::kAlignment;
  return bytes == 0 ? kStep : (bytes + kStep - 1) / kStep * kStep;
}

}  // namespace

SharedWindows::SharedWindows(std::size_t count, std::size_t bytes)
    : count_(count), window_bytes_(rounded_up(bytes)), mapped_bytes_(count * window_bytes_ + kAlignment) {
  void* const all =
      mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  mapped_ = static_cast<char*>(all);
  const std::size_t over = reinterpret_cast<std::uintptr_t>(mapped_) % kAlignment;
  begin_ = mapped_ + (over == 0 ? 0 : kAlignment - over);
}

SharedWindows::~SharedWindows() { munmap(mapped_, mapped_bytes_); }

}  // namespace kmux::simt
