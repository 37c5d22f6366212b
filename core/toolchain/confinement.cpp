// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/confinement.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <sys/resource.h>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/process.h"

namespace kmux {

namespace fs = std::filesystem;

bool contains_home(const fs::path& folder) {
  const char* const variable = std::getenv("HOME");
  std::error_code error;
  const fs::path home = fs::canonical(variable == nullptr ? "" : variable, error);
  const bool has_home = !error && !home.lexically_relative(folder).string().starts_with("..");
  return has_home || !folder.has_relative_path();
}

namespace {

// Locations of programs, libraries and headers, of loader files, and of machine facts that compilers read.
constexpr const char* kSystem[] = {"/usr",
                                   "/bin",
                                   "/sbin",
                                   "/lib",
                                   "/lib32",
                                   "/lib64",
                                   "/libx32",
                                   "/opt",
                                   "/nix",
                                   "/gnu",
                                   "/etc/ld.so.cache",
                                   "/etc/ld.so.conf",
                                   "/etc/ld.so.conf.d",
                                   "/etc/alternatives",
                                   "/etc/debian_version",  // these three: what Clang chooses by
                                   "/etc/lsb-release",
                                   "/etc/os-release",
                                   "/etc/localtime",
                                   "/proc",
                                   "/sys",
                                   "/dev/zero",
                                   "/dev/random",
                                   "/dev/urandom"};

// Returns the path up to its folder of Python packages, where the parts of a toolchain are side by side; else an empty
// path.
fs::path packages_above(const fs::path& path) {
  fs::path above;
  for (const fs::path& part : path) {
    above /= part;
    if (part == "site-packages" || part == "dist-packages") return above;
  }
  return {};
}

bool holds_programs(const fs::path& folder) {
  const fs::path name = folder.filename();
  return name == "bin" || name == "lib" || name == "lib64";
}

void add_folders(std::vector<std::string>& list, const char* variable) {
  const char* const value = has_added_rights() ? nullptr : std::getenv(variable);
  std::ranges::move(absolute_folders_in(value == nullptr ? "" : value), std::back_inserter(list));
}

}  // namespace

std::vector<std::string> system_reads() {
  std::vector<std::string> reads(std::begin(kSystem), std::end(kSystem));
  for (const char* variable : {"PATH", "LD_LIBRARY_PATH", "KMUX_COMPILER_READS"}) add_folders(reads, variable);
  return reads;
}

std::vector<std::string> user_writes() {
  std::vector<std::string> writes;
  add_folders(writes, "KMUX_COMPILER_WRITES");
  return writes;
}

std::string installation_around(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  const fs::path& real = error ? fs::path(path) : resolved;
  if (const fs::path packages = packages_above(real); !packages.empty()) return packages.string();
  const fs::path folder = holds_programs(real) ? real : real.parent_path();
  const bool is_installed = holds_programs(folder) && !contains_home(folder.parent_path());
  return (is_installed ? folder.parent_path() : real).string();
}

std::string installation_of(const std::string& program) {
  std::error_code error;
  const fs::path resolved = fs::canonical(program, error);
  const fs::path folder = (error ? fs::path(program) : resolved).parent_path();
  const bool is_installed = folder.filename() == "bin" && !contains_home(folder.parent_path());
  return (is_installed ? folder.parent_path() : folder).string();
}

}  // namespace kmux

#if defined(__linux__) && !defined(KMUX_PORTABLE)

#include <array>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#include "kmux/plugin/descriptor.h"

