// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <unistd.h>

#include "kmux/json.h"
#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/sha256.h"

namespace kmux::test {

/// Runs a compiler on text that includes only system headers, and caches its output for later test runs.
///
/// `command` must read the text from its standard input, and gets "-o" and a file. Returns the path of the output,
/// which may be from an earlier run with the same arguments, text and compiler. The caller must not change it.
/// Errors: compile_failed with the command, the compiler's output and the text.
inline Result<std::string> kept_output(Command command) {
  namespace fs = std::filesystem;
  std::string told = dump(identify_file(fs::canonical(command.argv.front()).string()));
  for (const std::string& word : command.argv) told.append(word).push_back('\0');
  const fs::path folder = fs::path(KMUX_TEST_BUILD_DIR) / "tests/kept";
  const std::string kept = (folder / sha256_hex(told + command.standard_input)).string();
  if (fs::exists(kept)) return kept;
  fs::create_directories(folder);
  const std::string made = kept + "." + std::to_string(::getpid());
  command.argv.insert(command.argv.end(), {"-o", made});
  KMUX_ASSIGN(const ProcessResult result, run(command));
  if (result.exit_code != 0) {
    return make_error(ErrorCode::kCompileFailed,
                      to_string(command) + "\n" + result.standard_error + "\n" + command.standard_input);
  }
  fs::rename(made, kept);
  return kept;
}

}  // namespace kmux::test
