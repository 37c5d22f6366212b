#include "lock_file.h"

#include <algorithm>
#include <tuple>

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"

#include "cache/disk/cache_folder.h"
#include "system/trust.h"
#include "toolchain/named_file.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kVersion = 1;
constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 20;
constexpr const char* kVersionKey = "kmux_lock";
constexpr const char* kPinsKey = "programs";

Error malformed(const fs::path& path, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "lock file '" + path.string() + "' cannot be read (" + why +
                                                     "). Write it anew with `kmux tune PROGRAM --lock FILE`.");
}

/// Takes members out of an object one by one; what is left is unknown.
class Members {
 public:
  explicit Members(Json::Object object) : object_(std::move(object)) {}

  Result<std::string> text(const char* key) {
    const Json json = take(key);
    if (json.as_string() != nullptr && !json.as_string()->empty()) return *json.as_string();
    return wrong(key, "text");
  }
  Result<std::int64_t> number(const char* key) {
    const Json json = take(key);
    if (json.as_integer() != nullptr && *json.as_integer() >= 0) return *json.as_integer();
    return wrong(key, "number");
  }
  Result<Json::Array> list(const char* key) {
    Json json = take(key);
    if (json.as_array() != nullptr) return std::move(*json.as_array());
    return wrong(key, "list");
  }
  Status none_left() const {
    if (object_.empty()) return Ok{};
    return make_error(ErrorCode::kInvalidArgument, "unknown key \"" + object_.begin()->first + "\"");
  }

 private:
  Json take(const char* key) {
    const auto found = object_.find(std::string_view(key));
    return found == object_.end() ? Json() : std::move(object_.extract(found).mapped());
  }
  static Error wrong(const char* key, const char* kind) {
    return make_error(ErrorCode::kInvalidArgument, "\"" + std::string(key) + "\" is no " + kind);
  }
  Json::Object object_;
};

Result<Members> members_of(const Json& json) {
  if (json.as_object() != nullptr) return Members(*json.as_object());
  return make_error(ErrorCode::kInvalidArgument, "a " + std::string(json.kind()) + " where an object is expected");
}

Result<Pin> pin_in(const Json& json) {
  Pin pin;
  KMUX_ASSIGN(Members members, members_of(json));
  KMUX_ASSIGN(pin.program, members.text("program"));
  KMUX_ASSIGN(pin.name, members.text("name"));
  KMUX_ASSIGN(pin.target, members.text("target"));
  KMUX_ASSIGN(pin.backend, members.text("backend"));
  KMUX_ASSIGN(pin.build_id, members.text("build_id"));
  KMUX_ASSIGN(const std::int64_t variant, members.number("variant"));
  pin.variant = static_cast<std::size_t>(variant);
  KMUX_TRY(members.none_left());
  if (is_digest(pin.program)) return pin;
  return make_error(ErrorCode::kInvalidArgument, "\"program\" is no digest");
}

Result<std::vector<Pin>> pins_in(const std::string& text) {
  KMUX_ASSIGN(const Json json, parse_json(text));
  KMUX_ASSIGN(Members members, members_of(json));
  KMUX_ASSIGN(const std::int64_t version, members.number(kVersionKey));
  if (version != kVersion) {
    return make_error(ErrorCode::kInvalidArgument, "its version is " + std::to_string(version) + ", not 1");
  }
  KMUX_ASSIGN(const Json::Array list, members.list(kPinsKey));
  KMUX_TRY(members.none_left());
  std::vector<Pin> pins;
  for (const Json& item : list) {
    KMUX_ASSIGN(Pin pin, pin_in(item));
    pins.push_back(std::move(pin));
  }
  return pins;
}

Json to_json_value(const Pin& pin) {
  return Json::Object{{"program", pin.program},   {"name", pin.name},
                      {"target", pin.target},     {"backend", pin.backend},
                      {"build_id", pin.build_id}, {"variant", static_cast<std::int64_t>(pin.variant)}};
}

}  // namespace

Result<std::vector<Pin>> read_lock_file(const fs::path& path) {
  KMUX_ASSIGN(const std::string text, read_named_file(path, kMaxBytes));
  KMUX_TRY(check_owner(path));
  KMUX_TRY(check_owner(fs::absolute(path).parent_path()));
  Result<std::vector<Pin>> pins = pins_in(text);
  if (!pins) return malformed(path, pins.error().message);
  return pins;
}

Status write_lock_file(const fs::path& path, std::vector<Pin> pins) {
  std::ranges::sort(pins, {}, [](const Pin& pin) { return std::tie(pin.name, pin.program, pin.target); });
  Json::Array list;
  for (const Pin& pin : pins) list.push_back(to_json_value(pin));
  const Json json = Json::Object{{kVersionKey, kVersion}, {kPinsKey, std::move(list)}};
  return write_file(path, dump(json, 2) + "\n");
}

}  // namespace kmux
