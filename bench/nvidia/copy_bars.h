#pragma once

namespace kmux::bench {

/// The time of `Tensor::copy_from` to the device from memory that is not pinned, over that from pinned memory: 64 MiB, each
/// until the copy is done.
double pinned_copy_ratio();

}  // namespace kmux::bench
