#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control.h"
#include "object.h"

namespace kmux::fake_metal {

/// The state that objects share: settings, complaints and live objects.
///
/// Threads: under `lock()`.
class World final : public Control {
 public:
  static World& get();

  void complain(const std::string& what) { complaints_.push_back(what); }
  void add(Object* object) { objects_.emplace_back(object); }
  void count(const Object& object, int change) { live_[object.isa().name] += change; }
  void sent(const Class& isa, Selector selector);
  /// Returns the failure of this message, if it must fail. Must be called once for each message.
  std::optional<std::string> failure_of(Selector selector);
  std::optional<std::string> take_command_buffer_failure() { return std::exchange(command_buffer_failure_, {}); }
  const Device* device() const { return device_ ? &*device_ : nullptr; }

  // Control.
  void reset() override;
  void set_device(const Device* device) override;
  std::vector<std::string> complaints() override;
  std::map<std::string, int> live() override;
  std::vector<std::string> messages() override;
  void fail(std::string selector, std::string reason, unsigned nth) override;
  void fail_command_buffer(std::string reason) override;
  void hold(bool held) override;
  void hold_queue(const void* queue, bool held) override;

 private:
  struct Fault {
    std::string selector;
    std::string reason;
    unsigned nth;
  };
  std::vector<std::unique_ptr<Object>> objects_;
  std::map<std::string, int> live_;
  std::vector<std::string> complaints_;
  std::vector<std::string> messages_;
  std::vector<Fault> faults_;
  std::optional<std::string> command_buffer_failure_;
  std::optional<Device> device_ = Device{};
};

}  // namespace kmux::fake_metal
