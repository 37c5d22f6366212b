// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/switch_word.h"

#include <algorithm>
#include <array>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/quoting.h"

namespace kmux {
namespace {

constexpr std::array<std::string_view, 4> kOn = {"1", "true", "yes", "on"};
constexpr std::array<std::string_view, 5> kOff = {"", "0", "false", "no", "off"};

}  // namespace

bool is_on(std::string_view value) { return std::ranges::find(kOn, lower_case(value)) != kOn.end(); }

bool is_switch(std::string_view value) {
  return is_on(value) || std::ranges::find(kOff, lower_case(value)) != kOff.end();
}

std::string odd_switch(std::string_view subject, std::string_view value) {
  return std::string(subject) + " is " + in_double_quotes(value) +
         ", which counts as \"off\" (on: 1, true, yes, on). Write 0 or 1.";
}

}  // namespace kmux
