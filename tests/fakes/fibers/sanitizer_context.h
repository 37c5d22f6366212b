#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace kmux::fibers {

/// What the thread sanitizer keeps of a flow of control, such as its stack of calls. It must be told when a thread goes
/// on with another one; without the sanitizer this is nothing.
///
/// Threads: that which made it.
class SanitizerContext {
 public:
#if defined(__SANITIZE_THREAD__)
  /// The flow that the thread is in, between two of its steps.
  class Step {
   public:
    explicit Step(const SanitizerContext& context) : left_(__tsan_get_current_fiber()) {
      __tsan_switch_to_fiber(context.context_, 0);
    }
    ~Step() { __tsan_switch_to_fiber(left_, 0); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    void* left_;
  };

  SanitizerContext() : context_(__tsan_create_fiber(0)) {}
  ~SanitizerContext() { __tsan_destroy_fiber(context_); }
#else
  struct Step {
    explicit Step(const SanitizerContext& /*context*/) {}
    ~Step() {}  // NOLINT(modernize-use-equals-default): else its variables are unused
  };

  SanitizerContext() = default;
#endif
  SanitizerContext(const SanitizerContext&) = delete;
  SanitizerContext& operator=(const SanitizerContext&) = delete;

#if defined(__SANITIZE_THREAD__)
 private:
  void* context_;
#endif
};

}  // namespace kmux::fibers
