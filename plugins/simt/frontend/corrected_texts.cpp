// SPDX-License-Identifier: Apache-2.0
#include "simt/frontend/corrected_texts.h"

#include <algorithm>
#include <charconv>

#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kmux::simt {
namespace {

// Takes the number after the last colon off `text`; 0 if there is none.
std::size_t take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  std::size_t number = 0;
  if (colon == text.npos) return 0;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
  text = text.substr(0, colon);
  return number;
}

}  // namespace

std::string* CorrectedTexts::find(std::string_view path, llvm::vfs::FileSystem& files) {
  auto found = texts_.find(path);
  if (found == texts_.end()) {
    const auto file = files.getBufferForFile(path);
    if (!file) return nullptr;
    found = texts_.emplace(path, (*file)->getBuffer()).first;
  }
  return &found->second;
}

void CorrectedTexts::apply(clang::PreprocessorOptions& options) const {
  for (const auto& [path, text] : texts_) {
    options.addRemappedFile(path, llvm::MemoryBuffer::getMemBufferCopy(text, path).release());  // the compiler owns it
  }
}

std::set<ErrorPlace, std::greater<>> error_places(std::string_view log, std::string_view error) {
  std::set<ErrorPlace, std::greater<>> places;
  for (std::size_t at = log.find(error); at != log.npos; at = log.find(error, at + 1)) {
    const std::size_t begin = at == 0 ? 0 : log.rfind('\n', at - 1) + 1;  // npos + 1 is 0
    std::string_view place = log.substr(begin, at - begin);
    const std::size_t column = take_number(place), line = take_number(place);
    if (line > 0 && column > 0) places.emplace(place, line, column);
  }
  return places;
}

std::size_t index_of(std::string_view text, std::size_t line, std::size_t column) {
  std::size_t begin = 0;
  for (; line > 1; --line) {
    begin = text.find('\n', begin);
    if (begin == text.npos) return text.size();
    ++begin;
  }
  return std::min(begin + column - 1, text.size());
}

}  // namespace kmux::simt
