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

/// What a command writes into a file.
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

/// With its article: "a page of `kmux bench`".
std::string_view name_of(OutputKind kind);

/// Was the file written by such an option? By its content, never by its name. A file that cannot be read is of no kind.
bool is_of_kind(const std::filesystem::path& file, OutputKind kind);

/// A file that a command is to write, and the option that names it.
struct OutputFile {
  std::string option;
  std::string path;
  OutputKind kind;
};

/// Writes a file that is there, in place: of a link what it leads to.
///
/// Errors: those of writing.
Status rewrite_file(const std::string& path, const std::string& content);

/// Adds --force.
void describe_force(po::options_description& options);

/// All files that a command is to write, each checked before the work whose result it takes: nothing of the user's is
/// written over. What may be is a file of the same kind, or an empty one; --force allows any other.
class OutputFiles {
 public:
  explicit OutputFiles(const po::variables_map& arguments) : is_forced_(arguments.count("force") != 0) {}

  /// Never an output: the program at `path` and every file that it names.
  void protect(const std::filesystem::path& path, const Program& program);
  /// Never an output: what `option` reads. A text that is not a file belongs to no option.
  void protect(const std::string& option, const std::filesystem::path& path);

  /// Errors: invalid_argument for a folder, a device, an empty name, a folder that is missing or may not be written to, a
  ///         file that another option writes, and for a file that is written over by --force only: one that is protected,
  ///         is named as a program or is of another kind.
  Status add(OutputFile file);

 private:
  struct Protected {
    std::filesystem::path path;
    std::string reason;
  };
  /// Why it may be written over by --force only; empty if it may.
  std::string objection(const OutputFile& file) const;

  bool is_forced_;
  std::vector<Protected> protected_ = {};
  std::vector<OutputFile> files_ = {};
};

}  // namespace kmux::cli
