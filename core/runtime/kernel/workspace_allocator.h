#pragma once

#include "kmux/device.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// What a kernel's launcher takes workspaces from: the device's own memory in stream order, or the host's.
///
/// Threads: any, concurrently.   Lifetime: holds the device's plugin; not copied, since the table points to it.
class WorkspaceAllocator {
 public:
  explicit WorkspaceAllocator(Device device);
  WorkspaceAllocator(const WorkspaceAllocator&) = delete;
  WorkspaceAllocator& operator=(const WorkspaceAllocator&) = delete;

  const kmux_allocator* table() const { return &table_; }

 private:
  Device device_;
  kmux_allocator table_;
};

}  // namespace kmux
