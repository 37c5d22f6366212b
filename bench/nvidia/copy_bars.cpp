#include <algorithm>
#include <vector>

#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "nvidia/missing.h"
#include "timing.h"

namespace kmux::bench {
namespace {

double pinned_copy_ratio() {
  constexpr std::int64_t kBytes = std::int64_t{64} << 20;
  constexpr int kRounds = 21;
  const Shared<Runtime> runtime = Runtime::default_runtime().value();
  const Device device(runtime->registry().plugin("nvrtc").value(), 0);
  const Stream stream = Stream::create(device).value();
  const Tensor target = Tensor::empty({kBytes}, dtype::kUInt8, device, stream).value();
  const Tensor pinned = Tensor::pinned({kBytes}, dtype::kUInt8, device).value();
  const Tensor pageable = Tensor::empty({kBytes}, dtype::kUInt8).value();
  std::fill_n(pinned.data_as<char>(), kBytes, 1);
  std::fill_n(pageable.data_as<char>(), kBytes, 2);
  const auto ms = [&](const Tensor& source) {
    return milliseconds_of([&] {
      target.copy_from(source, stream).value();
      stream.synchronize().value();
    });
  };
  std::vector<double> from_pageable, from_pinned;
  for (int round = 0; round < kRounds; ++round) {  // alternately
    from_pageable.push_back(ms(pageable));
    from_pinned.push_back(ms(pinned));
  }
  return median(from_pageable) / median(from_pinned);
}

/// 64 MiB to the device from other memory of the host / from pinned memory, until the copy is done.
BAR("pinned_copy_ratio", "ratio", at_least(2), pinned_copy_ratio, {.missing = missing_device});

}  // namespace
}  // namespace kmux::bench
