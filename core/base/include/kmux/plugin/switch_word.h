// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// Returns true if `value`, of a variable or an option, switches something on: 1, true, yes or on, in any case.
bool is_on(std::string_view value);

/// Returns true if `value` is a valid value of a switch: a word for on, or "", 0, false, no or off, in any case.
bool is_switch(std::string_view value);

/// Returns the warning of a `value` that is_switch rejects; `subject` names its variable or option.
std::string odd_switch(std::string_view subject, std::string_view value);

}  // namespace kmux
