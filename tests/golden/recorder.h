#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/plugin/driver_dialect.h"
#include "kmux/plugin/sink.h"

namespace kmux::test {

/// Driver and allocator in one; records a line for each call.
class Recorder {
 public:
  Recorder() {
    driver_ = {&launch, &fill, &encode_tiled, &encode_im2col};
    allocator_ = {sizeof(kmux_allocator), this, &allocate, &free};
    env_.driver = &driver_;
    env_.call = this;
    env_.env = {sizeof(kmux_launch_env), 3, this, &allocator_, 0, 0};
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const kmux_launch_env* env() const { return &env_.env; }
  const kmux_driver_env& driver_env() const { return env_; }
  kmux_sink sink() { return append_to(error); }

  /// Expects one argument, an address of that alignment.
  void expect_aligned(std::int64_t alignment) const {
    ASSERT_EQ(argument_bits.size(), 1u);
    EXPECT_NE(argument_bits[0], 0u);
    EXPECT_EQ(argument_bits[0] % static_cast<std::uint64_t>(alignment), 0u);
  }

  std::vector<std::string> calls;
  std::string error;
  std::string fail_at;  // the call that fails
  std::function<void(const kmux_driver_launch&)> on_launch;  // if set
  kmux_driver_launch last = {};
  std::vector<std::uint64_t> argument_bits;  // of 8-byte arguments
  kmux_map_geometry map = {};
  std::vector<unsigned long long> dims;

 private:
  static Recorder& of(void* self) { return *static_cast<Recorder*>(self); }

  int note(const std::string& call) {
    calls.push_back(call);
    return call == fail_at ? KMUX_LAUNCH_FAILED : KMUX_OK;
  }

  static int launch(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink) {
    void* const self = env->call;
    EXPECT_EQ(env->env.device, 3);
    of(self).last = *launch;
    if (of(self).on_launch) of(self).on_launch(*launch);
    if (launch->args != nullptr) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, launch->args[0], sizeof bits);
      of(self).argument_bits.push_back(bits);
    }
    return of(self).note("launch " + std::to_string(launch->kernel) + " x" + std::to_string(launch->grid[0]));
  }
  static int fill(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink) {
    return of(env->call).note("fill " + std::to_string(fill->bytes) + " of " + std::to_string(fill->value));
  }
  static int encode_tiled(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                          const unsigned int* box, kmux_sink) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(map) % 64, 0u);
    of(env->call).map = *geometry;
    of(env->call).dims.assign(geometry->dims, geometry->dims + geometry->rank);
    return of(env->call).note(std::string("tiled ") + geometry->name + " " + std::to_string(box[0]));
  }
  static int encode_im2col(const kmux_driver_env* env, kmux_tensor_map*, const kmux_map_geometry* geometry,
                           const int* lower_corner, const int*, unsigned int channels, unsigned int pixels, kmux_sink) {
    return of(env->call).note(std::string("im2col ") + geometry->name + " " + std::to_string(lower_corner[0]) + " " +
                              std::to_string(channels) + " " + std::to_string(pixels));
  }
  static kmux_code allocate(void* self, int32_t, void*, std::size_t bytes, std::size_t alignment, void** address) {
    *address = &of(self).memory_[of(self).allocated_++];
    return of(self).note("allocate " + std::to_string(bytes) + " at " + std::to_string(alignment));
  }
  static void free(void* self, int32_t, void*, void* address) {
    of(self).note("free " + std::to_string(static_cast<char*>(address) - of(self).memory_));
  }

  kmux_driver driver_{};
  kmux_allocator allocator_{};
  kmux_driver_env env_{};
  char memory_[8] = {};
  int allocated_ = 0;
};

}  // namespace kmux::test
