#include "simt/loader/code_symbols.h"

#include <atomic>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/signal_blocked.h"

#include "simt/loader/gdb_interface.h"

// gdb finds both names in the plugin's symbol table, which strip removes.
extern "C" {

// gdb sets a breakpoint here.
__attribute__((noinline, used, visibility("hidden"))) void
__jit_debug_register_code() {  // NOLINT(bugprone-reserved-identifier)
  asm volatile("" ::: "memory");
}

__attribute__((used, visibility("hidden"))) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};  // NOLINT
}

namespace kmux::simt {
namespace {

enum Action : std::uint32_t { kNone = 0, kRegister = 1, kUnregister = 2 };

std::atomic<bool> is_shown{false};

std::mutex& list_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

void tell_gdb(Action action, jit_code_entry& entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = kNone;
}

// Returns the T at byte `at` of `bytes`; empty if it does not fit.
template <class T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  bytes.substr(at).copy(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

// Writes the addresses of `sections` into the section headers of `object`.
void place_sections(std::string& object, const std::map<std::string, std::uint64_t>& sections) {
  const auto header = read_at<Elf64_Ehdr>(object, 0);
  if (!header) return;
  const auto place_of = [&](unsigned i) { return header->e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr); };
  const auto names = read_at<Elf64_Shdr>(object, place_of(header->e_shstrndx));
  for (unsigned i = 0; names && i < header->e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(object, place_of(i));
    const std::uint64_t name = names->sh_offset + (section ? section->sh_name : 0);
    if (!section || name >= object.size()) continue;
    const auto found = sections.find(object.c_str() + name);
    if (found == sections.end()) continue;
    std::memcpy(object.data() + place_of(i) + offsetof(Elf64_Shdr, sh_addr), &found->second, sizeof found->second);
  }
}

bool is_own_file(const Descriptor& file) {
  struct stat status{};
  return file.is_open() && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
}

std::string lines_of(const std::vector<CodeSymbol>& symbols) {
  std::string lines;
  for (const CodeSymbol& symbol : symbols) {
    char place[40];
    std::snprintf(place, sizeof place, "%" PRIx64 " %" PRIx64 " ", symbol.address, symbol.bytes);
    lines.append(place).append(symbol.name).append("\n");
  }
  return lines;
}

}  // namespace

void show_code(bool shows) { is_shown.store(shows); }

bool shows_code() { return is_shown.load(); }

struct ShownCode::Entry {
  std::string object;
  jit_code_entry link = {};
};

ShownCode::ShownCode(std::string object, const std::map<std::string, std::uint64_t>& sections)
    : entry_(std::make_unique<Entry>(Entry{std::move(object)})) {
  place_sections(entry_->object, sections);
  jit_code_entry& link = entry_->link;
  link.symfile_addr = entry_->object.data();
  link.symfile_size = entry_->object.size();
  const std::lock_guard lock(list_mutex());
  link.next_entry = __jit_debug_descriptor.first_entry;
  if (link.next_entry != nullptr) link.next_entry->prev_entry = &link;
  __jit_debug_descriptor.first_entry = &link;
  tell_gdb(kRegister, link);
}

ShownCode::~ShownCode() {
  const std::lock_guard lock(list_mutex());
  jit_code_entry& link = entry_->link;
  if (link.next_entry != nullptr) link.next_entry->prev_entry = link.prev_entry;
  (link.prev_entry == nullptr ? __jit_debug_descriptor.first_entry : link.prev_entry->next_entry) = link.next_entry;
  tell_gdb(kUnregister, link);
}

std::string perf_map() { return "/tmp/perf-" + std::to_string(::getpid()) + ".map"; }

void add_to_perf_map(const std::vector<CodeSymbol>& symbols) {
  const Descriptor file(
      ::open(perf_map().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!is_own_file(file)) return;
  const std::string lines = lines_of(symbols);
  const SignalBlocked blocked(SIGXFSZ);
  [[maybe_unused]] const ssize_t written =
      ::write(file.get(), lines.data(), lines.size());  // a short write only hides names from perf
}

}  // namespace kmux::simt
