#include "environment_variables.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace kmux {
namespace {

using Kind = EnvironmentVariable::Kind;

constexpr auto kVariables = std::to_array<EnvironmentVariable>({
    {"KMUX_CACHE_DIR"},
    {"KMUX_CACHE_GROUP", Kind::kSwitch},
    {"KMUX_CACHE_MAX_BYTES"},
    {"KMUX_CACHE_RO"},
    {"KMUX_COMPILE_MEMORY"},
    {"KMUX_COMPILE_TIMEOUT"},
    {"KMUX_COMPILER_READS"},  // core/toolchain
    {"KMUX_COMPILER_WRITES"},
    {"KMUX_DISABLE_CACHE", Kind::kSwitch},
    {"KMUX_EXECUTION_BACKEND"},
    {"KMUX_ISOLATION"},
    {"KMUX_LAUNCH_BLOCKING", Kind::kSwitch},  // of plugins, here or not
    {"KMUX_LOCK_FILE"},
    {"KMUX_NVTX", Kind::kSwitch},  // of plugins, too
    {"KMUX_PLUGIN_PATH"},
    {"KMUX_PLUGIN_TRIAL"},
    {"KMUX_POLICY"},
    {"KMUX_RECORD"},
    {"KMUX_RECORD_DATA"},
    {"KMUX_REMOTE_CACHE"},
    {"KMUX_REMOTE_CACHE_KEY_FILE"},
    {"KMUX_REMOTE_CACHE_READ_ONLY", Kind::kSwitch},
    {"KMUX_REMOTE_CACHE_TIMEOUT"},
    {"KMUX_REMOTE_CACHE_TTL"},
    {"KMUX_ROCTX", Kind::kSwitch},
    {"KMUX_TARGET"},
    {"KMUX_TRACE"},
    {"KMUX_TILELANG"},  // integrations/tilelang
    {"KMUX_TVM_FFI_LIBRARY", Kind::kPath},  // integrations/tvm_ffi
    {"KMUX_VERBOSE", Kind::kSwitch},
    // For kmux.sh and the tests, which start programs that read the variables above.
    {"KMUX_ALL_TESTS"},
    {"KMUX_BENCH_", Kind::kPrefix},
    {"KMUX_BUILD"},
    {"KMUX_FAKE_", Kind::kPrefix},
    {"KMUX_FUZZ"},
    {"KMUX_JOBS"},
    {"KMUX_NO_CCACHE"},
    {"KMUX_REQUIRE_BACKENDS"},
    {"KMUX_SCARCE", Kind::kPrefix},
    {"KMUX_SEEDS", Kind::kPrefix},
    {"KMUX_TEST_", Kind::kPrefix},
    {"KMUX_TILELANG_CHECKOUT"},
    {"KMUX_TILELANG_PYTHON"},
    {"KMUX_TILELANG_TESTS"},
    {"KMUX_UPDATE_GOLDENS"},
});

/// Returns the shift in bits of a unit: "" is bytes, "K" is 1024 bytes.
std::optional<int> shift_of(std::string_view unit) {
  constexpr std::string_view kUnits = "KMGT";
  if (unit.empty()) return 0;
  const std::size_t index = kUnits.find(unit);
  return unit.size() == 1 && index != std::string_view::npos ? std::optional<int>(10 * (static_cast<int>(index) + 1))
                                                             : std::nullopt;
}

}  // namespace

std::span<const EnvironmentVariable> environment_variables() { return kVariables; }

Result<std::uint64_t> parse_byte_size(const std::string& name, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::optional<int> shift = shift_of({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  if (problem == std::errc() && shift && number <= std::numeric_limits<std::uint64_t>::max() >> *shift) {
    return number << *shift;
  }
  return make_error(ErrorCode::kInvalidArgument, name + " cannot be \"" + text +
                                                     "\" (it is a number of bytes, with K, M, G or T for 1024 of the "
                                                     "one before). Use one like 4G.");
}

}  // namespace kmux
