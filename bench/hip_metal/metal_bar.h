#pragma once

namespace kmux::bench {

/// Kernel::launch of backend metal, three tensors and one symbol, over a Metal whose messages do nothing: nanoseconds of
/// the call for each message that it sends.
double metal_mock_call_ns();

}  // namespace kmux::bench
