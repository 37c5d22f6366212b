#include "cpu/real_compilers.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <mutex>
#include <set>
#include <unistd.h>

#include "compiler_choice.h"
#include "fake_host.h"

namespace kmux::fake_hip {
namespace {

constexpr std::array<const char*, 3> kArchitectures = {"gfx90a", "gfx942", "gfx1100"};

// One write a line: programs that run at once share the file.
void note(const std::string& line) {
  const char* const file = std::getenv("KMUX_FAKE_HIP_COMPILED");
  if (file == nullptr) return;
  const int descriptor = ::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0 || ::write(descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::abort();
  ::close(descriptor);
}

std::string digest_of(const HipUnit& unit) {
  std::string all = unit.text;
  for (const File& header : unit.headers) all += '\0' + header.path + '\0' + header.content;
  for (const std::string& expression : unit.expressions) all += '\0' + expression;
  return std::to_string(std::hash<std::string>()(all));
}

// Is it for the first time that this process has `unit` compiled with its options? Programs compile some texts a dozen times.
bool is_new(const HipUnit& unit) {
  static std::mutex& mutex = *new std::mutex;
  static auto& seen = *new std::set<std::string>;
  std::string key = digest_of(unit);
  for (const std::string& option : unit.options) {
    if (!option.starts_with("--offload-arch=")) key += '\0' + option;
  }
  const std::lock_guard lock(mutex);
  return seen.insert(std::move(key)).second;
}

// What the plugin adds for an architecture is added for each anew.
hip::BuildOptions options_of(const HipUnit& unit) {
  hip::BuildOptions options;
  for (const std::string& option : unit.options) {
    if (!option.starts_with("--offload-arch=") && option != "-O3") options.compile_flags.push_back(option);
  }
  return options;
}

Status compile_for(const std::string& arch, const HipUnit& unit, Host host) {
  KMUX_ASSIGN(const hip::CompilerChoice choice, hip::choose_compiler(host, hip::Engine::kAuto, arch));
  const SourceUnit source{.path = "unit.hip", .text = unit.text, .files = unit.headers};
  const auto compiled = hip::compile(choice, source, {}, options_of(unit), arch, unit.expressions);
  const std::string compiler = choice.hiprtc ? choice.hiprtc->name() : choice.clang->program;
  note(std::string(compiled ? "ok " : "refused ") + arch + " " + digest_of(unit) + " " + compiler + "\n");
  if (compiled) return Ok{};
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
