#include "simt/check/fiber.h"

#include <new>
#include <sys/mman.h>
#include <utility>

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#elif defined(KMUX_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace kmux::simt {
namespace {

namespace context = boost::context;

constexpr std::size_t kGuardBytes = std::size_t{64} << 10;  // no frame of a kernel skips it

// Maps a stack that ends in inaccessible pages.
char* map_stack(std::size_t bytes) {
  void* const all = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(all, kGuardBytes, PROT_NONE) != 0) {
    munmap(all, bytes);
    throw std::bad_alloc();
  }
  return static_cast<char*>(all);
}

void unmap_stack(char* memory, std::size_t bytes) {
#if defined(KMUX_ADDRESS_SANITIZER)
  __asan_unpoison_memory_region(memory, bytes);  // dropped frames left it poisoned for the next mapping
#endif
  munmap(memory, bytes);
}

struct Unowned {  // the fiber's allocator, which frees nothing: the Fiber owns the stack
  context::stack_context allocate() { return {}; }
  void deallocate(context::stack_context&) {}
};

}  // namespace

// Notifies a sanitizer when a thread continues with another flow of control: the resumer calls `enter` and `leave` around the switch,
// the fiber `arrive` and `depart` at its ends.
class Fiber::Sanitizer {
 public:
#if defined(KMUX_ADDRESS_SANITIZER)
  Sanitizer(const void* stack, std::size_t bytes) : stack_(stack), bytes_(bytes) {}
  void enter() { __sanitizer_start_switch_fiber(&resumers_frames_, stack_, bytes_); }
  void leave() { __sanitizer_finish_switch_fiber(resumers_frames_, nullptr, nullptr); }
  void arrive() { __sanitizer_finish_switch_fiber(own_frames_, &resumers_stack_, &resumers_bytes_); }
  void depart() { __sanitizer_start_switch_fiber(&own_frames_, resumers_stack_, resumers_bytes_); }

 private:
  const void* stack_;
  std::size_t bytes_;
  const void* resumers_stack_ = nullptr;
  std::size_t resumers_bytes_ = 0;
  void* own_frames_ = nullptr;
  void* resumers_frames_ = nullptr;
#elif defined(__SANITIZE_THREAD__)
  Sanitizer(const void*, std::size_t) : own_(__tsan_create_fiber(0)) {}
  ~Sanitizer() { __tsan_destroy_fiber(own_); }
  Sanitizer(const Sanitizer&) = delete;
  Sanitizer& operator=(const Sanitizer&) = delete;
  void enter() {
    left_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_, 0);
  }
  void leave() { __tsan_switch_to_fiber(left_, 0); }
  void arrive() {}
  void depart() {}

 private:
  void* own_;
  void* left_ = nullptr;
#else
  Sanitizer(const void*, std::size_t) {}
  void enter() {}
  void leave() {}
  void arrive() {}
  void depart() {}
#endif
};

struct Fiber::Impl {
  char* memory;
  std::size_t bytes;  // with the guard
  Sanitizer sanitizer;
  context::fiber own = {};
  context::fiber resumer = {};
  Task task = nullptr;
  void* argument = nullptr;
  bool is_done = true;
  std::exception_ptr failure = {};

  void leave() {
    sanitizer.depart();
    resumer = std::move(resumer).resume();
    sanitizer.arrive();
  }
  void work() {
    sanitizer.arrive();
    for (;;) {
      try {
        task(argument);
      } catch (...) {
        failure = std::current_exception();
      }
      is_done = true;
      leave();
    }
  }
};

Fiber::Fiber(std::size_t stack_bytes) {
  const std::size_t bytes = kGuardBytes + stack_bytes;
  char* const memory = map_stack(bytes);
  const std::size_t usable = (bytes - sizeof(Impl)) / 64 * 64;
  impl_ = new (memory + usable) Impl{memory, bytes, Sanitizer(memory + kGuardBytes, usable - kGuardBytes)};
  context::stack_context stack;
  stack.size = usable - kGuardBytes;
  stack.sp = memory + usable;
  impl_->own = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), Unowned(),
                              [impl = impl_](context::fiber&& resumer) {
                                impl->resumer = std::move(resumer);
                                impl->work();
                                return std::move(impl->resumer);
                              });
}

// Does not destroy the members of type context::fiber: that would unwind.
Fiber::~Fiber() {
  impl_->sanitizer.~Sanitizer();
  unmap_stack(impl_->memory, impl_->bytes);
}

std::size_t Fiber::stack_bytes() const { return impl_->bytes - kGuardBytes; }

void Fiber::set_task(Task task, void* argument) {
  impl_->task = task;
  impl_->argument = argument;
  impl_->is_done = false;
}

void Fiber::resume() {
  impl_->sanitizer.enter();
  impl_->own = std::move(impl_->own).resume();
  impl_->sanitizer.leave();
  if (impl_->failure) std::rethrow_exception(std::exchange(impl_->failure, {}));
}

void Fiber::wait() { impl_->leave(); }

bool Fiber::is_done() const { return impl_->is_done; }

std::size_t Fiber::bytes_below(const void* address) const {
  return static_cast<std::size_t>(static_cast<const char*>(address) - (impl_->memory + kGuardBytes));
}

bool Fiber::owns(const void* address) const {
  const char* const place = static_cast<const char*>(address);
  return place >= impl_->memory && place < impl_->memory + impl_->bytes;
}

FiberPool& FiberPool::of_thread() {
  static thread_local FiberPool pool;
  return pool;
}

std::unique_ptr<Fiber> FiberPool::take(std::size_t stack_bytes) {
  if (idle_.empty() || idle_.back()->stack_bytes() < stack_bytes) return std::make_unique<Fiber>(stack_bytes);
  std::unique_ptr<Fiber> fiber = std::move(idle_.back());
  idle_.pop_back();
  return fiber;
}

void FiberPool::drop_large() {
  std::erase_if(idle_, [](const auto& fiber) { return fiber->stack_bytes() > Fiber::kStackBytes; });
}

}  // namespace kmux::simt
