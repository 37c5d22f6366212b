#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kmux/dependencies.h"
#include "kmux/dispatch.h"
#include "kmux/private_folder.h"

#include "nvrtc_library.h"

namespace kmux::nvrtc {

/// What headers a compilation begins with: equal only if the same options read the same files in the same state. Empty
/// where that cannot be told, and where the headers are too few to be worth it.
std::string headers_stamp(const std::string& text, const std::vector<File>& files,
                          const std::vector<std::string>& arguments, const Dependencies& dependencies);

/// Headers that were compiled in advance, in files of this process. NVRTC takes such a file without a look at whether the
/// headers have changed, so a file is for one stamp. It is made by the second compilation of a stamp: the first may well
/// be the last, and making it costs about as much again.
///
/// Threads: any.   Lifetime: removes its files.
class PrecompiledHeaders {
 public:
  /// What a compilation does about its headers, and the options that say so to NVRTC.
  struct Plan {
    enum class Use : std::uint8_t { kNone, kCreate, kTake };
    Use use = Use::kNone;
    std::string stamp = {};
    std::vector<std::string> arguments = {};
  };

  Plan plan(const NvrtcLibrary& library, const std::string& stamp);

  /// After a compilation by a plan to create: `status` is what NVRTC says of it. Without memory for more, or after a
  /// compilation that failed, this stamp or all later ones are compiled as they are.
  void created(const Plan& plan, NvrtcResult status);

  /// The file of `plan` is of no use.
  void drop(const Plan& plan);

 private:
  enum class State : std::uint8_t { kSeen, kBeingMade, kReady, kUseless };
  struct Entry {
    std::string stamp;
    State state = State::kSeen;
  };

  Entry* find(const std::string& stamp);
  std::optional<std::string> folder();
  void remember(const std::string& stamp);
  void keep_few();

  std::mutex mutex_;
  std::list<Entry> entries_;  // the latest first
  std::optional<PrivateFolder> folder_;
  bool is_off_ = false;
};

}  // namespace kmux::nvrtc
