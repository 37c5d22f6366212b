#pragma once

#include <map>
#include <string>

#include "control.h"

namespace kmux {

/// An Objective-C runtime and a Metal of our own in this process. It knows the messages of Apple's documentation and no
/// other, counts references, keeps objects that were released to tell who still uses them, refuses what Metal's
/// validation refuses, compiles MSL as C++ and runs it in a thread of its own, as a device would. Queues overlap there, in
/// an order that is drawn by KMUX_FAKE_METAL_SEED.
///
/// Threads: any.   Lifetime: the library stays open; a FakeMetal is a handle to it.
class FakeMetal {
 public:
  /// Opens the library and resets it.
  ///
  /// Errors: throws std::runtime_error if it cannot be opened.
  static FakeMetal load();
  /// The path of the library: the value of option `metal.library`.
  static std::string library();

  /// Back to the beginning: the default device, no complaints, nothing told. Waits for the device; objects stay.
  void reset() { control_->reset(); }
  /// The device from here on; null: none.
  void set_device(const fake_metal::Device* device) { control_->set_device(device); }

  /// What was done wrong: selectors that are not known, messages to released objects, references too few, encoders that
  /// were not ended, arguments that Metal's validation refuses.
  std::vector<std::string> complaints() const { return control_->complaints(); }
  /// Objects that were made and not released, by class.
  std::map<std::string, int> live() const { return control_->live(); }
  /// The messages since the last call of this: "MTLComputeCommandEncoder setBytes:length:atIndex:".
  std::vector<std::string> messages() { return control_->messages(); }

  /// The `nth` message of that selector from now on gives nil, with `reason` as its NSError.
  void fail(std::string selector, std::string reason = "told to fail", unsigned nth = 1) {
    control_->fail(std::move(selector), std::move(reason), nth);
  }
  /// The next command buffer that the device runs fails.
  void fail_command_buffer(std::string reason) { control_->fail_command_buffer(std::move(reason)); }
  /// While held, the device does not begin another command. Letting go lets all queues go.
  void hold(bool held) { control_->hold(held); }
  /// As `hold`, for the commands of one queue.
  void hold_queue(const void* queue, bool held) { control_->hold_queue(queue, held); }

 private:
  explicit FakeMetal(fake_metal::Control* control) : control_(control) {}
  fake_metal::Control* control_;
};

}  // namespace kmux
