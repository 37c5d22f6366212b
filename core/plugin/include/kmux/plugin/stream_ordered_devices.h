#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/failure_text.h"
#include "kmux/plugin/plugin.hpp"

namespace kmux {

/// A completed driver call: its name and its result.
struct DriverCall {
  const char* name;  // for messages
  int result;  // 0 is success
};

/// Returns ok if `alignment` is 0 or a power of two that device memory always has.
///
/// Errors: invalid_argument.
Status check_device_alignment(std::size_t alignment);

/// Returns the error for default-stream work that would invalidate another library's capture.
Error default_stream_is_in_the_way(int device);

/// Returns the error for an ordinal beyond every driver.
Error device_out_of_range(int device, std::size_t count);

/// Calls `action() -> Status` with the device of `driver` current. See StreamOrderedDevices.
///
/// Errors: those of the action; else those of making the device current or restoring the previous one.
template <class Driver, class Action>
Status use_device(Driver& driver, Action action) {
  FailureText failure;
  Status done = Ok{};
  const int code = driver.use(failure.sink(), [&] { done = action(); });
  return done.ok() ? failure.status(code) : done;
}

/// The devices of a driver with stream-ordered memory, copies and events: CUDA's interface and its derivatives.
/// `Driver` is one opened device, which makes single calls:
///
/// - `static Result<std::unique_ptr<Driver>> open(Host, int device)`, `Status close()`
/// - `static Result<int> count(Host)`, `static Result<Json> properties(Host, int device)`
/// - `int use(kmux_sink error, action)`: calls `action()` with the device current on this thread and without
///   invalidating captures of others; restores the previously current device
/// - `Status check(DriverCall, const std::string& detail)`: the error of a failed call
/// - `DriverCall` of allocate, free, host_*, copy*, memset, memory_info, stream_*, event_* and l2_bytes with the arguments below
/// - `kNeverRecorded`: the result of the elapsed-time call for an event that was never recorded
///
/// Streams created here do not wait for the default stream. Freed memory stays in the device's pool.
///
/// Errors:  the driver's error, as "CALL failed with NUMBER NAME (text; detail)". Calls without a result log their
/// errors.
/// Threads: thread-safe.   Lifetime: must outlive everything created with it.
template <class Driver>
class StreamOrderedDevices final : public DeviceApi {
 public:
  /// Opens no device yet.
  explicit StreamOrderedDevices(Host host) : host_(host) {}
  StreamOrderedDevices(const StreamOrderedDevices&) = delete;
  StreamOrderedDevices& operator=(const StreamOrderedDevices&) = delete;
  ~StreamOrderedDevices() override;

  Result<int> count() override { return Driver::count(host_); }
  Result<Json> properties(int device) override { return Driver::properties(host_, device); }

  /// Errors: invalid_argument for an alignment above 256 or not a power of two.
  Result<void*> allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) override {
    KMUX_TRY(check_device_alignment(alignment));
    const std::size_t wanted = std::max<std::size_t>(bytes, 1);
    KMUX_ASSIGN(Opened* const at, opened(device));
    Driver& driver = *at->driver;
    Allocation allocation;
    const int code = driver.use(allocation.failure.sink(), [&] {
      allocation.is_in_the_way = is_legacy(stream) && would_spoil(driver, stream);
      if (!allocation.is_in_the_way) allocation.made = driver.allocate(stream, wanted, &allocation.address);
    });
    const bool is_made = code == KMUX_OK && allocation.made.result == 0 && !allocation.is_in_the_way;
    if (is_made) [[likely]]
      return allocation.address;
    Status status = finish(driver, code, wanted, allocation);
    if (status.ok()) return allocation.address;
    free(device, stream, allocation.address);  // allocated, but the previous device could not be restored
    return std::move(status).error();
  }

  void free(int device, void* stream, void* address) noexcept override {
    if (address == nullptr) return;
    release(device, [&](Driver& driver) { return check(driver, driver.free(stream, address), [] { return ""; }); });
  }

  Status copy(int device, void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) override {
    if (bytes == 0) return Ok{};
    return on_stream(device, stream, [&](Driver& driver) {
      return check(driver, driver.copy(stream, to, from, bytes, kind),
                   [&] { return std::to_string(bytes) + " bytes from " + text(from) + " to " + text(to) + ", "; });
    });
  }

