#pragma once

#include <atomic>
#include <new>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

namespace kmux {

// Also printed into generated launchers, so it must be C++17 with libc only.

/// An array of objects. Their alignment divides their size, so cache-line-aligned objects share no line.
template <class Object>
class AlignedArray {
 public:
  AlignedArray() = default;
  AlignedArray(const AlignedArray&) = delete;
  AlignedArray& operator=(const AlignedArray&) = delete;
  ~AlignedArray() { clear(); }

  /// Creates `count` objects in an empty array. Returns false if out of memory.
  bool make(size_t count) {
    if (count == 0) return true;
    void* const memory = aligned_alloc(alignof(Object), count * sizeof(Object));
    if (memory == nullptr) return false;
    objects_ = static_cast<Object*>(memory);
    for (; count_ < count; ++count_) new (&objects_[count_]) Object();
    return true;
  }
  /// Destroys all objects.
  void clear() {
    for (; count_ > 0; --count_) objects_[count_ - 1].~Object();
    free(objects_);
    objects_ = nullptr;
  }

  /// Returns the first object, or null if empty.
  Object* data() const { return objects_; }

 private:
  Object* objects_ = nullptr;
  size_t count_ = 0;
};

/// The state that the calls of each lane keep between calls. `State` must have `std::atomic<bool> taken{false}`.
///
/// Threads: `take` and `give_back` are thread-safe; all else must run on one thread, before and after them.
template <class State>
class LaneStates {
 public:
  static constexpr unsigned kCount = 64;  // lanes above this share states

  /// Returns the state of `lane`, now owned by the caller. Returns null at once if there are no states or another
  /// thread owns it.
  State* take(unsigned lane) {
    if (__builtin_expect(states_.data() == nullptr, 1)) return nullptr;
    State& state = states_.data()[lane % kCount];
    return state.taken.exchange(true, std::memory_order_acquire) ? nullptr : &state;
  }
  /// Releases the state of a `take`; null is ignored.
  static void give_back(State* state) {
    if (state != nullptr) state->taken.store(false, std::memory_order_release);
  }

 protected:
  AlignedArray<State> states_;  // kCount, or none
};

/// Owns the state of a lane for the duration of a call.
template <class State>
class LaneLease {
 public:
  /// Takes the state if it is free.
  LaneLease(LaneStates<State>& states, unsigned lane) : state_(states.take(lane)) {}
  LaneLease(const LaneLease&) = delete;
  LaneLease& operator=(const LaneLease&) = delete;
  ~LaneLease() { LaneStates<State>::give_back(state_); }

  /// Returns the state, or null if the call has none.
  State* get() const { return state_; }

 private:
  State* state_;
};

/// The first failed driver call of a replay, reported when the enclosing call ends.
struct ReplayFailure {
  const char* call = nullptr;  // of the driver; null: none failed
  int result = 0;  // the driver's error code
};

/// One parameter of a kernel, in bytes.
struct ReplayParameter {
  size_t offset;  // from the first parameter
  size_t size;  // without padding
};

/// The argument bytes of one launch, kept between calls. `Graphs` is a driver interface (graph_replay.h).
class ArgumentCopy {
 public:
  ArgumentCopy() = default;
  ArgumentCopy(const ArgumentCopy&) = delete;
  ArgumentCopy& operator=(const ArgumentCopy&) = delete;
  ~ArgumentCopy() { free(block_); }

  /// Queries the parameters of `kernel` and allocates space for them, once; later calls do nothing.
  template <class Graphs, class Kernel>
  ReplayFailure shape(const Graphs& graphs, const Kernel& kernel) {
    if (block_ != nullptr) return {};
    unsigned count = 0;
    size_t bytes = 0;
    ReplayFailure failure = measure(graphs, kernel, &count, &bytes);
    if (failure.call == nullptr && !allocate(count, bytes)) failure = {"aligned_alloc", Graphs::kOutOfMemory};
    if (failure.call == nullptr) failure = place(graphs, kernel);
    return failure;
  }

  /// Copies the bytes that `args` point to. Returns true if any byte changed.
  bool update(void* const* args) {
    bool changed = false;
    for (unsigned i = 0; i < count_; ++i) changed |= take(args_[i], args[i], sizes_[i]);
    return changed;
  }

  /// Returns the pointers to pass to a launch.
  void** args() const { return args_; }

 private:
  static constexpr size_t kAlignment = 64;  // of a tensor map, the largest of any parameter
  static size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

  // Nearly all arguments are pointers, for which comparing and copying are one instruction each.
  static bool take(void* kept, const void* given, size_t size) {
    if (size == sizeof(void*)) {
      if (memcmp(kept, given, sizeof(void*)) == 0) return false;
      memcpy(kept, given, sizeof(void*));
      return true;
    }
    if (memcmp(kept, given, size) == 0) return false;
    memcpy(kept, given, size);
    return true;
  }

  template <class Graphs, class Kernel>
  static ReplayFailure measure(const Graphs& graphs, const Kernel& kernel, unsigned* count, size_t* bytes) {
    for (;; ++*count) {
      ReplayParameter parameter = {};
      bool is_past = false;
      const ReplayFailure failure = graphs.parameter(kernel, *count, &parameter, &is_past);
      if (failure.call != nullptr || is_past) return failure;
      if (parameter.offset + parameter.size > *bytes) *bytes = parameter.offset + parameter.size;
    }
  }

  bool allocate(unsigned count, size_t bytes) {
    const size_t arrays = aligned(bytes);
    const size_t block = arrays + aligned(count * (sizeof(void*) + sizeof(size_t)));
    block_ = static_cast<char*>(aligned_alloc(kAlignment, block > 0 ? block : kAlignment));
    if (block_ == nullptr) return false;
    memset(block_, 0, block);
    args_ = reinterpret_cast<void**>(block_ + arrays);
    sizes_ = reinterpret_cast<size_t*>(args_ + count);
    count_ = count;
    return true;
  }

  // The bytes have the device's layout, so alignment on the device holds here too.
  template <class Graphs, class Kernel>
  ReplayFailure place(const Graphs& graphs, const Kernel& kernel) {
    for (unsigned i = 0; i < count_; ++i) {
      ReplayParameter parameter = {};
      bool is_past = false;
      const ReplayFailure failure = graphs.parameter(kernel, i, &parameter, &is_past);
      if (failure.call != nullptr) {
        free(block_);
        block_ = nullptr;
        return failure;
      }
      args_[i] = block_ + parameter.offset;
      sizes_[i] = parameter.size;
    }
    return {};
  }

  unsigned count_ = 0;
  char* block_ = nullptr;  // the bytes, then the two arrays below; null before `shape`
  void** args_ = nullptr;  // into the bytes
  size_t* sizes_ = nullptr;
};

}  // namespace kmux