namespace kmux {
namespace {

// From linux/landlock.h, whose later parts older systems lack.
namespace landlock {

constexpr std::uint64_t kExecute = 1, kWriteFile = 2, kReadFile = 4, kReadFolder = 8;
constexpr std::uint64_t kAllOfVersion1 = (1 << 13) - 1;  // including creation and removal
constexpr std::uint64_t kRefer = 1 << 13, kTruncate = 1 << 14, kDevices = 1 << 15;
constexpr std::uint64_t kTcp = 3;    // bind and connect
constexpr std::uint64_t kScope = 3;  // abstract sockets and signals
constexpr int kBeneath = 1;

struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scope = 0;
};
struct __attribute__((packed)) Beneath {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};

// Returns the access rights that each version handles; `bytes` is the ruleset size that it supports.
Ruleset all_of(int version, std::size_t& bytes) {
  Ruleset rules{kAllOfVersion1, 0, 0};
  bytes = sizeof rules.files;
  if (version >= 2) rules.files |= kRefer;
  if (version >= 3) rules.files |= kTruncate;
  if (version >= 4) rules.network = kTcp, bytes += sizeof rules.network;
  if (version >= 5) rules.files |= kDevices;
  if (version >= 6) rules.scope = kScope, bytes += sizeof rules.scope;
  return rules;
}

int version() { return static_cast<int>(::syscall(SYS_landlock_create_ruleset, nullptr, std::size_t{0}, 1U)); }

// A missing path allows nothing.
void allow(const Descriptor& ruleset, const std::string& path, std::uint64_t rights) {
  const Descriptor opened(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat facts{};
  if (!opened.is_open() || ::fstat(opened.get(), &facts) != 0) return;
  constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDevices;
  const Beneath rule{S_ISDIR(facts.st_mode) ? rights : rights & kOfFiles, opened.get()};
  ::syscall(SYS_landlock_add_rule, ruleset.get(), kBeneath, &rule, 0U);
}

// Returns the ruleset for a thread; closed if the kernel has no Landlock.
Descriptor ruleset_of(const Confinement& confinement) {
  const int known = version();
  if (known < 1) return Descriptor();
  std::size_t bytes = 0;
  const Ruleset rules = all_of(known, bytes);
  Descriptor ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, bytes, 0U)));
  if (!ruleset.is_open()) return ruleset;
  for (const std::string& path : confinement.reads) allow(ruleset, path, kExecute | kReadFile | kReadFolder);
  for (const std::string& path : confinement.writes) allow(ruleset, path, rules.files);
  allow(ruleset, "/dev/null", rules.files);
  return ruleset;
}

}  // namespace landlock

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;  // no filter
#endif

// System calls that no compiler needs: inspecting other processes, changing the machine, leaving the confinement,
// communicating.
constexpr int kRefused[] = {SYS_ptrace,
                            SYS_process_vm_readv,
                            SYS_process_vm_writev,
                            SYS_kcmp,
                            SYS_pidfd_getfd,
                            SYS_mount,
                            SYS_umount2,
                            SYS_pivot_root,
                            SYS_chroot,
                            SYS_move_mount,
                            SYS_open_tree,
                            SYS_fsopen,
                            SYS_fsconfig,
                            SYS_fsmount,
                            SYS_fspick,
                            SYS_mount_setattr,
                            SYS_swapon,
                            SYS_swapoff,
                            SYS_reboot,
                            SYS_sethostname,
                            SYS_setdomainname,
                            SYS_init_module,
                            SYS_finit_module,
                            SYS_delete_module,
                            SYS_kexec_load,
                            SYS_bpf,
                            SYS_perf_event_open,
                            SYS_userfaultfd,
                            SYS_io_uring_setup,
                            SYS_keyctl,
                            SYS_add_key,
                            SYS_request_key,
                            SYS_unshare,
                            SYS_setns,
                            SYS_open_by_handle_at,
                            SYS_quotactl,
                            SYS_acct,
                            SYS_settimeofday,
                            SYS_clock_settime,
                            SYS_socket};

constexpr std::uint32_t refused_with(int number) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(number); }

