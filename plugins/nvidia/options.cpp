#include "nvidia/options.h"

#include <array>

#include "kmux/plugin/json_list.h"
#include "kmux/plugin/option_readers.h"

#include "nvidia/flags.h"

namespace kmux::nvidia {
namespace {

constexpr std::array<std::string_view, 2> kTiers = {"fast", "full"};

// 255 is the most that an instruction can address.
constexpr NumberRange kRegisters = {16, 255};

}  // namespace

Result<BuildOptions> parse_options(const Options& options, const Host& host, std::string_view backend) {
  BuildOptions result;
  const auto check = [&](const std::vector<std::string>& flags) { return check_flags(flags, backend); };
  OptionReaders readers = {
      {"compile_flags", flags(result.compile_flags, check)},
      {"fast_math", on_or_off(result.fast_math)},
      {"graph", on_or_off(result.graph)},
      {"include_dirs", folders(result.include_dirs)},
      {"line_info", on_or_off(result.line_info)},
      {"max_registers", whole_number(result.max_registers, kRegisters)},
      {"tier", one_of(result.tier, kTiers)},
  };
  if (backend == "cuda") readers.emplace("host_compiler", any_text(result.host_compiler));
  KMUX_TRY(read_options(backend, options, host, readers));
  return result;
}

std::string to_json(const BuildOptions& options) {
  return dump(Json::Object{{"compile_flags", json_list(options.compile_flags)},
                           {"fast_math", options.fast_math},
                           {"graph", options.graph},
                           {"host_compiler", options.host_compiler},
                           {"include_dirs", json_list(options.include_dirs)},
                           {"line_info", options.line_info},
                           {"max_registers", std::int64_t{options.max_registers}},
                           {"tier", kTiers[static_cast<std::size_t>(options.tier)]}});
}

}  // namespace kmux::nvidia
