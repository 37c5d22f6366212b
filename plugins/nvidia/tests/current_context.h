#pragma once

#include <gtest/gtest.h>

#include "kmux/plugin/sink.h"

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// Makes the primary context of `device` current on this thread, as applications do. Another owner must retain it.
inline void make_current(int device = 0) {
  const DriverTable* const driver = open_driver(discard());
  ASSERT_NE(driver, nullptr);
  CUcontext context = nullptr;
  ASSERT_EQ(driver->primary_retain(&context, device), CUDA_SUCCESS);
  ASSERT_EQ(driver->current_set(context), CUDA_SUCCESS);
  ASSERT_EQ(driver->primary_release(device), CUDA_SUCCESS);
}

/// Makes no context current on this thread.
inline void leave_context() {
  const DriverTable* const driver = open_driver(discard());
  ASSERT_EQ(driver->current_set(nullptr), CUDA_SUCCESS);
}

}  // namespace kmux::nvidia
