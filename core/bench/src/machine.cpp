#include "kmux/bench/machine.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kmux/device.h"
#include "kmux/plugin/platform.h"
#include "kmux/registry.h"
#include "kmux/version.h"

#include "base/json_text.h"
#include "contestant.h"
#include "html_writer.h"

namespace kmux::bench {
namespace {

/// Returns the value of the first line "KEY : VALUE" of a file.
std::string field_of(const std::filesystem::path& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string system_text() {
  utsname name{};
  uname(&name);
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

std::int64_t memory_bytes() { return std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGESIZE)}; }

Json describe_devices(Runtime& runtime) {
  Json::Array list;
  const auto found = devices(runtime);
  if (!found) return list;
  for (const Device& device : *found) {
    if (device.is_host() && device.plugin() == nullptr) continue;
    Json::Object entry{{"device", device.to_string()}};
    if (const auto properties = device.properties()) entry.emplace("properties", *properties);
    list.emplace_back(std::move(entry));
  }
  return list;
}

/// Members that identify a file, or that the device reported.
constexpr std::array<std::string_view, 5> kOfFiles = {"size", "mtime_ns", "build_id", "sha256", "features"};

Result<std::string> toolchain_of(Runtime& runtime, const Entrant& entrant, const CompileOptions& options) {
  const CompileOptions exact = options_for(entrant, options);
  KMUX_ASSIGN(const auto plugin, runtime.registry().plugin(exact.execution_backend));
  KMUX_ASSIGN(const Target target, parse_target(entrant.target));
  return plugin->backend().builder().toolchain(target, exact.options);
}

bool names_a_place(const Json& value) {
  const std::string* const text = value.as_string();
  return text != nullptr && text->find('/') != std::string::npos;
}

Json::Object versions_of(const Json::Object& members) {
  Json::Object kept;
  for (const auto& [key, value] : members) {
    if (std::ranges::find(kOfFiles, key) != kOfFiles.end()) continue;
    Json told = versions_in(value);
    if (told != Json(Json::Array{})) kept.emplace(key, std::move(told));
  }
  return kept;
}

Json::Array versions_of(const Json::Array& values) {
  Json::Array kept;
  for (const Json& value : values) {
    if (!names_a_place(value)) kept.push_back(versions_in(value));
  }
  return kept;
}

std::string text_of(const Json& value) { return value.as_string() != nullptr ? *value.as_string() : dump(value); }

/// Returns true for an array of words and numbers only, which fits in one line.
bool is_flat(const Json::Array& array) {
  return std::ranges::none_of(array,
                              [](const Json& one) { return one.as_object() != nullptr || one.as_array() != nullptr; });
}

std::string joined(const Json::Array& array) {
  std::string text;
  for (const Json& one : array) text += (text.empty() ? "" : ", ") + text_of(one);
  return text;
}

std::string named(const std::string& outer, const std::string& inner) {
  return outer.empty() ? inner : std::string(outer).append(" ").append(inner);
}

void write_facts(HtmlWriter& html, const Json& value, const std::string& name) {
  if (const Json::Object* object = value.as_object()) {
    for (const auto& [key, member] : *object) write_facts(html, member, named(name, key));
  } else if (const Json::Array* array = value.as_array()) {
    if (!is_flat(*array)) {
      for (const Json& member : *array) write_facts(html, member, name);
    } else if (!array->empty()) {
      html.element("dt", name).element("dd", joined(*array));
    }
  } else if (const std::string text = text_of(value); !text.empty()) {
    html.element("dt", name).element("dd", text);
  }
}

std::string member_text(const Json& machine, std::string_view key) {
  const Json* const value = machine.find(key);
  return value == nullptr ? "" : text_of(*value);
}

/// Returns the names of the devices without duplicates.
std::set<std::string> device_names(const Json& machine) {
  std::set<std::string> names;
  const Json* const devices = machine.find("devices");
  if (devices == nullptr || devices->as_array() == nullptr) return names;
  for (const Json& device : *devices->as_array()) {
    const Json* const properties = device.find("properties");
    const Json* const name = properties == nullptr ? nullptr : properties->find("name");
    if (name != nullptr && name->as_string() != nullptr) names.insert(*name->as_string());
  }
  return names;
}

/// Returns true for the machines of several files, by name.
bool is_several(const Json& machine) {
  const Json::Object* const members = machine.as_object();
  return members != nullptr && !members->empty() &&
         std::ranges::all_of(*members, [](const auto& member) { return member.second.as_object() != nullptr; });
}

std::string joined_line(const Json& machines) {
  std::string line;
  for (const auto& [name, machine] : *machines.as_object()) {
    line.append(line.empty() ? "" : "; ").append(name).append(": ").append(machine_line(machine));
  }
  return line;
}

}  // namespace

Json describe_machine(Runtime& runtime) {
  return Json::Object{{"processor", field_of(linux_root() / "proc/cpuinfo", "model name")},
                      {"cores", static_cast<std::int64_t>(std::thread::hardware_concurrency())},
                      {"memory_bytes", memory_bytes()},
                      {"system", system_text()},
                      {"kmux", version()},
                      {"devices", describe_devices(runtime)}};
}

Json versions_in(const Json& identity) {
  if (const Json::Object* members = identity.as_object()) return versions_of(*members);
  if (const Json::Array* values = identity.as_array()) return versions_of(*values);
  if (!names_a_place(identity)) return identity;
  return std::filesystem::path(*identity.as_string()).filename().string();
}

Json toolchains_of(Runtime& runtime, const BenchReport& report, const BenchOptions& options) {
  Json toolchains{Json::Object{}};
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) {
      if (entrant.state != EntrantState::kTimed || toolchains.find(entrant.backend) != nullptr) continue;
      const Result<std::string> identity = toolchain_of(runtime, entrant, options.compile);
      if (!identity) continue;
      const Result<Json> json = read_json(*identity);
      toolchains[entrant.backend] = versions_in(json ? *json : Json(*identity));
    }
  }
  return toolchains;
}

std::string machine_line(const Json& machine) {
  if (is_several(machine)) return joined_line(machine);
  const std::set<std::string> devices = device_names(machine);
  std::vector<std::string> parts(devices.begin(), devices.end());
  const std::string processor = member_text(machine, "processor");
  const std::string cores = member_text(machine, machine.find("cores") != nullptr ? "cores" : "num_cpus");
  if (!processor.empty() && !devices.contains(processor)) parts.push_back(processor);
  if (!cores.empty()) parts.push_back(cores + " cores");
  if (const std::string version = member_text(machine, "kmux"); !version.empty()) parts.push_back("kmux " + version);
  if (const std::string count = member_text(machine, "unfinished"); !count.empty()) {
    parts.push_back("stopped after " + count);
  }
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : " - ") + part;
  return line;
}

void write_machine(HtmlWriter& html, const Json& machine) {
  html.open("details", R"(class="machine")").element("summary", "the machine and its versions").open("dl");
  write_facts(html, machine, "");
  html.close("dl").close("details");
}

}  // namespace kmux::bench
