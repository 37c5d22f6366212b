#include "world.h"

#include <algorithm>
#include <map>

#include "worker.h"

namespace kmux::fake_metal {

World& World::get() {
  static auto* const world = new World;  // never destroyed: objects may be used until the process ends
  return *world;
}

std::recursive_mutex& lock() {
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}

void World::sent(const Class& isa, Selector selector) { messages_.push_back(std::string(isa.name) + " " + selector); }

std::optional<std::string> World::failure_of(Selector selector) {
  const auto found = std::ranges::find(faults_, std::string_view(selector), &Fault::selector);
  if (found == faults_.end() || --found->nth > 0) return std::nullopt;
  std::string reason = std::move(found->reason);
  faults_.erase(found);
  return reason;
}

void World::reset() {
  Worker::get().hold(false);
  Worker::get().drain();
  const std::lock_guard guard(lock());
  complaints_.clear();
  messages_.clear();
  faults_.clear();
  command_buffer_failure_.reset();
  device_ = Device{};
}

void World::set_device(const Device* device) {
  const std::lock_guard guard(lock());
  device_ = device == nullptr ? std::optional<Device>() : *device;
}

std::vector<std::string> World::complaints() {
  Worker::get().drain();
  const std::lock_guard guard(lock());
  return complaints_;
}

std::map<std::string, int> World::live() {
  Worker::get().drain();
  const std::lock_guard guard(lock());
  std::map<std::string, int> live = live_;
  std::erase_if(live, [](const auto& entry) { return entry.second == 0 || entry.first.ends_with(" class"); });
  return live;
}

std::vector<std::string> World::messages() {
  const std::lock_guard guard(lock());
  return std::exchange(messages_, {});
}

void World::fail(std::string selector, std::string reason, unsigned nth) {
  const std::lock_guard guard(lock());
  faults_.push_back({std::move(selector), std::move(reason), nth});
}

void World::fail_command_buffer(std::string reason) {
  const std::lock_guard guard(lock());
  command_buffer_failure_ = std::move(reason);
}

void World::hold(bool held) { Worker::get().hold(held); }

void World::hold_queue(const void* queue, bool held) { Worker::get().hold(queue, held); }

}  // namespace kmux::fake_metal

extern "C" __attribute__((visibility("default"))) kmux::fake_metal::Control* kmux_fake_metal_control() {
  return &kmux::fake_metal::World::get();
}
