// Statements that end a launch with an error: assert and __trap. A failure leaves the kernel at once, as an exception
// that the launch turns into an error (runtime/launch.h).
#pragma once

extern "C" void kmux_cpu_fail(const char* what, const char* file, unsigned line, unsigned block_x, unsigned block_y,
                              unsigned block_z, unsigned thread_x, unsigned thread_y, unsigned thread_z) noexcept;
KMUX_DEVICE void kmux_fail(const char* what, const char* file, unsigned line) {
  kmux_cpu_fail(what, file, line, kmux_block_x(), kmux_block_y(), kmux_block_z(), kmux_thread_x(), kmux_thread_y(),
                kmux_thread_z());
}
KMUX_DEVICE void __trap() { kmux_fail("__trap()", "", 0); }
#define __brkpt() ((void)0)

#include <kmux/asserts.h>
