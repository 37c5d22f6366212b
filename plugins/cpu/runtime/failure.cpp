#include "runtime/failure.h"

namespace {

std::string three(unsigned x, unsigned y, unsigned z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

}  // namespace

void kmux_cpu_fail(const char* what, const char* file, unsigned line, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned thread_x, unsigned thread_y, unsigned thread_z) {
  const std::string place = line == 0 ? "" : std::string(file) + ":" + std::to_string(line) + ", ";
  const std::string subject =
      line == 0 ? std::string(what) + " ended the kernel" : "assertion \"" + std::string(what) + "\" failed";
  throw kmux::cpu::KernelFailure(subject + " (" + place + "block " + three(block_x, block_y, block_z) + ", thread " +
                                 three(thread_x, thread_y, thread_z) +
                                 "). Its source says what must hold; results are incomplete.");
}
