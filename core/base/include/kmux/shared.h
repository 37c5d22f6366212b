#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace kmux {

/// The reference count of an object, and how the object is destroyed. For `Shared`.
class SharedCount {
 public:
  SharedCount() = default;
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;
  /// Adds a handle.
  void retain() noexcept { __atomic_fetch_add(&handles_, 1, __ATOMIC_RELAXED); }
  /// Drops a handle; the last one destroys the object.
  void release() noexcept {
    if (__atomic_sub_fetch(&handles_, 1, __ATOMIC_ACQ_REL) == 0) delete this;
  }
  /// Returns the number of handles.
  long handles() const noexcept { return __atomic_load_n(&handles_, __ATOMIC_RELAXED); }

 protected:
  virtual ~SharedCount() = default;

 private:
  long handles_ = 1;
};

/// A reference-counted handle: all handles own the object, and the last one destroys it. Like std::shared_ptr without
/// weak handles. It avoids that header, which includes all of `ostream`: every application includes this type.
///
/// Threads:  different handles of one object may be used from any threads; the caller must synchronize use of one
///           handle.
/// Lifetime: a handle of a base or of void destroys the whole object.
template <class T>
class Shared {
 public:
  /// An empty handle.
  Shared() = default;
  /// An empty handle.
  Shared(std::nullptr_t) {}
  /// Takes ownership of `object`, which must come from `new`.
  explicit Shared(T* object) : Shared(object, [](T* last) { delete last; }) {}
  /// Takes ownership of `object`; the last handle calls `end` on it, even if it is null.
  template <class End>
  Shared(T* object, const End& end) : object_(object) {
    try {
      count_ = new Ended<std::decay_t<End>>(object, end);
    } catch (...) {
      end(object);
      throw;
    }
  }
  /// Constructs an object from these arguments, in one allocation with its count.
  template <class... Args>
  static Shared make(Args&&... args) {
    auto* const held = new Held(std::forward<Args>(args)...);
    Shared handle;
    handle.object_ = &held->object;
    handle.count_ = held;
    return handle;
  }

  /// Makes another handle of the same object.
  Shared(const Shared& other) : object_(other.object_), count_(other.count_) {
    if (count_ != nullptr) count_->retain();
  }
  /// Moves the handle; `other` is empty afterwards.
  Shared(Shared&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), count_(std::exchange(other.count_, nullptr)) {}
  /// Converts to a handle of a base, of void or of a const object.
  template <class U>
    requires std::convertible_to<U*, T*>
  Shared(Shared<U> other) noexcept
      : object_(std::exchange(other.object_, nullptr)), count_(std::exchange(other.count_, nullptr)) {}
  /// Releases the current object and takes the handle `other`.
  Shared& operator=(Shared other) noexcept {
    std::swap(object_, other.object_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Shared() {
    if (count_ != nullptr) count_->release();
  }

  /// Releases the object; the handle is empty afterwards.
  void reset() { *this = Shared(); }
  /// Returns the object, or null.
  T* get() const { return object_; }
  /// Returns the object; the handle must not be empty.
  std::add_lvalue_reference_t<T> operator*() const { return *object_; }
  /// Accesses a member of the object; the handle must not be empty.
  T* operator->() const { return object_; }
  /// Returns the number of handles of the object, exact while no thread makes or drops one; 0 if empty.
  long use_count() const { return count_ == nullptr ? 0 : count_->handles(); }
  /// Returns true if the handle has an object.
  explicit operator bool() const { return object_ != nullptr; }
  /// Returns true if both are handles of the same object.
  template <class U>
  bool operator==(const Shared<U>& other) const {
    return object_ == other.get();
  }
  /// Returns true if the handle is empty.
  bool operator==(std::nullptr_t) const { return object_ == nullptr; }

 private:
  template <class U>
  friend class Shared;

  template <class End>
  struct Ended final : SharedCount {
    Ended(T* last, End function) : object(last), end(std::move(function)) {}
    ~Ended() override { end(object); }
    T* object;
    End end;
  };
  struct Held final : SharedCount {
    template <class... Args>
    explicit Held(Args&&... args) : object(std::forward<Args>(args)...) {}
    T object;
  };

  T* object_ = nullptr;
  SharedCount* count_ = nullptr;
};

}  // namespace kmux
