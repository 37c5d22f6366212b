#pragma once

/// The exports of the module built of call_allocating_module.cpp: calls of one kernel, through the libkmux beside the
/// module.
extern "C" {

/// Returns a subject, or null: then stderr has the reason.
///
/// Lifetime: the process.
[[gnu::visibility("default")]] void* kmux_call_allocating_open();

/// Calls the kernel 100 times, on the default or a separate stream; drops the outputs within the time, or after.
///
/// Units:  nanoseconds a call.
/// Errors: 0, with the reason on stderr.
[[gnu::visibility("default")]] double kmux_call_allocating_burst(void* subject, int on_own_stream, int drops);
}
