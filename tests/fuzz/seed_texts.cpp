#include <algorithm>
#include <filesystem>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/word_list.h"
#include "kmux/text.h"

#include "fuzz/text_check.h"
#include "unit/random_program.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kRandomPrograms = 50;

/// Returns the text form of a file: its content, or the text of its JSON program. Empty for other files.
std::string text_in(const fs::path& path) {
  const Result<std::string> content = read_file(path);
  if (!content) return "";
  if (!path.string().ends_with(".kmux.json"))
    return path.extension() == ".kmux" || carries_text(*content) ? *content : "";
  const auto beside = [&](const std::string& name) { return read_file(path.parent_path() / name); };
  const Result<Program> program = from_json(*content, beside);
  return program ? to_text(*program) : "";
}

std::vector<fs::path> files_of_tree() {
  std::vector<fs::path> files;
  for (const char* folder : {"/tests/data", "/examples", "/integrations", "/bench"}) {
    for (const auto& entry : fs::recursive_directory_iterator(std::string(KMUX_TEST_SOURCE_DIR) + folder)) {
      const std::string name = entry.path().filename().string();
      const bool may_have_text =
          name.ends_with(".kmux.json") || name.ends_with(".kmux") || !dialect_of_file(name).empty();
      if (entry.is_regular_file() && may_have_text) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// Returns the bytes of a dictionary word: \\, \" and \xNN are one byte.
std::string unescaped(std::string_view word) {
  constexpr int kHexadecimal = 16;
  std::string bytes;
  for (std::size_t at = 0; at < word.size(); ++at) {
    const bool is_escape = word[at] == '\\';
    if (is_escape && word[at + 1] == 'x') {
      bytes += static_cast<char>(std::stoi(std::string(word.substr(at + 2, 2)), nullptr, kHexadecimal));
      at += 3;
    } else {
      bytes += word[is_escape ? ++at : at];
    }
  }
  return bytes;
}

}  // namespace

std::vector<std::string> seed_texts() {
  std::vector<std::string> texts;
  for (std::uint32_t seed = 0; seed < kRandomPrograms; ++seed) texts.push_back(to_text(random_program(seed)));
  for (const fs::path& path : files_of_tree()) {
    if (std::string text = text_in(path); !text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> dictionary() {
  const std::string content = read_file(KMUX_TEST_SOURCE_DIR "/tests/fuzz/text.dict").value();
  std::vector<std::string> words;
  for (const std::string& line : split_lines(content)) {
    if (line.starts_with('"')) words.push_back(unescaped(std::string_view(line).substr(1, line.size() - 2)));
  }
  return words;
}

}  // namespace kmux
