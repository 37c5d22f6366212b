#include "machine_facts.h"

#include <algorithm>
#include <set>
#include <vector>

namespace kmux::bench {
namespace {

std::string text_of(const Json& value) { return value.as_string() != nullptr ? *value.as_string() : dump(value); }

/// Words and numbers alone, which stand in one line.
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

/// The names of the devices, each once.
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

/// The machines of several files, by name.
bool is_several(const Json& machine) {
  const Json::Object* const members = machine.as_object();
  return members != nullptr && !members->empty() &&
         std::ranges::all_of(*members, [](const auto& member) { return member.second.as_object() != nullptr; });
}

std::string line_of_all(const Json& machines) {
  std::string line;
  for (const auto& [name, machine] : *machines.as_object()) {
    line.append(line.empty() ? "" : "; ").append(name).append(": ").append(machine_line(machine));
  }
  return line;
}

}  // namespace

std::string machine_line(const Json& machine) {
  if (is_several(machine)) return line_of_all(machine);
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
