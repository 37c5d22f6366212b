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

/// Where a compiler looks for an `#include`, in its order. A relative folder is one of the program.
struct IncludeSearch {
  std::vector<std::string> quoted;  // after the folder of the file that includes; for "x" only
  std::vector<std::string> angled;  // -I, then -isystem, then the compiler's own
  bool operator==(const IncludeSearch&) const = default;
};

struct IncludeList;

/// What the files of the machine include, remembered by path and identity, so that each is read once.
///
/// Threads: any.
class IncludeMemory {
 public:
  /// The includes of the file `path`, whose identity is given. Not remembered while that is unsettled.
  std::shared_ptr<const IncludeList> read(const std::string& path, const FileIdentity& identity);

  /// What the file `path`, which was read before, defines `macro` to be.
  std::vector<std::string> definitions(const std::string& path, const std::string& macro);

 private:
  struct Entry {
    FileIdentity identity;
    bool is_settled;
    std::shared_ptr<const IncludeList> list;
    std::map<std::string, std::vector<std::string>> definitions = {};  // of the requested macros
  };
  Entry* find(const std::string& path, const FileIdentity& identity);

  std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
};

/// The files of the machine that compiling `texts` may read through `#include`, found without a preprocessor.
///
/// Every `#include`, `#include_next` and `__has_include` counts, whatever `#if` it stands in, so the answer can only be
/// too large. `embedded` are the program's own files by relative path; they are followed, hide files of the machine as
/// they do for the compiler, and are not listed. Prelude and -D are given as one more text: `#include "prelude.h"`,
/// `#define NAME <value.h>`.
///
/// `absent` are the places that the search passed before it found a file, and all those of a name that it did not find.
/// `#include MACRO`, or `#include MACRO(name)`, is followed to every name that a `#define MACRO` in any file gives; where there is none, or where a
/// text has trigraphs, a path that leaves the program, or what may have an assembler read a file (`.incbin`, `.include`), and
/// where `__has_include` may hide behind another name, `complete` is false.
/// Threads: any.
Dependencies scan_includes(std::span<const File> texts, std::span<const File> embedded, const IncludeSearch& search,
                           IncludeMemory& memory);

/// May `text` include anything? What could hide it counts: joined lines, trigraphs, pasted words, assembly.
bool may_include(std::string_view text);

/// Returns true if what `text` compiles to may follow the path of its file: `__FILE__`, assert, a printed name of a type, a time of
/// the file. Words in comments count. A name that `##` pastes together is not seen.
bool names_its_place(std::string_view text);

/// The line that "NAME=VALUE" or "NAME" stands for after -D.
std::string define_line(std::string_view define);

}  // namespace kmux
