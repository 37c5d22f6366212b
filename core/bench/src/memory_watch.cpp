#include "memory_watch.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/start_thread.h"
#include "kmux/runtime.h"

#include "contest.h"

namespace kmux::bench {

MemoryWatch::MemoryWatch() : others_(processes_now()) {
  auto started = start_thread<std::jthread>([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      look();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  if (started) thread_ = *std::move(started);  // else there is only the sample of stop()
}

std::uint64_t MemoryWatch::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  look();
  return most_;
}

void MemoryWatch::look() { most_ = std::max(most_, memory_under(processes_now(), getpid(), others_)); }

Result<std::uint64_t> build_memory(const Runtime& runtime, const Program& program, CompileOptions options,
                                   const std::filesystem::path& folder) {
  KMUX_ASSIGN(const Shared<Runtime> fresh, fresh_runtime(runtime, folder));
  options.use_cache = false;
  options.isolation = Isolation::kProcess;
  MemoryWatch watch;
  const Result<BuildResult> built = build(*fresh, program, options);
  const std::uint64_t most = watch.stop();  // the worker lives as long as the runtime
  if (!built) return built.error();
  if (most > 0) return most;
  return make_error(ErrorCode::kUnavailable,
                    "the memory of a build is not known (the system does not show processes). Mount /proc.");
}

namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// Returns the number in the line "KEY:   NUMBER".
std::optional<std::uint64_t> field(std::string_view status, std::string_view key) {
  const std::size_t at = status.find(key);
  return at == std::string_view::npos ? std::nullopt : number_in(status.substr(at + key.size()));
}

/// Reads a /proc file, whose size is unknown beforehand; returns the available part if the process ends meanwhile.
std::string text_of(const std::filesystem::path& path) {
  constexpr std::streamsize kLargest = 16 * 1024;
  std::string text(kLargest, '\0');
  std::ifstream file(path);
  file.read(text.data(), kLargest);  // unlike a stream's iterators it does not throw then
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string program_of(const std::filesystem::path& folder) {
  std::error_code hidden;
  return std::filesystem::read_symlink(folder / "exe", hidden).string();
}

bool is_copy(const ProcessFacts& process, const ProcessFacts& parent) {
  return !process.program.empty() && process.program == parent.program;
}

std::uint64_t own_bytes(const ProcessFacts& process, const ProcessFacts& parent) {
  if (!is_copy(process, parent)) return process.most_bytes;
  return process.most_bytes - std::min(process.most_bytes, parent.most_bytes);
}

}  // namespace

std::optional<ProcessFacts> facts_in(std::string_view status) {
  const auto parent = field(status, "\nPPid:");
  const auto kilobytes = field(status, "\nVmHWM:");
  if (!parent || !kilobytes) return std::nullopt;
  return ProcessFacts{static_cast<pid_t>(*parent), *kilobytes * 1024, {}};
}

Processes processes_now() {
  Processes processes;
  std::error_code gone;
  for (std::filesystem::directory_iterator at(linux_root() / "proc", gone), end; !gone && at != end;
       at.increment(gone)) {
    const std::filesystem::path& folder = at->path();
    const auto id = number_in(folder.filename().string());
    if (!id) continue;
    std::optional<ProcessFacts> facts = facts_in(text_of(folder / "status"));
    if (!facts) continue;
    facts->program = program_of(folder);
    processes.emplace(static_cast<pid_t>(*id), *std::move(facts));
  }
  return processes;
}

std::uint64_t memory_under(const Processes& processes, pid_t root, const Processes& others) {
  const auto parent = processes.find(root);
  std::uint64_t sum = 0;
  for (const auto& [id, process] : processes) {
    if (process.parent != root || others.contains(id)) continue;
    sum += parent == processes.end() ? process.most_bytes : own_bytes(process, parent->second);
    sum += memory_under(processes, id, others);
  }
  return sum;
}

}  // namespace kmux::bench
