#pragma once

namespace kmux::bench {

/// How many calls of NVIDIA's driver a launch on the default stream takes on a thread that has no current context before
/// `warm`, over those where the application has made the device's current. Over the fake driver, the first launch among them.
double first_launch_default_stream_ratio();

}  // namespace kmux::bench
