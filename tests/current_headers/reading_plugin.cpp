#include "reading_plugin.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/file_io.h"

#include "header_tree.h"

namespace kmux::fresh {
namespace {

using Macros = std::map<std::string, std::int64_t>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Follows the includes of `text` and takes the numbers that it defines.
Status read_into(Macros& macros, const std::string& text, const std::vector<std::string>& folders) {
  for (const std::string& line : lines_of(text)) {
    std::istringstream words(line);
    std::string word, name;
    words >> word >> name;
    if (word == "#define") words >> macros[name];
    if (word != "#include") continue;
    Result<std::string> content = make_error(ErrorCode::kCompileFailed, name + " is not there.");
    for (const std::string& folder : folders) {
      content = read_file(folder + "/" + name.substr(1, name.size() - 2));
      if (content) break;
    }
    if (!content) return make_error(ErrorCode::kCompileFailed, name + " is not there.");
    KMUX_TRY(read_into(macros, *content, folders));
  }
  return Ok{};
}

/// The outputs that `source_of` computes with these numbers.
Values computed(const std::string& source, const Macros& macros) {
  const auto number = [&](const char* name) { return macros.contains(name) ? macros.at(name) : 0; };
  if (source.find("y[0] = A") != source.npos) return {number("A"), 0};
  if (source.find("y[0] = D") != source.npos) return {number("D"), 0};
  return {number("B"), macros.contains("C") ? number("C") : number("D")};
}

void take_time() {
  if (compile_time_us() > 0) ::usleep(static_cast<unsigned>(compile_time_us() / 3));
}

}  // namespace

int& compile_time_us() {
  thread_local int time = 0;
  return time;
}

ReadingPlugin::ReadingPlugin() : InProcessCompiler("reading") {
  manifest_.version = "1";
  manifest_.build_id = "aa";
  manifest_.targets.push_back("c");
  manifest_.tiers = {"fast", "full"};
}

Result<Artifact> ReadingPlugin::build(const BuildRequest& request, std::string_view) {
  const std::string& source = request.chosen().sources.front().content;
  const std::vector<std::string> folders = lines_of(request.options.at("include_dirs"));
  take_time();
  const std::vector<File> texts = {{"", source}};
  const Dependencies dependencies = scan_includes(texts, {}, {{}, folders}, memory_);
  take_time();
  Macros macros;
  KMUX_TRY(read_into(macros, source, folders));
  take_time();
  const Values values = computed(source, macros);
  Artifact artifact{{{"code", std::to_string(values[0]) + " " + std::to_string(values[1])}}};
  artifact.set(std::string(kDependenciesPart), to_json(dependencies));
  return artifact;
}

Result<std::unique_ptr<Adapter>> ReadingPlugin::load(const Artifact& artifact, int) {
  Values values{};
  std::istringstream(*artifact.find("code")) >> values[0] >> values[1];
  const auto launch = [values](const kmux_slot* slots, const kmux_launch_env&, kmux_sink) {
    std::copy(values.begin(), values.end(), static_cast<std::int64_t*>(slots[0].ptr));
    return kmux_code{KMUX_OK};
  };
  return std::unique_ptr<Adapter>(std::make_unique<InProcessAdapter>(launch));
}

Shared<Registry> reading_registry() { return Shared<SinglePluginRegistry>::make(Shared<ReadingPlugin>::make()); }

}  // namespace kmux::fresh
