#include "kmux/device.h"
#include "kmux/registry.h"

namespace kmux {
namespace {

Error needs_a_backend(std::string_view what, const Device& device) {
  return make_error(ErrorCode::kInvalidArgument,
                    "a" + std::string(what) + " cannot be made on " + device.to_string() +
                        " (it has no backend). Take a device of `devices()` or of a kernel.");
}

DeviceApi& api_of(const Device& device) { return device.plugin()->backend().devices(); }

}  // namespace

Result<Stream> Stream::create(const Device& device) {
  if (device.plugin() == nullptr) return needs_a_backend(" stream", device);
  KMUX_ASSIGN(void* const handle, api_of(device).stream_create(device.ordinal()));
  return Stream(device, std::shared_ptr<void>(
                            handle, [device](void* owned) { api_of(device).stream_destroy(device.ordinal(), owned); }));
}

Stream Stream::borrow(const Device& device, void* handle) {
  return Stream(device, std::shared_ptr<void>(handle, [](void*) {}));
}

Status Stream::synchronize() const {
  if (device_.plugin() == nullptr) return Ok{};
  return api_of(device_).stream_synchronize(device_.ordinal(), handle());
}

Status Stream::wait(const Event& event) const {
  const Device& device = event.device_;
  return api_of(device).stream_wait_event(device.ordinal(), handle(), event.handle_.get());
}

Result<Event> Event::create(const Device& device) {
  if (device.plugin() == nullptr) return needs_a_backend("n event", device);
  KMUX_ASSIGN(void* const handle, api_of(device).event_create(device.ordinal()));
  return Event(device, std::shared_ptr<void>(
                           handle, [device](void* owned) { api_of(device).event_destroy(device.ordinal(), owned); }));
}

Status Event::record(StreamRef stream) const {
  return api_of(device_).event_record(device_.ordinal(), handle_.get(), stream.handle);
}

Result<double> Event::elapsed_since(const Event& begin) const {
  return api_of(device_).event_elapsed(device_.ordinal(), begin.handle_.get(), handle_.get());
}

}  // namespace kmux
