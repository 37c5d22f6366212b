#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace kmux {

/// What compilers may run at the same time: so many, and with so much memory together. They come in line, so that a large
/// one is not passed by for ever. One may always run, however much it takes.
///
/// Threads: any.
class Admission : public std::enable_shared_from_this<Admission> {
 public:
  struct Wish {
    std::uint64_t bytes = 0;  // that it is expected to take
    std::uint64_t budget = 0;  // all together may take
    std::size_t most = 1;  // all together may be
  };

  /// The right to run, until the object goes.
  class Permit {
   public:
    ~Permit();
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    /// Nobody waits for this one any more: it does not count among those that run, but its memory does.
    void leave_behind();

   private:
    friend class Admission;
    Permit(std::shared_ptr<Admission> owner, std::uint64_t bytes) : owner_(std::move(owner)), bytes_(bytes) {}
    std::shared_ptr<Admission> owner_;
    std::uint64_t bytes_;
    bool counts_ = true;
  };

  /// Waits in line until the wish fits; null once `is_unwanted` says so, which is asked at each `reconsider`.
  std::shared_ptr<Permit> acquire(const Wish& wish, const std::function<bool()>& is_unwanted);

  /// Lets everybody who waits ask again whether it is wanted.
  void reconsider();

 private:
  bool fits(const Wish& wish) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<const Wish*> line_;
  std::uint64_t used_ = 0;
  std::size_t running_ = 0;
};

}  // namespace kmux
