#include "engine/diagnostics.h"

namespace kmux::cpu {

std::string_view first_error(std::string_view log) {
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string_view line = log.substr(begin, end - begin);
    if (line.find("error: ") != std::string_view::npos) return line;
    begin = end + 1;
  }
  return {};
}

Error compile_error(std::string_view what, std::string_view log) {
  std::string message(what);
  if (const std::string_view line = first_error(log); !line.empty()) message.append(" (").append(line).append(")");
  message += ". The note \"log\" has all that the compiler said.";
  return make_error(ErrorCode::kCompileFailed, std::move(message)).with("log", std::string(log));
}

}  // namespace kmux::cpu
