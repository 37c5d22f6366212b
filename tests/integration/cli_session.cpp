#include "integration/cli_session.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "kmux/npy.h"

namespace kmux::test {
namespace {

const std::filesystem::path kPrograms = std::filesystem::path(KMUX_TEST_SOURCE_DIR) / "examples" / "programs";

Tensor floats(std::vector<std::int64_t> shape, float first) {
  const Tensor tensor = Tensor::empty(std::move(shape), dtype::kFloat32).value();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.data_as<float>()[i] = first + static_cast<float>(i);
  return tensor;
}

}  // namespace

CliSession::CliSession() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kmux-cli-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
  std::filesystem::copy(kPrograms, folder_, std::filesystem::copy_options::recursive);
  std::filesystem::create_directory(folder_ / "a_folder");
  save_npy(folder_ / "x8.npy", floats({8}, 0)).value();
  save_npy(folder_ / "x2x4.npy", floats({2, 4}, 0)).value();
  save_npy(folder_ / "wrong8.npy", floats({8}, 100)).value();
  save_npy(folder_ / "doubles8.npy", Tensor::zeros({8}, dtype::kFloat64).value()).value();
  write("not.npy", "these bytes are not a tensor");
  std::ifstream tensor(folder_ / "x8.npy", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(tensor), {}};
  write("short.npy", bytes.substr(0, bytes.size() - 5));
  write("empty.npy", "");
}

CliSession::~CliSession() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void CliSession::write(const std::string& name, const std::string& content) const {
  std::ofstream(folder_ / name, std::ios::binary) << content;
}

std::vector<std::string> CliSession::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    names.push_back(std::filesystem::relative(entry.path(), folder_).string());
  }
  std::ranges::sort(names);
  return names;
}

Command CliSession::command(const std::vector<std::string>& words, const Variables& variables) const {
  Command command;
  command.argv = {std::string(KMUX_TEST_BUILD_DIR) + "/bin/kmux"};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.working_directory = folder_.string();
  for (const char* name : {"KMUX_TARGET", "KMUX_EXECUTION_BACKEND", "KMUX_VERBOSE", "TILELANG_TARGET",
                           "TILELANG_DEFAULT_TARGET", "TILELANG_EXECUTION_BACKEND", "TILELANG_VERBOSE"}) {
    command.environment[name] = "";
  }
  command.environment["KMUX_DISABLE_CACHE"] = variables.contains("KMUX_CACHE_DIR") ? "" : "1";
  for (const auto& [name, value] : variables) command.environment[name] = value;
  command.timeout = std::chrono::minutes(2);
  return command;
}

ProcessResult CliSession::run(const std::vector<std::string>& words, const Variables& variables) const {
  return kmux::run(command(words, variables)).value();
}

ProcessResult CliSession::pipe(const std::string& input, const std::vector<std::string>& words) const {
  Command piped = command(words, {});
  piped.standard_input = input;
  return kmux::run(piped).value();
}

}  // namespace kmux::test
