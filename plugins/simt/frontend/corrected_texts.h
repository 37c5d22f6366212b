// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "llvm/Support/VirtualFileSystem.h"

namespace clang {
class PreprocessorOptions;
}  // namespace clang

namespace kmux::simt {

/// The texts of a source and its headers that are corrected before they are compiled again, by path.
class CorrectedTexts {
 public:
  /// Returns the text of the file at `path` to change, which is read from `files` first; null if there is no such file.
  std::string* find(std::string_view path, llvm::vfs::FileSystem& files);

  /// Makes a compilation with `options` read the changed texts.
  void apply(clang::PreprocessorOptions& options) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

/// A path, a line and a column, from 1.
using ErrorPlace = std::tuple<std::string_view, std::size_t, std::size_t>;

/// Returns the places of `log` that are followed by `error`, the last of a file first. They borrow `log`.
std::set<ErrorPlace, std::greater<>> error_places(std::string_view log, std::string_view error);

/// Returns the index of a line and column, or the size of `text`.
std::size_t index_of(std::string_view text, std::size_t line, std::size_t column);

}  // namespace kmux::simt
