#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "kmux/error.h"
#include "kmux/resolver.h"

namespace kmux {

/// A plugin with a variant of a program, for a target.
struct Pairing {
  std::string program;  // its digest
  std::size_t variant = 0;
  std::string backend;
  std::string target;
  auto operator<=>(const Pairing&) const = default;
};

/// Whose failure an error is.
enum class Blame : std::uint8_t {
  kNobody,   // a wrong argument, "unsupported" (the cache remembers that), a launch: nothing to avoid
  kSources,  // the compiler has read the sources and refuses them
  kBackend,  // it crashed, hung, or could not load what it had made
};
Blame blame_of(const Error& error);

/// What failed lately, so that `auto` keeps away from it for a time. A failure that is the sources' counts only where
/// nobody asked for that very candidate: for one that is to be measured or to take over. Who asks for it hears of it.
///
/// Threads: any.
class Failures {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  explicit Failures(Clock now = std::chrono::steady_clock::now) : now_(std::move(now)) {}

  void note(const Pairing& pairing, const Error& error);
  /// What keeps `pairing` away, if it is to be chosen or, with `in_background`, to be compiled beside what was chosen.
  std::optional<Quarantine> find(const Pairing& pairing, bool in_background) const;
  bool empty() const;

 private:
  struct Entry {
    std::string reason;
    Blame blame;
    std::chrono::steady_clock::time_point until;
  };
  Clock now_;
  mutable std::mutex mutex_;
  std::map<Pairing, Entry> entries_;
};

}  // namespace kmux
