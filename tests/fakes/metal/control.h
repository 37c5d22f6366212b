#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

/// The interface by which tests configure and inspect the mock of Metal. Both are built together, so C++ types may
/// cross it.
namespace kmux::fake_metal {

/// The device as it describes itself. The default is similar to an M-series GPU.
struct Device {
  std::string name = "Fake M4";
  unsigned long long working_set_bytes = 1ULL << 34;
  unsigned long threadgroup_memory_bytes = 32768;
};

class Control {
 public:
  virtual ~Control() = default;
  virtual void reset() = 0;
  virtual void set_device(const Device* device) = 0;
  virtual std::vector<std::string> complaints() = 0;
  virtual std::map<std::string, int> live() = 0;
  virtual std::vector<std::string> messages() = 0;
  virtual void fail(std::string selector, std::string reason, unsigned nth) = 0;
  virtual void fail_command_buffer(std::string reason) = 0;
  virtual void hold(bool held) = 0;
  virtual void hold_queue(const void* queue, bool held) = 0;
};

}  // namespace kmux::fake_metal
