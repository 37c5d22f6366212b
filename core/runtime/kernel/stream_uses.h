#pragma once

#include <span>

#include "kmux/arg.h"
#include "kmux/device.h"

namespace kmux {

/// Records that what was just launched on `stream` uses the memory of `args`, for those that are in the order of another
/// stream. Where that fails, the host waits for the stream, and the reason is logged.
[[gnu::cold, gnu::noinline]] void record_uses(std::span<const Arg> args, StreamRef stream) noexcept;

}  // namespace kmux
