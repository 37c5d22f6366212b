#include "simt/frontend/preamble_store.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <new>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kmux/plugin/start_thread.h"

namespace kmux::simt {
namespace {

void run(const Background::Job& job) noexcept {
  try {
    job();
  } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory; no caller waits for it
  }
}

}  // namespace

struct Background::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool busy = false;
  std::atomic<bool> stopped{false};
  std::thread thread;
  const pid_t process = ::getpid();

  bool is_forked() const { return process != ::getpid(); }

  void work();
  void stop();
};

void Background::State::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return stopped || !jobs.empty(); });
    if (stopped) return;
    Job job = std::exchange(jobs.front(), {});
    jobs.pop_front();
    busy = true;
    lock.unlock();
    run(std::exchange(job, {}));
    lock.lock();
    busy = false;
    changed.notify_all();
  }
}

void Background::State::stop() {
  if (is_forked()) return;
  std::deque<Job> dropped;
  std::thread ending;
  {
    const std::lock_guard lock(mutex);
    stopped = true;
    dropped.swap(jobs);
    ending.swap(thread);
  }
  changed.notify_all();
  if (ending.joinable()) ending.join();
}

namespace {

struct Running {
  std::mutex mutex;
  std::vector<std::weak_ptr<Background::State>> all;
};

// Never destroyed, since it is used while the process ends.
Running& running() {
  static Running& instance = *new Running;
  return instance;
}

void stop_all() {
  std::vector<std::weak_ptr<Background::State>> all;
  {
    const std::lock_guard lock(running().mutex);
    all.swap(running().all);
  }
  for (const auto& one : all) {
    if (const auto state = one.lock()) state->stop();
  }
}

// Stops `state` when the process ends. Exit handlers run in reverse order. This one is registered with the first job,
// after a compilation, so it runs before the destructors of the compiler's data.
void stop_at_exit(std::weak_ptr<Background::State> state) {
  const std::lock_guard lock(running().mutex);
  std::atexit(stop_all);
  running().all.push_back(std::move(state));
}

}  // namespace

Background::Background() : state_(std::make_shared<State>()) {}

Background::~Background() {
  if (!state_->is_forked()) {
    state_->stop();
    return;
  }
  // The state cannot be destroyed: the thread that waits in it does not exist in this process. So this reference to it
  // is never destroyed.
  alignas(std::shared_ptr<State>) std::array<std::byte, sizeof(std::shared_ptr<State>)> holder;
  ::new (holder.data()) std::shared_ptr(state_);
}

void Background::post(Job job) {
  if (state_->is_forked()) return;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) return;
    state_->jobs.push_back(std::move(job));
    if (!state_->thread.joinable()) {
      stop_at_exit(state_);
      auto started = start_thread([state = state_] { state->work(); });
      if (!started) {
        state_->jobs.pop_back();
        return;
      }
      state_->thread = *std::move(started);
    }
  }
  state_->changed.notify_all();
}

void Background::wait() {
  if (state_->is_forked()) return;
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->stopped || (state_->jobs.empty() && !state_->busy); });
}

bool Background::stopping() const { return state_->stopped; }

namespace {

constexpr std::size_t kMaxEntries = 256;

}  // namespace

// Returns the entry of `key`, now the most recently used, or the end. The caller must hold the lock.
std::list<PreambleStore::Entry>::iterator PreambleStore::look_up(const std::string& key) {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found != entries_.end()) entries_.splice(entries_.begin(), entries_, found);
  return found;
}

std::shared_ptr<const std::string> PreambleStore::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = look_up(key);
  return found == entries_.end() ? nullptr : found->bytes;
}

std::shared_ptr<const std::string> PreambleStore::find_or_request(const std::string& key, const Make& make) {
  const std::lock_guard lock(mutex_);
  if (const auto found = look_up(key); found != entries_.end()) return found->bytes;
  entries_.push_front({key, nullptr});
  if (entries_.size() > kMaxEntries) {
    if (entries_.back().bytes) bytes_ -= entries_.back().bytes->size();
    entries_.pop_back();
  }
  background_.post([this, key, make] { keep(key, make([this] { return background_.stopping(); })); });
  return nullptr;
}

void PreambleStore::keep(const std::string& key, std::string bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found == entries_.end() || bytes.empty() || bytes.size() > most_bytes_) return;
  bytes_ += bytes.size();
  found->bytes = std::make_shared<const std::string>(std::move(bytes));
  while (bytes_ > most_bytes_) {
    const auto oldest = std::find_if(entries_.rbegin(), entries_.rend(),
                                     [&](const Entry& entry) { return entry.bytes && entry.key != key; });
    bytes_ -= oldest->bytes->size();
    entries_.erase(std::prev(oldest.base()));
  }
}

namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

// Removes a leading comment from `text`. Returns false if `text` does not begin with one, or it has no end.
bool drop_comment(std::string_view& text) {
  const bool is_line = text.starts_with("//");
  if (!is_line && !text.starts_with("/*")) return false;
  const std::size_t end = is_line ? text.find('\n') : text.find("*/", 2);
  if (end == text.npos) return false;
  if (text.substr(0, end).ends_with('\\') || text.substr(0, end).ends_with("\\\r")) return false;
  text.remove_prefix(is_line ? end : end + 2);
  return true;
}

// Removes all leading blanks and comments.
void drop_blanks(std::string_view& text) {
  do {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  } while (drop_comment(text));
}

bool drop_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// Removes `#include <x>` or `#include "x"`, up to the end of the name, and appends the name to `names`.
bool drop_include(std::string_view& text, std::vector<std::string>& names) {
  std::string_view rest = text;
  if (!drop_word(rest, "#")) return false;
  drop_blanks(rest);
  if (!drop_word(rest, "include")) return false;
  drop_blanks(rest);
  if (!rest.starts_with('<') && !rest.starts_with('"')) return false;
  const std::size_t end = rest.find(rest.front() == '<' ? '>' : '"', 1);
  if (end > rest.find('\n')) return false;
  names.emplace_back(rest.substr(1, end - 1));
  rest.remove_prefix(end + 1);
  text = rest;
  return true;
}

std::size_t read_preamble(std::string_view source, std::vector<std::string>& names) {
  std::string_view rest = source;
  std::size_t size = 0;
  bool includes = false;
  for (;;) {
    drop_blanks(rest);
    const std::size_t before = names.size();
    const bool included = drop_include(rest, names);
    if (included) drop_blanks(rest);
    if (!rest.starts_with('\n')) {
      names.resize(before);
      return includes ? size : 0;
    }
    rest.remove_prefix(1);
    includes = includes || included;
    size = source.size() - rest.size();
  }
}

}  // namespace

std::size_t preamble_size(std::string_view source) {
  std::vector<std::string> names;
  return read_preamble(source, names);
}

std::vector<std::string> included_first(std::string_view source) {
  std::vector<std::string> names;
  read_preamble(source, names);
  return names;
}

}  // namespace kmux::simt
