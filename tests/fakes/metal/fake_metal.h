#pragma once

#include <map>
#include <string>

#include "control.h"

namespace kmux {

/// A fake Objective-C runtime and Metal in this process. It implements only the messages of Apple's documentation,
/// counts references and keeps released objects to detect their later use. It refuses calls that Metal's validation
/// refuses, compiles MSL as C++ and runs it in a separate thread, as a device would. Queues overlap there, in an order
/// drawn by KMUX_FAKE_METAL_SEED.
///
/// Threads: any.   Lifetime: the library stays open; a FakeMetal is a handle to it.
class FakeMetal {
 public:
  /// Opens the library and resets it.
  ///
  /// Errors: throws std::runtime_error if it cannot be opened.
  static FakeMetal load();
  /// Returns the path of the library: the value of option `metal.library`.
  static std::string library();

  /// Restores the default device, no complaints and no settings. Waits for the device; objects stay.
  void reset() { control_->reset(); }
  /// Sets the device from now on; null: none.
  void set_device(const fake_metal::Device* device) { control_->set_device(device); }

  /// Returns the errors detected: unknown selectors, messages to released objects, missing references, encoders that
  /// were not ended, arguments that Metal's validation refuses.
  std::vector<std::string> complaints() const { return control_->complaints(); }
  /// Returns the number of objects that were created and not released, by class.
  std::map<std::string, int> live() const { return control_->live(); }
  /// Returns the messages since the last call of this. Example: "MTLComputeCommandEncoder setBytes:length:atIndex:".
  std::vector<std::string> messages() { return control_->messages(); }

  /// Makes the `nth` message of that selector from now on return nil, with `reason` as its NSError.
  void fail(std::string selector, std::string reason = "told to fail", unsigned nth = 1) {
    control_->fail(std::move(selector), std::move(reason), nth);
  }
  /// Makes the next command buffer that the device runs fail.
  void fail_command_buffer(std::string reason) { control_->fail_command_buffer(std::move(reason)); }
  /// Holds or releases the device. While held, it does not begin another command. Releasing it releases all queues.
  void hold(bool held) { control_->hold(held); }
  /// As `hold`, for the commands of one queue.
  void hold_queue(const void* queue, bool held) { control_->hold_queue(queue, held); }

 private:
  explicit FakeMetal(fake_metal::Control* control) : control_(control) {}
  fake_metal::Control* control_;
};

}  // namespace kmux
