#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "simt/check/fiber.h"

namespace kmux::simt {

/// An error of a kernel that one of its threads showed: "problem (why). advice".
struct Finding {
  enum class Kind : unsigned char {
    kBarrier,
    kMask,
    kNull,
    kOutside,
    kMisaligned,
    kUninitialised,
    kRace,
    kUnit,  // a race with a unit that works beside threads
    kUnfenced,
    kMbarrier,
    kSwizzle,
    kEnded,
    kGroup,
    kEarlyUse,
    kLateWrite,
    kRegisters,
    kStack,
    kQuotient,
  };
  Kind kind;
  const kmux_cpu_site* site;  // null: not known
  Index thread;
  std::string problem;  // begins with a verb: "reads 4 bytes ..."
  std::string why;      // may be empty
  std::string advice;   // without its full stop
};

/// Receives the notes of checked launches: constructs that are errors on old GPUs alone.
using NoteSink = std::function<void(const std::string& text)>;

/// Sends the notes of later launches to `sink`, until `owner` removes it. Of several sinks one gets each note.
///
/// Threads: any.
void add_note_sink(const void* owner, NoteSink sink);
void remove_note_sink(const void* owner);

/// The findings of a launch, one for each kind and source line.
class Findings {
 public:
  static constexpr std::size_t kMaxReported = 16;

  explicit Findings(std::string kernel) : kernel_(std::move(kernel)) {}

  /// Returns the text of a source line: "k.cu:12", or "copy.h:7, called at k.cu:12" for code of another file.
  static std::string place(const kmux_cpu_site* site);

  void set_block(const Index& block) { block_ = block; }
  /// Returns true if this kind is known at that line. The finding is then counted, and the caller need not describe it.
  /// `advice`, if not null, replaces the earlier advice there.
  bool count_known(Finding::Kind kind, const kmux_cpu_site* site, const char* advice = nullptr);
  void add(const Finding& finding);
  /// Adds a note, which is no error of the launch.
  void add_note(const Finding& finding);
  /// Sends the notes to the sink.
  void send_notes() const;
  /// Returns ok if there are no findings.
  ///
  /// Errors: launch_failed with the first finding as message and a note "finding" for each further one.
  Status status() const;
  /// Returns the same for a launch that ended with `failure`, which is the last note, or the message if nothing else
  /// was found.
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

  void add_to(std::vector<Entry>& entries, const Finding& finding) const;

  std::string kernel_;
  Index block_ = {};
  std::vector<Entry> entries_;
  std::vector<Entry> notes_;
};

}  // namespace kmux::simt
