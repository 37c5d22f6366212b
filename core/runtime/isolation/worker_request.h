#pragma once

#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/plugin.h"

#include "worker_frame.h"

namespace kmux {

/// The parts of a frame that carry a build request: its four fields, then a part for each blob.
void append_request(Frame& frame, const kmux_build_request& request);

/// A build request made of parts of a frame.
///
/// Lifetime: borrows the frame.
class RequestParts {
 public:
  /// Reads the parts from `first` on.
  ///
  /// Errors: internal if there are too few, or the variant is no number.
  static Result<RequestParts> read(const Frame& frame, std::size_t first);
  kmux_build_request get() const;

 private:
  kmux_bytes json_{};
  std::size_t variant_ = 0;
  kmux_bytes target_{};
  kmux_bytes options_{};
  std::vector<kmux_bytes> blobs_;
};

}  // namespace kmux
