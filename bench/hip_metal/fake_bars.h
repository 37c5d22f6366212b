#pragma once

namespace kmux::bench {

/// Calls of backend hip over the HIP of the tests, over the same calls of backend cpu: the larger ratio of two kernels over a million
/// elements, of which one goes over them and one adds them up through shared memory.
double fake_hip_over_cpu();

/// The same of backend metal over the Metal of the tests.
double fake_metal_over_cpu();

/// Kernel::launch of backend metal, three tensors and one symbol, over a Metal whose messages do nothing: nanoseconds of
/// the call for each message that it sends.
double metal_mock_call_ns();

}  // namespace kmux::bench
