#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kmux::cpu {

/// One thread for background work. It begins with the first job.
///
/// Threads:  any.
/// Lifetime: at its end what waits is dropped and what runs is waited for; `stopping` lets a job hear of it. When the
///           process ends, a job is left alone: nothing that it uses is destroyed (replaced_symbols.cpp). Only where LLVM
///           is a shared library, which is, the process waits for it.
class Background {
 public:
  using Job = std::function<void()>;

  Background();
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Does nothing in a forked child, once stopped or if no thread can be started. What a job throws is dropped.
  void post(Job job);
  /// Waits until everything posted so far is done or dropped.
  void wait();
  bool stopping() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

/// Precompiled preambles by all that decides them, in memory, the least recently used dropped first.
///
/// Threads: any.
class PreambleStore {
 public:
  /// Compiles one; empty if it cannot be. Gives up early once `stopping` says so.
  using Make = std::function<std::string(const std::function<bool()>& stopping)>;

  explicit PreambleStore(std::size_t most_bytes = std::size_t{64} << 20) : most_bytes_(most_bytes) {}

  /// The preamble of `key`, or null.
  std::shared_ptr<const std::string> find(const std::string& key);

  /// The preamble of `key`, or null. Where there is none, it is made in the background, once: what cannot be made is not
  /// asked for again.
  std::shared_ptr<const std::string> find_or_request(const std::string& key, const Make& make);

  /// Waits for what is being made.
  void wait() { background_.wait(); }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const std::string> bytes;  // null: being made, or failed
  };
  std::list<Entry>::iterator look_up(const std::string& key);
  void keep(const std::string& key, std::string bytes);

  std::mutex mutex_;
  std::list<Entry> entries_;  // the one used last first
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  Background background_;  // last: its jobs use the others
};

/// The bytes of the leading lines of `source` that are blank, comments or an `#include`; 0 if nothing is included.
///
/// What it begins with says all that Clang must know to have those headers compiled in advance: no macro or declaration
/// of the source comes before them.
std::size_t preamble_size(std::string_view source);

/// The names in the `#include` lines that those bytes have.
std::vector<std::string> included_first(std::string_view source);

/// The first bytes of a source, and what Clang made of them.
struct Preamble {
  std::size_t size = 0;  // 0: what comes before the source, "-include" among it
  std::shared_ptr<const std::string> precompiled = {};  // null: none
};

}  // namespace kmux::cpu
