#include "simt/runtime/processor.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

// Linux system calls, or POSIX alone: as the build chooses (docs/design/0048-portable.md), in an exported library as its system has it.
#if defined(__linux__) && !defined(KMUX_PORTABLE)
#include <sched.h>
#include <sys/syscall.h>
#endif

namespace kmux::simt {
namespace {

// 200 readings of the clock are accurate to 1%; three samples are taken, in the first launch of a process.
constexpr std::uint64_t kSampleNs = 5000;

std::uint64_t sample_rate() {
  const std::uint64_t from = nanoseconds();
  const std::uint64_t first = ticks();
  std::uint64_t now = from;
  while (now < from + kSampleNs) now = nanoseconds();
  return (ticks() - first) * 1000 / (now - from);
}

std::uint64_t middle(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t low = a < b ? a : b;
  const std::uint64_t high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

std::atomic<std::uint64_t> known_rate{0};

}  // namespace

// One sample is wrong if the thread is preempted between two readings.
std::uint64_t ticks_per_us() {
  std::uint64_t rate = known_rate.load(std::memory_order_relaxed);
  if (rate != 0) return rate;
  rate = middle(sample_rate(), sample_rate(), sample_rate());
  if (rate == 0) rate = 1;
  known_rate.store(rate, std::memory_order_relaxed);
  return rate;
}

namespace {

unsigned smaller(unsigned a, unsigned b) { return b == 0 || (a != 0 && a < b) ? a : b; }  // 0: no limit

unsigned whole_cpus(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<unsigned>((quota + period - 1) / period);
}

bool read_text(const char* path, char* text, int size) {
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return false;
  const bool is_read = std::fgets(text, size, file) != nullptr;
  std::fclose(file);
  return is_read;
}

// Parses "150000 100000" or "max 100000".
unsigned quota_v2(const char* folder) {
  char path[PATH_MAX + 32], text[64];
  std::snprintf(path, sizeof path, "%s/cpu.max", folder);
  if (!read_text(path, text, sizeof text)) return 0;
  char* end = nullptr;
  const long long quota = std::strtoll(text, &end, 10);
  return end == text ? 0 : whole_cpus(quota, std::strtoll(end, nullptr, 10));
}

unsigned quota_v1(const char* folder) {
  char path[PATH_MAX + 32], quota[32], period[32];
  std::snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
  if (!read_text(path, quota, sizeof quota)) return 0;
  std::snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
  if (!read_text(path, period, sizeof period)) return 0;
  return whole_cpus(std::strtoll(quota, nullptr, 10), std::strtoll(period, nullptr, 10));
}

// Returns the smallest quota of a group and its ancestors, up to `root`: any of them may have one.
template <class Quota>
unsigned least_quota(const char* root, const char* group, Quota quota) {
  char folder[PATH_MAX];
  const std::size_t stem = std::strlen(root);
  if (stem + std::strlen(group) >= sizeof folder) return 0;
  std::strcpy(folder, root);
  std::strcat(folder, group);
  unsigned least = 0;
  for (;;) {
    least = smaller(least, quota(folder));
    char* const slash = std::strrchr(folder, '/');
    if (slash == nullptr || slash < folder + stem) return least;
    *slash = '\0';
  }
}

bool has_word(const char* list, const char* word) {
  const std::size_t size = std::strlen(word);
  for (const char* at = list; (at = std::strstr(at, word)) != nullptr; at += size) {
    const bool begins = at == list || at[-1] == ',';
    if (begins && (at[size] == ',' || at[size] == '\0')) return true;
  }
  return false;
}

// Parses a line of /proc/self/cgroup: "0::/group", or "4:cpu,cpuacct:/group" of version 1.
unsigned quota_of_line(char* line, const char* root) {
  line[std::strcspn(line, "\n")] = '\0';
  char* const controllers = std::strchr(line, ':');
  if (controllers == nullptr) return 0;
  char* const group = std::strchr(controllers + 1, ':');
  if (group == nullptr) return 0;
  *group = '\0';
  if (controllers[1] == '\0') return least_quota(root, group + 1, quota_v2);
  if (!has_word(controllers + 1, "cpu")) return 0;
  char mount[PATH_MAX];
  std::snprintf(mount, sizeof mount, "%s/cpu", root);  // a link where controllers are mounted together
  return least_quota(mount, group + 1, quota_v1);
}

}  // namespace

unsigned quota_cpus(const char* self_cgroup, const char* root) {
  std::FILE* const file = std::fopen(self_cgroup, "re");
  if (file == nullptr) return 0;
  unsigned least = 0;
  char line[PATH_MAX];
  while (std::fgets(line, sizeof line, file) != nullptr) least = smaller(least, quota_of_line(line, root));
  std::fclose(file);
  return least;
}

#if defined(__linux__) && !defined(KMUX_PORTABLE)

namespace {

constexpr int kMaxCpus = 8192;  // upper limit of Linux
constexpr std::size_t kMaskBytes = kMaxCpus / CHAR_BIT;
union CpuMask {
  cpu_set_t set;
  unsigned char bytes[kMaskBytes];
};

bool main_thread_mask(CpuMask& mask) { return sched_getaffinity(getpid(), kMaskBytes, &mask.set) == 0; }

// linux/futex.h need not be installed where a library is exported. Source: futex(2).
constexpr int kFutexWait = 0 | 128;  // 128: private, no other process uses the word
constexpr int kFutexWake = 1 | 128;

}  // namespace

unsigned usable_cpus() {
  CpuMask mask{};
  const bool is_known = main_thread_mask(mask);
  const unsigned count = is_known ? static_cast<unsigned>(CPU_COUNT_S(kMaskBytes, &mask.set)) : 0;
  return smaller(count == 0 ? 1 : count, quota_cpus("/proc/self/cgroup", "/sys/fs/cgroup"));
}

void run_on_usable_cpus() {
  CpuMask mask{};
  if (main_thread_mask(mask)) sched_setaffinity(0, kMaskBytes, &mask.set);
}

void begin_worker() {
  pthread_setname_np(pthread_self(), "kmux-cpu");
  run_on_usable_cpus();
}

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  syscall(SYS_futex, &word, kFutexWait, value, nullptr, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word, unsigned threads) {
  syscall(SYS_futex, &word, kFutexWake, threads, nullptr, nullptr, 0);
}

void forget_sleepers() {}

#else

namespace {

// Where threads sleep. Several words share one place: a wake for one word wakes the sleepers of all of them.
struct Sleepers {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
};
constexpr std::size_t kPlaces = 32;
Sleepers places[kPlaces];

Sleepers& place_of(const void* word) { return places[reinterpret_cast<std::uintptr_t>(word) / 64 % kPlaces]; }

}  // namespace

unsigned usable_cpus() {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : static_cast<unsigned>(count);
}

void run_on_usable_cpus() {}

void begin_worker() {}

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  Sleepers& place = place_of(&word);
  pthread_mutex_lock(&place.mutex);
  if (word.load(std::memory_order_acquire) == value) pthread_cond_wait(&place.woken, &place.mutex);
  pthread_mutex_unlock(&place.mutex);
}

// The word has changed before: a thread that saw its old value under the mutex sleeps by now.
void wake(std::atomic<std::uint32_t>& word, unsigned) {
  Sleepers& place = place_of(&word);
  pthread_mutex_lock(&place.mutex);
  pthread_cond_broadcast(&place.woken);
  pthread_mutex_unlock(&place.mutex);
}

void forget_sleepers() {
  for (Sleepers& place : places) {
    pthread_mutex_init(&place.mutex, nullptr);
    pthread_cond_init(&place.woken, nullptr);
  }
}

#endif

}  // namespace kmux::simt
