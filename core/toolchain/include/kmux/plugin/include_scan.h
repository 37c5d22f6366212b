#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/file_identity.h"

namespace kmux {

/// The folders that a compiler searches for an `#include`, in order. A relative folder belongs to the program.
struct IncludeSearch {
  std::vector<std::string> quoted;  // after the including file's folder; for "x" only
  std::vector<std::string> angled;  // -I, then -isystem, then the compiler's built-in ones
  bool operator==(const IncludeSearch&) const = default;
};

struct IncludeList;

/// Caches the includes of the machine's files by path and identity, so that each file is read once.
///
/// Threads: thread-safe.
class IncludeMemory {
 public:
  /// Returns the includes of file `path` with the given identity. Not cached while the identity is unsettled.
  std::shared_ptr<const IncludeList> read(const std::string& path, const FileIdentity& identity);

  /// Returns the definitions of `macro` in file `path`, which must have been read before.
  std::vector<std::string> definitions(const std::string& path, const std::string& macro);

 private:
  struct Entry {
    FileIdentity identity;
    bool is_settled;
    std::shared_ptr<const IncludeList> list;
    std::map<std::string, std::vector<std::string>> definitions = {};  // of the queried macros
  };
  Entry* find(const std::string& path, const FileIdentity& identity);

  std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
};

/// Returns the machine's files that compiling `texts` may read through `#include`, found without a preprocessor.
///
/// Every `#include`, `#include_next` and `__has_include` counts, in any `#if` branch, so the result can only be too
/// large. `embedded` are the program's own files by relative path. They are followed and shadow the machine's files as
/// they do for the compiler, but are not listed. The caller passes preludes and -D as one more text: `#include
/// "prelude.h"`, `#define NAME <value.h>`.
///
/// `absent` lists the places searched before a file was found, and all places of a name that was not found. `#include
/// MACRO` and `#include MACRO(name)` are followed to every name that a `#define MACRO` in any file gives. `complete` is
/// false if such a macro has no definition. It is also false if a text has trigraphs, a possible assembler include (`.incbin`, `.include`), or a possible alias of `__has_include`.
/// Threads: any.
Dependencies scan_includes(std::span<const File> texts, std::span<const File> embedded, const IncludeSearch& search,
                           IncludeMemory& memory);

/// Returns true if `text` may include a file. Constructs that can hide an include count: joined lines, trigraphs,
/// pasted words, assembly.
bool may_include(std::string_view text);

/// Returns true if the code of `text` may depend on the path of its file: `__FILE__`, assert, a printed type name, a
/// file time. Words in comments count. Names pasted by `##` are not detected.
bool names_its_place(std::string_view text);

/// Returns the `#define` line equivalent to -D with "NAME=VALUE" or "NAME".
std::string define_line(std::string_view define);

}  // namespace kmux
