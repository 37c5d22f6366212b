#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kmux::simt {

/// One thread for background work. The first job starts it.
///
/// Threads:  any.
/// Lifetime: the destructor drops queued jobs and waits for the running one, which can poll `stopping`. When the
///           process ends, a running job is left alone: nothing that it uses is destroyed (replaced_symbols.cpp). Only
///           where LLVM is a shared library, which is destroyed, the process waits for the job.
class Background {
 public:
  using Job = std::function<void()>;

  Background();
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Queues `job`. Does nothing in a forked child, once stopped, or if no thread can be started. Exceptions of a job
  /// are dropped.
  void post(Job job);
  /// Blocks until all queued jobs are done or dropped.
  void wait();
  bool stopping() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

/// Precompiled preambles in memory, by a key of all their inputs. The least recently used is dropped first.
class PreambleStore {
 public:
  /// Returns a compiled preamble, or an empty string if it fails. Should return early once `stopping` returns true.
  using Make = std::function<std::string(const std::function<bool()>& stopping)>;

  explicit PreambleStore(std::size_t most_bytes = std::size_t{64} << 20) : most_bytes_(most_bytes) {}

  /// Returns the preamble of `key`, or null.
  std::shared_ptr<const std::string> find(const std::string& key);

  /// Returns the preamble of `key`, or null. A missing one is made in the background, once: after a failure it is not
  /// made again.
  std::shared_ptr<const std::string> find_or_request(const std::string& key, const Make& make);

  /// Blocks until all requested preambles are made.
  void wait() { background_.wait(); }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const std::string> bytes;  // null: being made, or failed
  };
  std::list<Entry>::iterator look_up(const std::string& key);
  void keep(const std::string& key, std::string bytes);

  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  Background background_;  // last: its jobs use the others
};

/// Returns the size in bytes of the leading lines of `source` that are blank, comments or an `#include`; 0 if nothing
/// is included.
///
/// These lines suffice for Clang to compile those headers in advance: no macro or declaration of the source comes
/// before them.
std::size_t preamble_size(std::string_view source);

/// Returns the names in the `#include` lines that those bytes have.
std::vector<std::string> included_first(std::string_view source);

/// The first bytes of a source, and their precompiled form.
struct Preamble {
  std::size_t size = 0;  // 0: the text before the source, such as "-include"
  std::shared_ptr<const std::string> precompiled = {};  // null: none
};

}  // namespace kmux::simt