std::vector<sock_filter> filter() {
  constexpr std::uint32_t kNewSpaces =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  const auto load = [](std::size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  };
  const auto end = [](std::uint32_t verdict) { return sock_filter BPF_STMT(BPF_RET | BPF_K, verdict); };
  const auto unless = [](std::uint16_t test, std::uint32_t value) {
    return sock_filter BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, 0, 1);
  };
  std::vector<sock_filter> steps = {load(offsetof(seccomp_data, arch)), unless(BPF_JEQ, kMachine),
                                    sock_filter BPF_STMT(BPF_JMP | BPF_JA, 1), end(refused_with(ENOSYS)),
                                    load(offsetof(seccomp_data, nr))};
  const auto refuse = [&](std::uint16_t test, std::uint32_t value, int number) {
    steps.push_back(unless(test, value));
    steps.push_back(end(refused_with(number)));
  };
#if defined(__x86_64__)
  refuse(BPF_JGE, 0x40000000U, ENOSYS);  // x32 system calls
#endif
  for (const int call : kRefused) refuse(BPF_JEQ, static_cast<std::uint32_t>(call), EPERM);
  refuse(BPF_JEQ, SYS_clone3, ENOSYS);  // its flags are in memory; the C library falls back to clone
  steps.push_back(sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
  steps.push_back(load(offsetof(seccomp_data, args[0])));
  refuse(BPF_JSET, kNewSpaces, EPERM);
  steps.push_back(end(SECCOMP_RET_ALLOW));
  return steps;
}

std::vector<std::uint64_t> packed_filter() {
  static_assert(sizeof(sock_filter) == sizeof(std::uint64_t));
  if (kMachine == 0) return {};
  const std::vector<sock_filter> steps = filter();
  std::vector<std::uint64_t> packed(steps.size());
  std::memcpy(packed.data(), steps.data(), steps.size() * sizeof(sock_filter));
  return packed;
}

void limit(pid_t process, __rlimit_resource resource, rlim_t most) {
  rlimit now{};
  if (::prlimit(process, resource, nullptr, &now) != 0) return;
  const rlimit limited{std::min(now.rlim_cur, most), std::min(now.rlim_max, most)};
  ::prlimit(process, resource, &limited, nullptr);
}

// Read once, in a process that may allocate: `limit_process` also runs between a fork and the start of a program.
[[maybe_unused]] std::uint64_t machine_bytes() {
  static const std::uint64_t bytes = machine_memory().total;
  return bytes;
}

}  // namespace

PreparedConfinement::PreparedConfinement(const Confinement& confinement)
    : files_(landlock::ruleset_of(confinement)), calls_(packed_filter()) {
  machine_bytes();
}

void PreparedConfinement::apply() const {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  if (files_.is_open()) ::syscall(SYS_landlock_restrict_self, files_.get(), 0U);
  if (calls_.empty()) return;
  // The kernel only reads it.
  auto* const steps = reinterpret_cast<sock_filter*>(const_cast<std::uint64_t*>(calls_.data()));
  const sock_fprog program{static_cast<unsigned short>(calls_.size()), steps};
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void limit_process(pid_t process, bool is_timed) {
  constexpr rlim_t kFileBytes = rlim_t{4} << 30, kSeconds = 3600;
  limit(process, RLIMIT_CORE, 0);
  limit(process, RLIMIT_FSIZE, kFileBytes);
  if (is_timed) limit(process, RLIMIT_CPU, kSeconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which reserve more than a machine has
  limit(process, RLIMIT_DATA, machine_bytes());
#endif
}

std::string confinement_here() {
  const int version = landlock::version();
  const bool filters = kMachine != 0 && ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
  std::string text = version > 0 ? "Landlock " + std::to_string(version) : "no Landlock (the kernel lacks it)";
  return text + (filters ? ", seccomp" : ", no seccomp (the kernel lacks it)");
}

}  // namespace kmux

#else

namespace kmux {

PreparedConfinement::PreparedConfinement(const Confinement&) {}
void PreparedConfinement::apply() const {}
void limit_process(pid_t, bool) {}
std::string confinement_here() { return "nothing (this system has neither Landlock nor seccomp)"; }

}  // namespace kmux

#endif
