#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "check/fiber.h"

namespace kmux::cpu {

/// What is wrong with a kernel, as a thread of it showed: "problem (why). advice".
struct Finding {
  enum class Kind : unsigned char {
    kBarrier,
    kMask,
    kNull,
    kOutside,
    kMisaligned,
    kUninitialised,
    kRace,
    kStack,
  };
  Kind kind;
  const kmux_cpu_site* site;  // null: not known
  Index thread;
  std::string problem;  // begins with a verb: "reads 4 bytes ..."
  std::string why;      // may be empty
  std::string advice;   // without its full stop
};

/// The findings of a launch, one for each kind and place in the sources.
class Findings {
 public:
  static constexpr std::size_t kMostTold = 16;

  explicit Findings(std::string kernel) : kernel_(std::move(kernel)) {}

  /// "k.cu:12".
  static std::string place(const kmux_cpu_site* site);

  void set_block(const Index& block) { block_ = block; }
  /// Is this kind known at that place? Then the finding is counted, and need not be described. `advice`, if there is any, replaces
  /// what was advised there.
  bool count_known(Finding::Kind kind, const kmux_cpu_site* site, const char* advice = nullptr);
  void add(const Finding& finding);
  /// Errors: launch_failed with the first finding as message and a note "finding" for each further one; nothing if there are none.
  Status status() const;
  /// The same for a launch that ended with `failure`, which is the last note, or the message where nothing else was found.
  Error status_with(const std::string& failure) const;

 private:
  struct Entry {
    Finding::Kind kind;
    const kmux_cpu_site* site;
    std::string text;
    std::string advice;
    std::uint64_t count;
    std::string explain() const;
  };

  std::string kernel_;
  Index block_ = {};
  std::vector<Entry> entries_;
};

}  // namespace kmux::cpu
