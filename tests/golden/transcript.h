#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/plugin/driver.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/sink.h"

namespace kmux::test {

/// Driver and allocator in one, which record every byte that a launcher of one plan passes them.
///
/// Lifetime: the plan must outlive it.
class Transcript {
 public:
  /// Call number `fails_at`, counted from 0, fails.
  Transcript(const Plan& plan, std::size_t fails_at);
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;

  const kmux_driver_env& env() const { return env_; }
  kmux_sink sink() { return append_to(error_); }

  /// Returns the calls, one line each, then `code` and the error's text.
  std::string text(int code) const;

 private:
  static Transcript& of(const kmux_driver_env* env) { return *static_cast<Transcript*>(env->call); }
  int note(std::string line, kmux_sink* error);
  std::string geometry_text(const kmux_map_geometry& geometry) const;
  std::string launch_text(const kmux_driver_launch& launch) const;
  const PlanLaunch* find(const std::vector<PlanStep>& steps, unsigned step) const;

  static int launch(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error);
  static int fill(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error);
  static int encode_tiled(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                          const unsigned int* box, kmux_sink error);
  static int encode_im2col(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                           const int* lower_corner, const int* upper_corner, unsigned int channels_per_pixel,
                           unsigned int pixels_per_column, kmux_sink error);
  static kmux_code allocate(void* self, std::int32_t device, void* stream, std::size_t bytes, std::size_t alignment,
                            void** address);
  static void free(void* self, std::int32_t device, void* stream, void* address);

  const Plan& plan_;
  std::size_t fails_at_;
  kmux_driver driver_;
  kmux_allocator allocator_;
  kmux_driver_env env_;
  std::vector<std::string> lines_;
  std::string error_;
};

}  // namespace kmux::test