  Status memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) override {
    if (bytes == 0) return Ok{};
    return on_stream(device, stream, [&](Driver& driver) {
      return check(driver, driver.memset(stream, address, value, bytes),
                   [&] { return std::to_string(bytes) + " bytes at " + text(address) + ", "; });
    });
  }

  Result<MemoryInfo> memory_info(int device) override {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    KMUX_TRY(call(device, [&](Driver& driver) { return driver.memory_info(&free_bytes, &total_bytes); }));
    return MemoryInfo{free_bytes, total_bytes};
  }

  Result<void*> host_allocate(int device, std::size_t bytes, std::size_t alignment) override {
    KMUX_TRY(check_device_alignment(alignment));
    void* address = nullptr;
    const std::size_t wanted = std::max<std::size_t>(bytes, 1);
    Status status = on(device, [&](Driver& driver) {
      return check(driver, driver.host_allocate(wanted, &address), [&] { return bytes_on(wanted); });
    });
    if (status.ok()) return address;
    host_free(device, address);  // as in `allocate`
    return std::move(status).error();
  }
  void host_free(int device, void* address) noexcept override {
    if (address == nullptr) return;
    release(device, [&](Driver& driver) { return check(driver, driver.host_free(address), [] { return ""; }); });
  }
  Status copy_peer(int device, void* stream, void* to, int from_device, const void* from, std::size_t bytes) override {
    if (bytes == 0) return Ok{};
    KMUX_ASSIGN(const Opened* const source, opened(from_device));
    return on_stream(device, stream, [&](Driver& driver) {
      return check(driver, driver.copy_peer(stream, to, *source->driver, from, bytes),
                   [&] { return std::to_string(bytes) + " bytes from device " + std::to_string(from_device) + ", "; });
    });
  }

  Result<void*> stream_create(int device) override { return stream_create_with_priority(device, 0); }
  Result<void*> stream_create_with_priority(int device, int priority) override {
    void* stream = nullptr;
    Status status = call(device, [&](Driver& driver) { return driver.stream_create(&stream, priority); });
    if (status.ok()) return stream;
    if (stream != nullptr) stream_destroy(device, stream);  // as in `allocate`
    return std::move(status).error();
  }
  void stream_destroy(int device, void* stream) noexcept override {
    release(device, [&](Driver& driver) { return check(driver, driver.stream_destroy(stream), [] { return ""; }); });
  }
  Status stream_synchronize(int device, void* stream) override {
    return call_on_stream(device, stream, [&](Driver& driver) { return driver.stream_synchronize(stream); });
  }
  Status stream_wait_event(int device, void* stream, void* event) override {
    return call_on_stream(device, stream, [&](Driver& driver) { return driver.stream_wait(stream, event); });
  }
  // Queried for every new tensor. Only the default stream needs the context to be current.
  Result<std::uint64_t> stream_capture(int device, void* stream) override {
    KMUX_ASSIGN(Opened* const at, opened(device));
    std::uint64_t capture = 0;
    const auto query = [&] {
      return check(*at->driver, at->driver->stream_capture(stream, &capture), [] { return ""; });
    };
    KMUX_TRY(is_legacy(stream) ? use_device(*at->driver, query) : query());
    return capture;
  }

  Result<void*> event_create(int device) override {
    return make_event(device, [](Driver& driver, void** event) { return driver.event_create(event); });
  }
  Result<void*> event_create_untimed(int device) override {
    return make_event(device, [](Driver& driver, void** event) { return driver.event_create_untimed(event); });
  }
  void event_destroy(int device, void* event) noexcept override {
    release(device, [&](Driver& driver) { return check(driver, driver.event_destroy(event), [] { return ""; }); });
  }
  Status event_record(int device, void* event, void* stream) override {
    return call_on_stream(device, stream, [&](Driver& driver) { return driver.event_record(event, stream); });
  }
  Result<double> event_elapsed(int device, void* begin, void* end) override {
    float milliseconds = 0;
    KMUX_TRY(on(device, [&](Driver& driver) { return read_elapsed(driver, begin, end, milliseconds); }));
    return double{milliseconds};
  }

  // Writes twice the size of the cache, which evicts all older lines.
  Status l2_flush(int device, void* stream) override {
    KMUX_ASSIGN(Opened* const at, opened(device));
    const std::lock_guard lock(at->flushing);
    return use_device(*at->driver, [&]() -> Status {
      KMUX_TRY(check_usable(*at->driver, stream));
      if (at->flush_memory == nullptr) KMUX_TRY(make_flush_memory(*at, stream));
      if (at->flush_bytes == 0) return Ok{};
      return flush(*at, stream);
    });
  }

 private:
  static constexpr std::size_t kMaxDevices = 64;
  static constexpr std::uintptr_t kLegacy = 1;  // CUDA's and HIP's handle of the default stream, beside 0

  struct Opened {
    std::unique_ptr<Driver> driver;
    int ordinal = 0;
    std::mutex flushing;
    void* flush_memory = nullptr;
    std::size_t flush_bytes = 0;
    void* flushed = nullptr;  // recorded behind the last flush, and so behind all
  };

  // The outcome of an attempt to allocate.
  struct Allocation {
    void* address = nullptr;
    bool is_in_the_way = false;  // not attempted: would invalidate a capture
    DriverCall made{"", 0};
    FailureText failure;
  };

  static std::string text(const void* address) {
    char digits[2 * sizeof address + 3];
    return {digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%p", address))};
  }
  static std::string bytes_on(std::size_t bytes) { return std::to_string(bytes) + " bytes on "; }

  static bool is_legacy(void* stream) { return reinterpret_cast<std::uintptr_t>(stream) <= kLegacy; }

  // The default stream waits for every blocking stream. While one of those is being captured, any work in the default
  // stream invalidates the capture, even with relaxed thread captures. The query does not.
  // Source: CUDA Driver API, cuStreamIsCapturing; the table of tests/fakes/cuda/driver_rules.
  static bool would_spoil(Driver& driver, void* stream) {
    std::uint64_t capture = 0;
    return driver.stream_capture(stream, &capture).result == 0 && capture != 0;
  }
  static Status check_usable(Driver& driver, void* stream) {
    if (!is_legacy(stream) || !would_spoil(driver, stream)) return Ok{};
    return default_stream_is_in_the_way(driver.ordinal());
  }

  [[gnu::cold]] static Status finish(Driver& driver, int code, std::size_t bytes, Allocation& allocation) {
    if (allocation.made.result != 0) return check(driver, allocation.made, [&] { return bytes_on(bytes); });
    if (code != KMUX_OK) return allocation.failure.status(code);
    return use_device(driver, [&] { return allocate_aside(driver, bytes, allocation.address); });
  }
  // Allocates memory that is usable at once, in any stream.
  static Status allocate_aside(Driver& driver, std::size_t bytes, void*& address) {
    void* stream = nullptr;
    KMUX_TRY(check(driver, driver.stream_create(&stream, 0), [] { return ""; }));
    Status made = check(driver, driver.allocate(stream, bytes, &address), [&] { return bytes_on(bytes); });
    if (made.ok()) made = check(driver, driver.stream_synchronize(stream), [] { return ""; });
    const Status gone = check(driver, driver.stream_destroy(stream), [] { return ""; });
    return made.ok() ? gone : made;
  }

  // Every detail ends with the device.
  template <class Detail>
  static Status check(Driver& driver, DriverCall made, Detail detail) {
    if (made.result == 0) return Ok{};
    return driver.check(made, detail() + ("device " + std::to_string(driver.ordinal())));
  }

  static Status read_elapsed(Driver& driver, void* begin, void* end, float& milliseconds) {
    for (void* const event : {begin, end}) {
      KMUX_TRY(check(driver, driver.event_synchronize(event), [] { return ""; }));
    }
    const DriverCall read = driver.event_elapsed(begin, end, &milliseconds);
    if (read.result != Driver::kNeverRecorded) return check(driver, read, [] { return ""; });
    Error error = check(driver, read, [] { return ""; }).error();
    return make_error(
        ErrorCode::kInvalidArgument,
        "an event was never recorded (" + error.message.substr(0, error.message.find(" (")) + "). Record both first.");
  }

  Status flush(Opened& at, void* stream) {
    Driver& driver = *at.driver;
    KMUX_TRY(check(driver, driver.stream_wait(stream, at.flushed), [] { return ""; }));
    KMUX_TRY(check(driver, driver.memset(stream, at.flush_memory, 0, at.flush_bytes), [] { return ""; }));
    return check(driver, driver.event_record(at.flushed, stream), [] { return ""; });
  }

  // The allocation is valid only in the order of `stream`, but later flushes may use another one: hence the wait.
  Status make_flush_memory(Opened& at, void* stream) {
    Driver& driver = *at.driver;
    int bytes = 0;
    KMUX_TRY(check(driver, driver.l2_bytes(&bytes), [] { return ""; }));
    if (bytes <= 0) return Ok{};
    const std::size_t twice = 2 * static_cast<std::size_t>(bytes);
    if (at.flushed == nullptr) KMUX_TRY(check(driver, driver.event_create(&at.flushed), [] { return ""; }));
    KMUX_TRY(check(driver, driver.allocate(stream, twice, &at.flush_memory), [&] { return bytes_on(twice); }));
    at.flush_bytes = twice;
    return check(driver, driver.stream_synchronize(stream), [] { return ""; });
  }

  // Flushes in any stream wrote to it, each behind the previous one.
  void free_flush_memory(Opened& at) noexcept {
    if (at.flush_memory != nullptr) {
      release(at, [&](Driver& driver) -> Status {
        const Status waits = check(driver, driver.stream_wait(nullptr, at.flushed), [] { return ""; });
        const Status freed = check(driver, driver.free(nullptr, at.flush_memory), [] { return ""; });
        return waits.ok() ? freed : waits;
      });
    }
    if (at.flushed != nullptr) {
      release(at, [&](Driver& driver) { return check(driver, driver.event_destroy(at.flushed), [] { return ""; }); });
    }
  }

  Result<Opened*> opened(int device) {
    const auto index = static_cast<std::size_t>(device);
    if (index >= kMaxDevices) return device_out_of_range(device, kMaxDevices);
    if (Opened* const found = devices_[index].load(std::memory_order_acquire)) return found;
    const std::lock_guard lock(opening_);
    if (Opened* const found = devices_[index].load(std::memory_order_acquire)) return found;
    auto made = std::make_unique<Opened>();
    KMUX_ASSIGN(made->driver, Driver::open(host_, device));
    devices_[index].store(made.get(), std::memory_order_release);
    return made.release();
  }

  template <class Action>
  Status on(int device, Action action) {
    KMUX_ASSIGN(Opened* const at, opened(device));
    return use_device(*at->driver, [&] { return action(*at->driver); });
  }

  template <class Action>
  Status on_stream(int device, void* stream, Action action) {
    return on(device, [&](Driver& driver) -> Status {
      KMUX_TRY(check_usable(driver, stream));
      return action(driver);
    });
  }

  template <class Make>
  Status call_on_stream(int device, void* stream, Make make) {
    return on_stream(device, stream, [&](Driver& driver) { return check(driver, make(driver), [] { return ""; }); });
  }

  template <class Make>
  Result<void*> make_event(int device, Make make) {
    void* event = nullptr;
    Status status = call(device, [&](Driver& driver) { return make(driver, &event); });
    if (status.ok()) return event;
    if (event != nullptr) event_destroy(device, event);  // as in `allocate`
    return std::move(status).error();
  }

  template <class Make>
  Status call(int device, Make make) {
    return on(device, [&](Driver& driver) { return check(driver, make(driver), [] { return ""; }); });
  }

  template <class Action>
  void release(int device, Action action) noexcept {
    const Result<Opened*> at = opened(device);
    if (at) return release(**at, action);
    log_failure(at.error());
  }

  // Retries if the device could not be made current: a skipped release would leak.
  template <class Action>
  void release(Opened& at, Action action) noexcept {
    bool done = false;
    const auto once = [&] { return done = true, action(*at.driver); };
    log_failure(use_device(*at.driver, once));
    if (!done) log_failure(use_device(*at.driver, once));
  }

  void log_failure(const Status& status) const noexcept {
    if (!status.ok()) host_.log(Host::Level::kWarning, status.error().message);
  }

  Host host_;
  std::mutex opening_;
  std::array<std::atomic<Opened*>, kMaxDevices> devices_{};
};

// Not inline: with an `extern template`, the header of a backend need not define `Driver`.
template <class Driver>
StreamOrderedDevices<Driver>::~StreamOrderedDevices() {
  for (const std::atomic<Opened*>& each : devices_) {
    const std::unique_ptr<Opened> device(each.load());
    if (device == nullptr) continue;
    free_flush_memory(*device);
    log_failure(device->driver->close());
  }
}

}  // namespace kmux
