#include "environment_variables.h"

#include <algorithm>
#include <array>

#include "kmux/plugin/words.h"

namespace kmux {
namespace {

using Kind = EnvironmentVariable::Kind;

constexpr auto kVariables = std::to_array<EnvironmentVariable>({
    {"KMUX_CACHE_DIR"},
    {"KMUX_CACHE_MAX_BYTES"},
    {"KMUX_CACHE_RO"},
    {"KMUX_COMPILE_MEMORY"},
    {"KMUX_COMPILE_TIMEOUT"},
    {"KMUX_DISABLE_CACHE", Kind::kSwitch},
    {"KMUX_EXECUTION_BACKEND"},
    {"KMUX_ISOLATION"},
    {"KMUX_LOCK_FILE"},
    {"KMUX_PLUGIN_PATH"},
    {"KMUX_POLICY"},
    {"KMUX_REMOTE_CACHE"},
    {"KMUX_REMOTE_CACHE_KEY_FILE"},
    {"KMUX_REMOTE_CACHE_READ_ONLY", Kind::kSwitch},
    {"KMUX_REMOTE_CACHE_TIMEOUT"},
    {"KMUX_REMOTE_CACHE_TTL"},
    {"KMUX_TARGET"},
    {"KMUX_TRACE"},
    {"KMUX_TILELANG"},  // integrations/tilelang
    {"KMUX_TVM_FFI_LIBRARY"},  // integrations/tvm_ffi
    {"KMUX_VERBOSE", Kind::kSwitch},
    // Of kmux.sh and the tests, which start programs that read the others.
    {"KMUX_BENCH_", Kind::kPrefix},
    {"KMUX_BUILD"},
    {"KMUX_FAKE_", Kind::kPrefix},
    {"KMUX_JOBS"},
    {"KMUX_NO_CCACHE"},
    {"KMUX_REQUIRE_BACKENDS"},
    {"KMUX_SCARCE", Kind::kPrefix},
    {"KMUX_SEEDS", Kind::kPrefix},
    {"KMUX_TEST_", Kind::kPrefix},
    {"KMUX_THREADS"},
    {"KMUX_TILELANG_CHECKOUT"},
    {"KMUX_TILELANG_PYTHON"},
    {"KMUX_TILELANG_TESTS"},
    {"KMUX_UPDATE_GOLDENS"},
});

constexpr std::array<std::string_view, 4> kOn = {"1", "true", "yes", "on"};
constexpr std::array<std::string_view, 5> kOff = {"", "0", "false", "no", "off"};

template <std::size_t kSize>
bool contains(const std::array<std::string_view, kSize>& words, std::string_view value) {
  return std::find(words.begin(), words.end(), lower_case(value)) != words.end();
}

}  // namespace

std::span<const EnvironmentVariable> environment_variables() { return kVariables; }

bool is_on(std::string_view value) { return contains(kOn, value); }

bool is_switch(std::string_view value) { return is_on(value) || contains(kOff, value); }

}  // namespace kmux
