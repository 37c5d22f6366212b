#include "kmux/plugin/compile_log.h"

#include <algorithm>

#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

// Returns true if `line` has an error mark; ptxas has its own.
bool is_error(std::string_view line) {
  constexpr std::string_view kSigns[] = {"error: ", "error   : ", "fatal   : "};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return line.find(sign) != line.npos; });
}

// Returns true if Clang, GCC or an NVIDIA compiler reports a missing #include.
bool lacks_header(std::string_view text) {
  constexpr std::string_view kSayings[] = {"file not found", "No such file or directory", "cannot open source file",
                                           "could not open source file"};
  return std::ranges::any_of(kSayings, [&](std::string_view saying) { return text.find(saying) != text.npos; });
}

}  // namespace

std::string_view first_error(std::string_view log) {
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string_view line = log.substr(begin, end - begin);
    if (is_error(line)) return line;
    begin = end + 1;
  }
  return {};
}

Error compile_error(std::string_view what, std::string_view log) {
  std::string message(what);
  if (const std::string_view line = first_error(log); !line.empty()) message.append(" (").append(line).append(")");
  message += ". The note \"log\" has the compiler's whole output.";
  return make_error(ErrorCode::kCompileFailed, std::move(message)).with("log", std::string(log));
}

Error with_include_hint(Error error, const Settings& settings) {
  if (error.code != ErrorCode::kCompileFailed || settings.include_hints.empty()) return error;
  if (!lacks_header(error.message)) return error;
  error.message +=
      " The sources need the headers of " + join(settings.include_hints) + ": give their folder in include_dirs.";
  return error;
}

}  // namespace kmux
