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

/// What headers a compilation begins with: equal only if the same options read the same files in the same state. Empty
/// where that cannot be told, and where the headers are too few to be worth it.
std::string headers_stamp(const std::string& text, const std::vector<File>& files,
                          const std::vector<std::string>& arguments, const Dependencies& dependencies);

/// Headers that were compiled in advance, in files without a name that end with the process. NVRTC takes such a file
/// without a look at whether the headers have changed, so a file is for one stamp. It is made by the second compilation
/// of a stamp: the first may well be the last, and making it costs about half as much again.
///
/// Threads: any.
class PrecompiledHeaders {
 public:
  /// What a compilation does about its headers, and the argument that says so to NVRTC.
  struct Plan {
    enum class Use : std::uint8_t { kNone, kCreate, kTake };
    Use use = Use::kNone;
    std::string stamp = {};
    std::string argument = {};
    std::shared_ptr<const PrivateFolder> folder = {};  // of the file that is made
    std::shared_ptr<const Descriptor> file = {};  // that is taken
  };

  Plan plan(const NvrtcLibrary& library, const std::string& stamp);

  /// After a compilation by a plan to create that succeeded: `status` is what NVRTC says of the file. Where there is none
  /// this stamp is compiled as it is from then on; where NVRTC has no memory for more, all are.
  void created(const Plan& plan, NvrtcResult status);

  /// After a compilation by `plan` that failed, where one without it succeeded: no more plans for this stamp.
  void drop(const Plan& plan);

  /// After a compilation by `plan` that failed, as one without it did: the source's fault.
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
