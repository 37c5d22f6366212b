#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace kmux {

/// How many handles an object has, and how it goes. For `Shared`.
class SharedCount {
 public:
  SharedCount() = default;
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;
  /// One handle more.
  void retain() noexcept { __atomic_fetch_add(&handles_, 1, __ATOMIC_RELAXED); }
  /// One handle less; destroys the object with the last one.
  void release() noexcept {
    if (__atomic_sub_fetch(&handles_, 1, __ATOMIC_ACQ_REL) == 0) delete this;
  }
  /// How many there are.
  long handles() const noexcept { return __atomic_load_n(&handles_, __ATOMIC_RELAXED); }

 protected:
  virtual ~SharedCount() = default;

 private:
  long handles_ = 1;
};

/// A handle of an object that all its handles own: the last one destroys it. What std::shared_ptr is, without weak handles
/// and without its header, which brings all of `ostream`: this type is in headers that every application includes.
///
/// Threads:  handles of one object any; one handle as the application arranges.
/// Lifetime: a handle of a base or of void destroys the whole object.
template <class T>
class Shared {
 public:
  /// No object.
  Shared() = default;
  /// No object.
  Shared(std::nullptr_t) {}
  /// Takes over `object`, which `new` made.
  explicit Shared(T* object) : Shared(object, [](T* last) { delete last; }) {}
  /// Takes over `object`, on which the last handle calls `end`; also where it is null.
  template <class End>
  Shared(T* object, const End& end) : object_(object) {
    try {
      count_ = new Ended<std::decay_t<End>>(object, end);
    } catch (...) {
      end(object);
      throw;
    }
  }
  /// A new object of these arguments, in one piece of memory with its count.
  template <class... Args>
  static Shared make(Args&&... args) {
    auto* const held = new Held(std::forward<Args>(args)...);
    Shared handle;
    handle.object_ = &held->object;
    handle.count_ = held;
    return handle;
  }

  /// One handle more of the same object.
  Shared(const Shared& other) : object_(other.object_), count_(other.count_) {
    if (count_ != nullptr) count_->retain();
  }
  /// Takes over the handle `other`, which is empty then.
  Shared(Shared&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), count_(std::exchange(other.count_, nullptr)) {}
  /// A handle of the same object by a base, by void or as constant.
  template <class U>
    requires std::convertible_to<U*, T*>
  Shared(Shared<U> other) noexcept
      : object_(std::exchange(other.object_, nullptr)), count_(std::exchange(other.count_, nullptr)) {}
  /// Lets go of the object that it has, and is a handle of that of `other`.
  Shared& operator=(Shared other) noexcept {
    std::swap(object_, other.object_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Shared() {
    if (count_ != nullptr) count_->release();
  }

  /// Gives up the object.
  void reset() { *this = Shared(); }
  /// The object, or null.
  T* get() const { return object_; }
  /// The object; not of an empty handle.
  std::add_lvalue_reference_t<T> operator*() const { return *object_; }
  /// A member of the object; not of an empty handle.
  T* operator->() const { return object_; }
  /// How many handles the object has, as long as no thread makes or drops one; 0 of an empty handle.
  long use_count() const { return count_ == nullptr ? 0 : count_->handles(); }
  /// Is there an object?
  explicit operator bool() const { return object_ != nullptr; }
  /// Are both of one object?
  template <class U>
  bool operator==(const Shared<U>& other) const {
    return object_ == other.get();
  }
  /// Is there none?
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
