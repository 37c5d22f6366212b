#include "kmux/plugin/platform.h"

#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "kmux/plugin/file_io.h"

// Requested by the build, and the only way without Linux.
#if !defined(KMUX_PORTABLE) && !defined(__linux__)
#define KMUX_PORTABLE
#endif

#ifdef KMUX_PORTABLE
#include <charconv>
#include <chrono>
#include <sstream>
#include <sys/file.h>

#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"
#ifdef __APPLE__
#include <crt_externs.h>
#endif
#else
#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <link.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#include "kmux/plugin/signal_blocked.h"
#endif

namespace kmux {
namespace {

constexpr int kScope = RTLD_NOW | RTLD_LOCAL;

bool is_at(const Descriptor& file, const std::filesystem::path& path) {
  struct stat named{};
  struct stat open{};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(file.get(), &open) == 0 && named.st_ino == open.st_ino &&
         named.st_dev == open.st_dev;
}

}  // namespace

char** process_environment() {
#ifdef __APPLE__  // where libraries cannot see `environ`
  return *_NSGetEnviron();
#else
  return environ;
#endif
}

std::uint64_t most_resident(int who) {
  rusage usage{};
  getrusage(who, &usage);
#ifdef __APPLE__
  constexpr std::uint64_t kUnit = 1;
#else
  constexpr std::uint64_t kUnit = 1024;
#endif
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kUnit;
}

#ifndef KMUX_PORTABLE

bool is_portable() { return false; }

bool has_added_rights() { return getauxval(AT_SECURE) != 0; }

std::filesystem::path linux_root() { return "/"; }

std::filesystem::path machine_folder() { return "/dev/shm"; }

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

std::string process_namespace() {
  std::array<char, 256> name{};
  return ::readlink("/proc/self/ns/pid", name.data(), name.size() - 1) < 0 ? "" : name.data();
}

timespec file_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

int make_pipe(std::array<int, 2>& ends) { return pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno; }

int make_socket_pair(std::array<int, 2>& ends) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0 ? 0 : errno;
}

short hang_up_event() { return POLLRDHUP; }

void add_close_from(posix_spawn_file_actions_t& actions, int first) {
  posix_spawn_file_actions_addclosefrom_np(&actions, first);
}

namespace {

// Returns the part of /proc/PID/stat after the process name, which may contain any character: the state, three numbers,
// the last of which is the session, and more. Empty if the process has ended.
std::string state_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string stat;
  std::getline(file, stat, '\0');
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos ? "" : stat.substr(name_end + 1);
}

pid_t session_of(const std::filesystem::path& process) {
  int session = 0;
  return std::sscanf(state_of(process).c_str(), " %*c %*d %*d %d", &session) == 1 ? session : 0;
}

}  // namespace

pid_t fork_unheard() { return static_cast<pid_t>(::syscall(SYS_clone, 0UL, nullptr, nullptr, nullptr, 0UL)); }

int any_child() { return __WALL; }

void close_all() { ::closefrom(0); }

bool is_stopped(pid_t process) {
  const std::string state = state_of("/proc/" + std::to_string(process));
  return state.starts_with(" T") || state.starts_with(" t");
}

std::vector<pid_t> session_members(pid_t leader) {
  std::vector<pid_t> members;
  for (const std::filesystem::path& entry : entries_in("/proc")) {
    const std::string name = entry.filename();
    if (name.find_first_not_of("0123456789") == std::string::npos && session_of(entry) == leader) {
      members.push_back(static_cast<pid_t>(std::stol(name)));
    }
  }
  return members;
}

