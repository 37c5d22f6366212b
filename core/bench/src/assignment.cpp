#include "kmux/bench/assignment.h"

namespace kmux::bench {

Result<std::pair<std::string, std::string>> split_assignment(std::string_view option, std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return make_error(ErrorCode::kInvalidArgument, std::string(option) + " \"" + std::string(text) +
                                                       "\" is no assignment. Write " + std::string(option) +
                                                       " NAME=VALUE.");
  }
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

}  // namespace kmux::bench
