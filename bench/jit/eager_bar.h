#pragma once

namespace kmux::bench {

/// What an eager call in a form that was seen before costs more than Kernel::launch on the same tensors: three matrices,
/// of which the kernel writes one, and a configuration of three members.
///
/// Units: nanoseconds.
double eager_over_call();

/// What each header that a kernel was compiled from adds to such a call, which looks whether it has changed.
///
/// Units: nanoseconds a header.
double eager_a_header();

}  // namespace kmux::bench
