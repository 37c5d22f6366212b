#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"

namespace kmux::nvidia {

/// Returns the program in `file`, with its sources.
inline Result<Program> read_program_file(const std::filesystem::path& file) {
  KMUX_ASSIGN(const std::string text, read_file(file));
  return from_json(text, [&](const std::string& path) { return read_file(file.parent_path() / path); });
}

/// Returns the programs that TileLang's exporter wrote, by name: those with a variant of dialect cuda, with it alone.
inline std::vector<Program> tilelang_programs() {
  std::vector<Program> programs;
  for (const auto& folder : std::filesystem::directory_iterator(KMUX_TEST_DATA_DIR "/tilelang")) {
    const std::string name = folder.path().filename().string();
    Program program = read_program_file(folder.path() / (name + ".kmux.json")).value();
    std::erase_if(program.variants, [](const Variant& variant) { return variant.dialect != "cuda"; });
    if (!program.variants.empty()) programs.push_back(std::move(program));
  }
  std::ranges::sort(programs, {}, &Program::name);
  return programs;
}

}  // namespace kmux::nvidia
