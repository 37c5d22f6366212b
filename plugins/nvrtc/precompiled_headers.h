#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/private_folder.h"

#include "nvrtc_library.h"

namespace kmux::nvrtc {

/// Returns a digest of the headers that a compilation begins with: equal only for equal options and unchanged, equal
/// files. Returns an empty string if the files' state is unknown, or if the headers are too few to be worth it.
std::string headers_stamp(const std::string& text, const std::vector<File>& files,
                          const std::vector<std::string>& arguments, const Dependencies& dependencies);

/// Precompiled headers, in unnamed files that the process owns. NVRTC does not check whether the headers have changed,
/// so each file is for one stamp. The second compilation of a stamp makes the file: the first is often the only one,
/// and making the file costs about half a compilation more.
///
/// Threads: thread-safe.
class PrecompiledHeaders {
 public:
  /// The use of precompiled headers in one compilation, and the argument for NVRTC.
  struct Plan {
    enum class Use : std::uint8_t { kNone, kCreate, kTake };
    Use use = Use::kNone;
    std::string stamp = {};
    std::string argument = {};
    std::shared_ptr<const PrivateFolder> folder = {};  // of the file to create
    std::shared_ptr<const Descriptor> file = {};  // the file to use
  };

  /// Returns the plan for a compilation with `stamp`. The caller must then call one of the functions below as they
  /// state.
  Plan plan(const NvrtcLibrary& library, const std::string& stamp);

  /// Must be called after a successful compilation with a `kCreate` plan. `status` is NVRTC's status of the file.
  /// Without a file, this stamp is compiled without precompiled headers from then on. If NVRTC's heap is exhausted, all
  /// stamps are.
  void created(const Plan& plan, NvrtcResult status);

  /// Must be called if a compilation with `plan` failed and the one without it succeeded. Disables plans for this
  /// stamp.
  void drop(const Plan& plan);

  /// Must be called if the compilations with `plan` and without it both failed: the source is invalid, the stamp stays
  /// usable.
  void put_back(const Plan& plan);

 private:
  enum class State : std::uint8_t { kSeen, kBeingMade, kReady, kUseless };
  struct Entry {
    std::string stamp;
    State state = State::kSeen;
    std::shared_ptr<const Descriptor> file = {};
  };

  Entry* find(const std::string& stamp);
  void remember(const std::string& stamp);
  void keep_few();

  std::mutex mutex_;
  std::list<Entry> entries_;  // the latest first
  bool is_off_ = false;
};

}  // namespace kmux::nvrtc
