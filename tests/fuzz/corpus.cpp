#include "fuzz/corpus.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "kmux/plugin/file_io.h"

namespace kmux {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  std::fprintf(stderr, "%s: a line is not hexadecimal. Write it again: ./kmux.sh fuzz keep.\n", path.c_str());
  std::abort();
}

std::string bytes_of(const std::string& line, const std::string& path) {
  std::string bytes;
  for (std::size_t i = 0; i < line.size(); i += 2) {
    unsigned byte = 0;
    const char* const end = line.data() + i + 2;
    if (i + 2 > line.size() || std::from_chars(line.data() + i, end, byte, 16).ptr != end) refuse(path);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

Status write_each(const std::string& name, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) KMUX_TRY(write_file(name + std::to_string(i), inputs[i]));
  return Ok{};
}

}  // namespace

std::vector<std::string> corpus_of(std::string_view format) {
  const std::string path = std::string(KMUX_TEST_SOURCE_DIR "/tests/fuzz/corpus/").append(format) + ".hex";
  std::ifstream file(path);
  std::vector<std::string> inputs;
  for (std::string line; std::getline(file, line);) inputs.push_back(bytes_of(line, path));
  return inputs;
}

Status write_inputs(const std::string& folder, std::string_view format, const std::vector<std::string>& seeds) {
  KMUX_TRY(write_each(folder + "/seed", seeds));
  return write_each(folder + "/kept", corpus_of(format));
}

}  // namespace kmux