namespace {

bool write_bytes(const Descriptor& file, std::string_view bytes) {
  const SignalBlocked blocked(SIGXFSZ);
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool is_loaded(const std::string& path) {
  void* const handle = dlopen(path.c_str(), kScope | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

// Returns a path of `file` that no loaded library has. The dynamic linker identifies libraries by path. A library that
// could not be unloaded keeps its path, but its descriptor number is reused, so the next file needs another spelling of
// that path.
std::string free_path(const Descriptor& file) {
  std::string path = "/proc/self/fd/" + std::to_string(file.get());
  while (path.size() < PATH_MAX - 1 && is_loaded(path)) path.insert(path.rfind('/'), "/");
  return path;
}

// Keeps the dependencies of a loaded library loaded until the process ends. Their threads, such as OpenMP's, would
// otherwise run unmapped code.
// Source: dlinfo(3), link_map(3type); System V ABI, chapter 5 (DT_NEEDED).
void keep_needed(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) return;
  const char* names = nullptr;
  for (const auto* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_STRTAB) continue;
    const bool is_offset = entry->d_un.d_ptr < map->l_addr;  // C libraries other than glibc leave it as in the file
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the dynamic section has numbers
    names = reinterpret_cast<const char*>(entry->d_un.d_ptr + (is_offset ? map->l_addr : 0));
  }
  for (const auto* entry = map->l_ld; names != nullptr && entry->d_tag != DT_NULL; ++entry) {
    // The handle is never closed.
    if (entry->d_tag == DT_NEEDED) dlopen(names + entry->d_un.d_val, kScope | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

}  // namespace

void* open_library_of(std::string_view bytes, const std::string& what, Descriptor& file, std::string& why) {
  file = Descriptor(memfd_create(("kmux-" + what).c_str(), MFD_CLOEXEC));
  if (!file.is_open()) return why = "out of memory for its file", nullptr;
  if (!write_bytes(file, bytes)) return why = std::string("its file: ") + std::strerror(errno), nullptr;
  const std::string path = free_path(file);
  if (is_loaded(path)) return why = "too many libraries could not be unloaded", nullptr;
  void* const handle = dlopen(path.c_str(), kScope);
  if (handle == nullptr) return why = dlerror(), nullptr;
  keep_needed(handle);
  return handle;
}

// On Linux the priority belongs to the thread, contrary to POSIX.
void yield_to_others(int nice) {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), ::getpriority(PRIO_PROCESS, 0) + nice);
}

bool is_first_thread() { return ::gettid() == ::getpid(); }

int wait_for_signal(const sigset_t& signals, const timespec& most) { return sigtimedwait(&signals, nullptr, &most); }

int get_affinity(std::size_t bytes, void* set) { return sched_getaffinity(0, bytes, static_cast<cpu_set_t*>(set)); }

MachineMemory machine_memory() {
  struct sysinfo info{};
  sysinfo(&info);
  const std::uint64_t unit = info.mem_unit;
  return {(std::uint64_t{info.freeram} + info.bufferram) * unit, info.totalram * unit};
}

// Each lock is a byte of one file that never grows, so that nothing is left behind. It belongs to an open file, not to
// the process, so that closing another descriptor of the file does not release it.
NumberedLocks::NumberedLocks(std::filesystem::path path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) {}

bool NumberedLocks::is_open() const { return file_.is_open(); }

bool NumberedLocks::is_current() const { return is_at(file_, path_); }

namespace {

// Numbers have 60 bits. The process also locks the byte beyond them, since the lock of an open file does not name its
// holder.
constexpr std::int64_t kOfProcesses = std::int64_t{1} << 61;

struct flock byte_of(std::int64_t number, short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = number;
  lock.l_len = 1;
  return lock;
}

int set_byte(const Descriptor& file, int how, std::int64_t number, short type) {
  struct flock lock = byte_of(number, type);
  return ::fcntl(file.get(), how, &lock) == 0 ? 0 : errno;
}

}  // namespace

int NumberedLocks::take(std::int64_t number) {
  const int error = set_byte(file_, F_OFD_SETLK, number, F_WRLCK);
  if (error == 0) set_byte(file_, F_SETLK, number + kOfProcesses, F_WRLCK);
  return error;
}

void NumberedLocks::give(std::int64_t number) {
  set_byte(file_, F_SETLK, number + kOfProcesses, F_UNLCK);
  set_byte(file_, F_OFD_SETLK, number, F_UNLCK);
}

pid_t NumberedLocks::holder(std::int64_t number) const {
  struct flock lock = byte_of(number + kOfProcesses, F_WRLCK);
  const bool is_held = ::fcntl(file_.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  return is_held ? lock.l_pid : 0;
}

#else

bool is_portable() { return true; }

bool is_stopped(pid_t) { return false; }

pid_t fork_unheard() { return -1; }

int any_child() { return 0; }

void close_all() {}

bool has_added_rights() { return getuid() != geteuid() || getgid() != getegid(); }

std::filesystem::path linux_root() { return "/dev/null"; }  // a file, so nothing is below it

std::filesystem::path machine_folder() { return "/tmp"; }

std::string boot_id() { return ""; }

std::string process_namespace() { return ""; }

// Portable systems do not expose the clock that stamps files, and some use a coarser one than is read here: returns a
// time surely past.
timespec file_clock() {
  constexpr std::int64_t kTick = 10'000'000;  // the longest tick of Linux
  constexpr std::int64_t kSecond = 1'000'000'000;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t past = ((now.tv_sec * kSecond + now.tv_nsec) / kTick - 1) * kTick;
  return {static_cast<time_t>(past / kSecond), static_cast<long>(past % kSecond)};
}

namespace {

// A child that another thread starts in between inherits them.
int close_on_exec(const std::array<int, 2>& ends) {
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return 0;
}

}  // namespace

int make_pipe(std::array<int, 2>& ends) { return pipe(ends.data()) == 0 ? close_on_exec(ends) : errno; }

int make_socket_pair(std::array<int, 2>& ends) {
  return socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0 ? close_on_exec(ends) : errno;
}

short hang_up_event() { return 0; }

namespace {

// Returns the number that `name` spells, or -1.
int number_of(std::string_view name) {
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : -1;
}

std::vector<int> own_descriptors() {
  std::vector<int> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/dev/fd", error), end; !error && at != end; at.increment(error)) {
    if (const int number = number_of(at->path().filename().string()); number >= 0) found.push_back(number);
  }
  return found;
}

}  // namespace

void add_close_from(posix_spawn_file_actions_t& actions, int first) {
  for (const int one : own_descriptors()) {
    const int flags = fcntl(one, F_GETFD);
    if (one >= first && flags >= 0 && (flags & FD_CLOEXEC) == 0) posix_spawn_file_actions_addclose(&actions, one);
  }
}

// POSIX reports the session of a process, but only ps lists processes.
std::vector<pid_t> session_members(pid_t leader) {
  constexpr auto kPatience = std::chrono::seconds(5);
  std::vector<pid_t> members;
  const Result<ProcessResult> list = run({.argv = {"ps", "-A", "-o", "pid="}, .timeout = kPatience});
  std::istringstream words(list ? list->standard_output : "");
  for (pid_t process = 0; words >> process;) {
    if (::getsid(process) == leader) members.push_back(process);
  }
  return members;
}

// The file is removed once loaded, so that a killed process leaves nothing behind.
void* open_library_of(std::string_view bytes, const std::string& what, Descriptor& /*file*/, std::string& why) {
  const Result<PrivateFolder> folder = PrivateFolder::create("kmux-" + what);
  if (!folder) return why = folder.error().message, nullptr;
  const std::string path = folder->path() + "/" + what + ".so";
  if (const Status written = write_file(path, bytes); !written) return why = written.error().message, nullptr;
  void* const handle = dlopen(path.c_str(), kScope);
  if (handle == nullptr) why = dlerror();
  return handle;
}

void yield_to_others(int) {}  // POSIX's setpriority is for the whole process

namespace {

// The thread that loaded this library, which approximates the main thread.
const pthread_t first_thread = pthread_self();

}  // namespace

bool is_first_thread() { return pthread_equal(pthread_self(), first_thread) != 0; }

int wait_for_signal(const sigset_t& signals, const timespec& most) {
  constexpr int kMaxSignals = 32;
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  for (int signal = 1; signal < kMaxSignals; ++signal) {
    int taken = 0;
    if (sigismember(&signals, signal) == 1 && sigismember(&pending, signal) == 1)
      return sigwait(&signals, &taken) == 0 ? taken : -1;
  }
  nanosleep(&most, nullptr);
  return 0;
}

int get_affinity(std::size_t, void*) { return errno = ENOSYS, -1; }

// Neither name is POSIX's; systems that have them agree on their meaning.
MachineMemory machine_memory() {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  MachineMemory memory;
#ifdef _SC_PHYS_PAGES
  memory.total = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page;
#endif
  memory.free = memory.total;
#ifdef _SC_AVPHYS_PAGES
  memory.free = static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
#endif
  return memory;
}

// A file for each lock, which exists while it is held. POSIX's own locks belong to the process: closing any descriptor
// of the file would release them all.
NumberedLocks::NumberedLocks(std::filesystem::path path) : path_(std::move(path)) {}

bool NumberedLocks::is_open() const { return true; }

bool NumberedLocks::is_current() const { return true; }

namespace {

std::string path_of(const std::filesystem::path& path, std::int64_t number) {
  return path.string() + "." + std::to_string(number);
}

}  // namespace

pid_t NumberedLocks::holder(std::int64_t) const { return 0; }

int NumberedLocks::take(std::int64_t number) {
  const std::string path = path_of(path_, number);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return errno;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? EAGAIN : errno;
  if (!is_at(file, path)) return EAGAIN;  // its last holder has removed it meanwhile
  const std::lock_guard guard(mutex_);
  held_.insert_or_assign(number, std::move(file));
  return 0;
}

void NumberedLocks::give(std::int64_t number) {
  const std::lock_guard guard(mutex_);
  const auto held = held_.find(number);
  if (held == held_.end()) return;
  ::unlink(path_of(path_, number).c_str());
  ::flock(held->second.get(), LOCK_UN);  // a child may have a copy of it
  held_.erase(held);
}

#endif

}  // namespace kmux
