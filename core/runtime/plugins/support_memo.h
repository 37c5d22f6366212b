#pragma once

#include <list>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/registry.h"

namespace kmux {

/// Keeps what plugins answered for the programs that were resolved last. To ask a plugin, the whole program crosses the
/// ABI as JSON; to compare it with one that is remembered takes far less. What is in the files does not matter: `supports`
/// looks at the IR only.
///
/// Threads: any.
class SupportMemo {
 public:
  /// What `plugin` lacks for `request`, asked once.
  Result<std::vector<MissingFeature>> ask(Plugin& plugin, const BuildRequest& request);

 private:
  using Key = std::tuple<std::string, std::size_t, std::string, Options>;  // plugin, variant, target, options
  struct Entry {
    Program program;  // without the contents of its files
    std::map<Key, std::vector<MissingFeature>> missing;
  };
  Entry& entry_of(const Program& program);

  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
};

}  // namespace kmux
