#include "options.h"

#include <array>
#include <string_view>

#include "kmux/plugin/compiler_flags.h"
#include "kmux/plugin/option_readers.h"

#include "allowed_flags.h"
#include "device.h"

namespace kmux::cpu {
namespace {

constexpr std::array<std::string_view, 2> kEngines = {"clang", "host"};
constexpr std::array<std::string_view, 2> kEmitted = {"code", "functions"};
constexpr std::array<std::string_view, 2> kTiers = {name_of(simt::Tier::kFast), name_of(simt::Tier::kFull)};

// Returns true if `name` is valid in a command line: a processor's name and nothing else.
bool is_cpu_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";
  return !name.empty() && name.front() != '-' && name.find_first_not_of(kLetters) == std::string_view::npos;
}

Status read_march(std::string& result, const OptionValue& value) {
  if (!is_cpu_name(value.text)) return bad_value(value, "\"native\" or the name of a processor");
  result = value.text;
  return Ok{};
}

// A target without a processor only says that the launcher is for a host: its processor stays that of the kernels.
Status read_target_host(std::string& result, const OptionValue& value) {
  const Result<Target> named = parse_target(value.text);
  Result<Target> target = named ? resolve_cpu_target(value.text) : named;
  if (!target) {
    target.error().message.insert(0, "target_host: ");
    return std::move(target).error();
  }
  if (!named->arch.empty() || !named->attributes.empty()) result = target->arch;
  return Ok{};
}

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  BuildOptions result;
  const OptionReaders readers = {
      {"check", on_or_off(result.check.memory)},
      {"check_seed", whole_number(result.check.seed, {0, 1'000'000})},
      {"compile_flags", flags(result.compile_flags, check_flags)},
      {"emit", one_of(result.emit, kEmitted)},
      {"engine", one_of(result.engine, kEngines)},
      {"host_compiler", any_text(result.host_compiler)},
      {"include_dirs", folders(result.include_dirs)},
      {"march", [&](const OptionValue& value) { return read_march(result.march, value); }},
      {"opt_level", whole_number(result.opt_level, {0, 3})},
      {"target_host", [&](const OptionValue& value) { return read_target_host(result.target_host, value); }},
      {"tier", one_of(result.tier, kTiers)},
  };
  KMUX_TRY(read_options("cpu", options, host, readers));
  result.stopping = [host] { return host.stopping(); };
  return result;
}

Status check_flags(const std::vector<std::string>& flags) {
  return kmux::check_flags(
      flags, is_allowed_flag,
      {"cpu", "-D, -U, -I, -O, -W, -g, -std=, and of -f and -m what changes arithmetic, the language or instructions"});
}

}  // namespace kmux::cpu
