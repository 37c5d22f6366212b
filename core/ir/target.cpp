#include "kmux/target.h"

#include <cctype>
#include <optional>
#include <vector>

#include "kmux/guarded.h"
#include "kmux/json.h"
#include "kmux/plugin/characters.h"
#include "kmux/plugin/quoting.h"

#include "base/json_text.h"

namespace kmux {
namespace {

Error malformed(std::string_view text, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "malformed target " + in_double_quotes(text) + " (" + why +
                        "). Write \"kind\", \"kind:arch\" or \"kind:arch,key=value\", for example \"cuda:sm_90\"; "
                        "\"kind -arch=value\" and a JSON object with \"kind\" are read, too.");
}

bool is_word(std::string_view text, std::string_view extra) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && extra.find(c) == std::string_view::npos) return false;
  }
  return true;
}

bool is_kind(std::string_view text) { return is_word(text, "_-."); }
bool is_arch(std::string_view text) { return is_word(text, "_-.+"); }

// A value may contain commas ("+avx2,+fma"), but no '=' after a comma, which would begin the next attribute.
bool is_value(std::string_view text) {
  for (const char c : text) {
    if (c < ' ' || c > '~') return false;
  }
  const std::size_t comma = text.find(',');
  return comma == std::string_view::npos || text.find('=', comma) == std::string_view::npos;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    if (c == separator) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

Result<Target> checked(Target target, std::string_view text) {
  target.kind = lower_case(target.kind);
  if (!is_kind(target.kind)) return malformed(text, in_double_quotes(target.kind) + " is not a kind");
  if (!target.arch.empty() && !is_arch(target.arch))
    return malformed(text, in_double_quotes(target.arch) + " is not an architecture");
  for (const auto& [key, value] : target.attributes) {
    if (!is_word(key, "_-.")) return malformed(text, in_double_quotes(key) + " is not an attribute name");
    if (!is_value(value)) return malformed(text, "the value of " + in_double_quotes(key) + " cannot be written");
  }
  return target;
}

// TVM names the architecture -arch on devices and -mcpu on hosts.
bool names_arch(std::string_view key) { return key == "arch" || key == "mcpu"; }

void assign(Target& target, const std::string& key, const std::string& value) {
  if (names_arch(key)) {
    target.arch = value;
  } else {
    target.attributes[key] = value;
  }
}

// kind[:arch][,key=value]...
Result<Target> parse_canonical(std::string_view text) {
  const std::vector<std::string> pieces = split(text, ',');
  const std::size_t colon = pieces[0].find(':');
  Target target{pieces[0].substr(0, colon)};
  if (colon != std::string::npos) {
    target.arch = pieces[0].substr(colon + 1);
    if (target.arch.empty()) return malformed(text, "nothing follows the colon");
  }
  std::string* value = nullptr;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::size_t equals = pieces[i].find('=');
    if (equals != std::string::npos) {
      const std::string key = pieces[i].substr(0, equals);
      if (target.attributes.contains(key)) return malformed(text, in_double_quotes(key) + " occurs twice");
      value = &(target.attributes[key] = pieces[i].substr(equals + 1));
    } else if (value != nullptr) {
      value->append(",").append(pieces[i]);
    } else {
      return malformed(text, in_double_quotes(pieces[i]) + " has no '='");
    }
  }
  return checked(std::move(target), text);
}

// kind -key=value -key value -flag
Result<Target> parse_options(std::string_view text) {
  std::vector<std::string> words;
  for (std::string& word : split(text, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  Target target{words[0]};
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i][0] != '-') return malformed(text, in_double_quotes(words[i]) + " does not begin with '-'");
    const std::string option = words[i].substr(words[i].find_first_not_of('-') == 2 ? 2 : 1);
    const std::size_t equals = option.find('=');
    const bool value_follows = i + 1 < words.size() && words[i + 1][0] != '-';
    if (equals != std::string::npos) {
      assign(target, option.substr(0, equals), option.substr(equals + 1));
    } else {
      assign(target, option, value_follows ? words[++i] : "1");
    }
  }
  return checked(std::move(target), text);
}

// Returns the text of a scalar, or of a list of scalars separated by commas; nothing for other values.
std::optional<std::string> attribute_text(const Json& value) {
  if (const std::string* string = value.as_string()) return *string;
  if (const bool* boolean = value.as_bool()) return *boolean ? "1" : "0";
  if (value.as_number()) return dump(value);
  if (value.as_array() == nullptr) return std::nullopt;
  std::string joined;
  for (const Json& item : *value.as_array()) {
    const auto text = item.as_array() == nullptr ? attribute_text(item) : std::nullopt;
    if (!text) return std::nullopt;
    joined.append(joined.empty() ? "" : ",").append(*text);
  }
  return joined;
}

// Returns true for keys that TVM writes into every target and no compiler reads.
bool is_bookkeeping(std::string_view key) { return key == "tag" || key == "keys" || key == "host"; }

// Returns the problem of a document, without the advice.
std::string problem_of(const Error& error) {
  constexpr std::string_view kAdvice = ". Correct the document.";
  const std::string& message = error.message;
  return message.ends_with(kAdvice) ? message.substr(0, message.size() - kAdvice.size()) : message;
}

Result<Target> parse_object(std::string_view text) {
  const Result<Json> document = read_json(text);
  if (!document) return malformed(text, problem_of(document.error()));
  const Json& json = *document;
  const Json* kind = json.find("kind");
  if (kind == nullptr || kind->as_string() == nullptr) return malformed(text, "it has no text \"kind\"");
  Target target{*kind->as_string()};
  for (const auto& [key, value] : *json.as_object()) {
    if (key == "kind" || is_bookkeeping(key)) continue;
    const auto words = attribute_text(value);
    if (!words) return malformed(text, in_double_quotes(key) + " is neither text, number, boolean nor a list of these");
    if (!words->empty()) assign(target, key, *words);
  }
  return checked(std::move(target), text);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::string to_string(const Target& target) {
  std::string text = lower_case(target.kind);
  if (!target.arch.empty()) text.append(":").append(target.arch);
  for (const auto& [key, value] : target.attributes) text.append(",").append(key).append("=").append(value);
  return text;
}

Result<Target> parse_target(std::string_view text) {
  return guarded([&]() -> Result<Target> {
    const std::string_view core = trimmed(text);
    if (core.empty()) return malformed(text, "it is empty");
    if (core.front() == '{') return parse_object(core);
    return core.find(' ') == std::string_view::npos ? parse_canonical(core) : parse_options(core);
  });
}

}  // namespace kmux
