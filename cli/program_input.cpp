#include "program_input.h"

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/program.h"
#include "kmux/text.h"
#include "kmux/validate.h"

namespace kmux::cli {
namespace {

constexpr const char* kName = "standard input";  // in messages

Result<std::string> read_here(const std::string& path) { return read_named_file(path); }

Result<Program> program_in(const std::string& content) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && content[first] == '{') {
    KMUX_ASSIGN(Program program, from_json(content, read_here));
    KMUX_TRY(check_valid(program));
    return program;
  }
  if (carries_text(content)) return kernel_program({.source = content, .signature = ""});
  return from_text({.name = kName, .content = content}, read_here);
}

}  // namespace

Result<std::string> read_standard_input() {
  std::string content;
  std::array<char, 1 << 16> part;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return make_error(ErrorCode::kUnavailable, "the standard input cannot be read (" +
                                                     std::system_category().message(errno) + "). Name a file.");
    }
    if (count == 0) break;
    content.append(part.data(), static_cast<std::size_t>(count));
  }
  if (!content.empty()) return content;
  return make_error(ErrorCode::kInvalidArgument,
                    "the standard input is empty (\"-\" reads a program from it, once). Pipe one into kmux.");
}

Result<Program> load_given_program(const std::string& path) {
  if (path != kStandardInput) return load_program(path);
  KMUX_ASSIGN(const std::string content, read_standard_input());
  return program_in(content);
}

}  // namespace kmux::cli
