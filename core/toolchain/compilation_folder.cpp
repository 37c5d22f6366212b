// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/compilation_folder.h"

#include <filesystem>
#include <utility>

#include "kmux/plugin/unique_id.h"

namespace kmux {

namespace fs = std::filesystem;

Result<CompilationFolder> CompilationFolder::create(const std::string& name) {
  KMUX_ASSIGN(PrivateFolder root, PrivateFolder::create(name));
  const std::string id = unique_id();
  if (id.empty())
    return make_error(ErrorCode::kUnavailable, "the system gives no random numbers. Look at /dev/urandom.");
  CompilationFolder folder(std::move(root), "");
  folder.own_ = folder.root() + "/own-" + id;
  for (const std::string& path : {folder.program(), folder.own(), folder.scratch(), folder.empty(), folder.unit()}) {
    std::error_code error;
    fs::create_directory(path, error);
    if (!error) continue;
    return make_error(ErrorCode::kUnavailable,
                      "cannot make folder \"" + path + "\" (" + error.message() + "). Free some space or set TMPDIR.");
  }
  return folder;
}

Status CompilationFolder::write_program(std::span<const File> files) const {
  for (const File& file : files) KMUX_TRY(root_.write("program/" + file.path, file.content));
  return Ok{};
}

Result<std::string> CompilationFolder::write_own(const std::string& name, std::string_view content) const {
  KMUX_TRY(root_.write(own_.substr(root().size() + 1) + "/" + name, content));
  return own_ + "/" + name;
}

Status CompilationFolder::write_unit(const std::string& name, std::string_view content) const {
  return root_.write("unit/" + name, content);
}

std::string CompilationFolder::without_folders(std::string log) const {
  for (const std::string& folder :
       {program(), std::string(kProgramFolder), own(), unit(), std::string(kUnitFolder), scratch()}) {
    const std::string begin = folder + "/";
    for (std::size_t at = log.find(begin); at != log.npos; at = log.find(begin, at)) log.erase(at, begin.size());
  }
  return log;
}

}  // namespace kmux
