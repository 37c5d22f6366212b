#include "host_folders.h"

#include <string_view>

#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"

#include "host_compiler.h"
#include "identity.h"

namespace kmux::cpu {

std::vector<std::string> folders_in(std::string_view text) {
  constexpr std::string_view kBegin = "#include <...> search starts here:\n";
  std::vector<std::string> folders;
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find("End of search list.", begin);
  if (begin == text.npos || end == text.npos) return folders;
  text = text.substr(begin + kBegin.size(), end - begin - kBegin.size());
  while (!text.empty()) {
    const std::size_t line = text.find('\n');
    const std::size_t first = text.find_first_not_of(' ');
    if (first < line) folders.emplace_back(text.substr(first, line - first));
    text.remove_prefix(line == text.npos ? text.size() : line + 1);
  }
  return folders;
}

Result<std::vector<std::string>> HostFolders::find(const BuildOptions& options, Language language) {
  KMUX_ASSIGN(const std::string compiler, find_host_compiler(options));
  BuildOptions only_the_compiler;
  only_the_compiler.engine = Engine::kHost;
  only_the_compiler.host_compiler = compiler;
  KMUX_ASSIGN(const std::string identity, toolchain_identity({}, only_the_compiler));
  const auto key = std::pair(identity, language);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  const std::string name = language == Language::kC ? "c" : "c++";
  const Command command = compiler_command({compiler, "-x", name, "-E", "-v", "/dev/null"}, "/");
  KMUX_ASSIGN(const ProcessResult result, run(command));
  std::vector<std::string> folders = folders_in(result.standard_error);
  if (folders.empty()) {
    return make_error(ErrorCode::kUnavailable, "\"" + to_string(command) +
                                                   "\" does not say where it looks for headers (they belong to what a "
                                                   "cached kernel depends on). Use another host_compiler.");
  }
  const std::lock_guard lock(mutex_);
  return known_[key] = std::move(folders);
}

}  // namespace kmux::cpu
