#pragma once

#include "kmux/backend.h"
#include "kmux/plugin.h"

namespace kmux {

/// What a plugin may ask of this runtime.
///
/// Threads: any.   Lifetime: the table borrows this object.
class HostApi {
 public:
  explicit HostApi(Options options);
  HostApi(const HostApi&) = delete;
  HostApi& operator=(const HostApi&) = delete;
  const kmux_host_api* get() const { return &api_; }

 private:
  Options options_;
  kmux_host_api api_{};
};

}  // namespace kmux
