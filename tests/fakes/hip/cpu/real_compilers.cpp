#include "cpu/real_compilers.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <unistd.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "compiler_choice.h"
#include "fake_host.h"

namespace kmux::fake_hip {
namespace {

constexpr std::array<const char*, 3> kArchitectures = {"gfx90a", "gfx942", "gfx1100"};

// Writes each line at once: concurrent programs share the file.
void note(const std::string& line) {
  const char* const file = std::getenv("KMUX_FAKE_HIP_COMPILED");
  if (file == nullptr) return;
  const int descriptor = ::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0 || ::write(descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::abort();
  ::close(descriptor);
}

std::string text_of(const HipUnit& unit) {
  std::string all = unit.text;
  for (const File& header : unit.headers) all += '\0' + header.path + '\0' + header.content;
  for (const std::string& expression : unit.expressions) all += '\0' + expression;
  return all;
}

std::string digest_of(const HipUnit& unit) { return std::to_string(std::hash<std::string>()(text_of(unit))); }

// Returns the compiler input of `unit` that is the same for all architectures.
std::string key_of(const HipUnit& unit) {
  std::string key = text_of(unit);
  for (const std::string& option : unit.options) {
    if (!option.starts_with("--offload-arch=")) key += '\0' + option;
  }
  return key;
}

// Returns true if this process compiles `unit` with its options for the first time. Programs compile some texts a dozen
// times.
bool is_new(const HipUnit& unit) {
  static std::mutex& mutex = *new std::mutex;
  static auto& seen = *new std::set<std::string>;
  std::string key = key_of(unit);
  const std::lock_guard lock(mutex);
  return seen.insert(std::move(key)).second;
}

// Drops the options that the plugin adds again for each architecture.
hip::BuildOptions options_of(const HipUnit& unit) {
  hip::BuildOptions options;
  for (const std::string& option : unit.options) {
    if (!option.starts_with("--offload-arch=") && option != "-O3") options.compile_flags.push_back(option);
  }
  return options;
}

// Returns the marker that an earlier run compiled these for `arch` with the same compiler: an empty file of this name.
// AMD's compiler accepts such texts again. Empty if no markers are kept.
std::filesystem::path known_file(const std::string& arch, const HipUnit& unit, const hip::CompilerChoice& choice) {
  const char* const folder = std::getenv("KMUX_FAKE_HIP_KNOWN");
  if (folder == nullptr) return {};
  return std::filesystem::path(folder) / sha256_hex(arch + '\0' + dump(hip::identify(choice)) + '\0' + key_of(unit));
}

bool is_known(const std::filesystem::path& file) {
  std::error_code ignored;
  return !file.empty() && std::filesystem::exists(file, ignored);
}

Status compile_for(const std::string& arch, const HipUnit& unit, Host host) {
  KMUX_ASSIGN(const hip::CompilerChoice choice, hip::choose_compiler(host, hip::Engine::kAuto, arch));
  const std::string compiler = choice.hiprtc ? choice.hiprtc->name() : choice.clang->program;
  const std::string outcome = " " + arch + " " + digest_of(unit) + " " + compiler + "\n";
  const std::filesystem::path known = known_file(arch, unit, choice);
  if (is_known(known)) {
    note("ok" + outcome);
    return Ok{};
  }
  const SourceUnit source{.path = "unit.hip", .text = unit.text, .files = unit.headers};
  const auto compiled = hip::compile(choice, source, {}, options_of(unit), arch, unit.expressions);
  note((compiled ? "ok" : "refused") + outcome);
  if (compiled) return known.empty() ? Status(Ok{}) : write_file(known, "");
  return make_error(ErrorCode::kCompileFailed, compiler + " for " + arch + ": " + compiled.error().explain());
}

}  // namespace

Status compile_for_real(const HipUnit& unit) {
  const char* const library = std::getenv("KMUX_FAKE_HIP_REAL");
  if (library == nullptr || !is_new(unit)) return Ok{};
  FakeHost host;
  host.options["hip.library"] = library;
  for (const char* const arch : kArchitectures) KMUX_TRY(compile_for(arch, unit, host));
  return Ok{};
}

}  // namespace kmux::fake_hip
