#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

#include "command.h"

namespace kmux::cli {

/// The kind of a command's output file.
enum class OutputKind : std::uint8_t {
  kArtifact,  // compile --output
  kBundle,    // cache export
  kCsv,       // bench --csv
  kHeader,    // export --header
  kLibrary,   // export --output
  kLock,      // tune --lock
  kPage,      // bench --html
  kProgram,   // pack --output
  kReport,    // bench --json
  kTensor,    // run --out
  kTrace,     // trace --trace
};

/// Returns the name with its article: "a page of `kmux bench`".
std::string_view name_of(OutputKind kind);

/// Returns true if the file was written by such an option, judged by its content, not its name. False for an unreadable
/// file.
bool is_of_kind(const std::filesystem::path& file, OutputKind kind);

/// An output file of a command, and the option that names it.
struct OutputFile {
  std::string option;
  std::string path;
  OutputKind kind;
};

/// Replaces the content of an existing file; of a link, that of its target.
///
/// Errors: those of writing.
Status rewrite_file(const std::string& path, const std::string& content);

/// Adds --force.
void describe_force(po::options_description& options);

/// All output files of a command, each checked before the work that produces it, so that no user file is overwritten. A
/// file may replace one of the same kind or an empty one; --force allows any other.
class OutputFiles {
 public:
  explicit OutputFiles(const po::variables_map& arguments) : is_forced_(arguments.count("force") != 0) {}

  /// Excludes the program at `path` and every file that it names from the outputs.
  void protect(const std::filesystem::path& path, const Program& program);
  /// Excludes an input of `option` from the outputs. A text that is not a file has no effect.
  void protect(const std::string& option, const std::filesystem::path& path);

  /// Errors: invalid_argument for a folder, a device, an empty name, a missing or read-only folder, a file of another
  ///         output, and a file that only --force overwrites: one that is protected, is named like a program or text,
  ///         or is of another kind.
  Status add(OutputFile file);

 private:
  struct Protected {
    std::filesystem::path path;
    std::string reason;
  };
  /// Returns why only --force may overwrite it; empty if it may be overwritten.
  std::string objection(const OutputFile& file) const;

  bool is_forced_;
  std::vector<Protected> protected_ = {};
  std::vector<OutputFile> files_ = {};
};

}  // namespace kmux::cli
