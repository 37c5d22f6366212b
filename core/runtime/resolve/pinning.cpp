#include "pinning.h"

#include <algorithm>
#include <tuple>

#include "kmux/dispatch_json.h"
#include "kmux/guarded.h"
#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/word_list.h"
#include "kmux/tune.h"

#include "base/json_text.h"
#include "cache/disk/cache_folder.h"
#include "measurement.h"
#include "system/trust.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownDigits = 12;

/// The errors of choosing a pinned candidate.
class Refusals {
 public:
  Refusals(const std::string& name, const std::string& digest, const fs::path& file)
      : program_("program '" + name + "' (" + digest.substr(0, kShownDigits) + ")"), file_(file.string()) {}

  Error not_there() const { return make(ErrorCode::kInvalidArgument, "is not in lock file '" + file_ + "'"); }
  Error other_target(const std::vector<std::string>& targets) const {
    return make(ErrorCode::kInvalidArgument,
                "is pinned in '" + file_ + "' for " + join(targets) + " only, which is not a target of this machine");
  }
  Error refused(const Candidate& candidate) const {
    return make(ErrorCode::kUnavailable, "is pinned in '" + file_ + "' to backend '" + candidate.backend +
                                             "', which cannot take it (" + candidate.reason + ")");
  }
  Error changed(const Pin& pin, const std::string& build_id) const {
    return make(ErrorCode::kUnavailable, "is pinned in '" + file_ + "' to build " + pin.build_id + " of plugin '" +
                                             pin.backend + "', and this one is " + build_id);
  }

 private:
  Error make(ErrorCode code, const std::string& problem) const {
    return make_error(code, program_ + " " + problem +
                                " (policy pinned). Run `kmux tune PROGRAM --lock FILE` with the "
                                "plugins and the machine that it will run on.");
  }
  std::string program_;
  std::string file_;
};

bool is_for(const Pin& pin, const Candidate& candidate) {
  return pin.backend == candidate.backend && pin.variant == candidate.variant;
}

}  // namespace

Result<std::size_t> pinned_candidate(std::span<const Pin> pins, const fs::path& file, const std::string& name,
                                     const std::string& digest, const std::vector<Candidate>& candidates,
                                     const std::vector<const Manifest*>& manifests) {
  const Refusals refusals(name, digest, file);
  std::vector<std::string> targets;
  const Candidate* refused = nullptr;
  const Pin* chosen = nullptr;
  auto best = candidates.end();
  for (const Pin& pin : pins) {
    targets.push_back(pin.target);
    const auto found = std::ranges::find_if(candidates, [&](const Candidate& one) { return is_for(pin, one); });
    if (found == candidates.end()) continue;
    if (found->verdict == Verdict::kRefused) refused = &*found;
    if (found->verdict == Verdict::kRefused || found->target != pin.target || found >= best) continue;
    chosen = &pin;
    best = found;
  }
  if (chosen != nullptr) {
    const std::string& build_id = manifest_of(manifests, chosen->backend)->build_id;
    if (build_id != chosen->build_id) return refusals.changed(*chosen, build_id);
    return static_cast<std::size_t>(best - candidates.begin());
  }
  if (targets.empty()) return refusals.not_there();
  return refused != nullptr ? refusals.refused(*refused) : refusals.other_target(targets);
}

Result<std::optional<TunedCandidate>> pin(const std::string& file, const Program& program, const Tuning& tuning) {
  return guarded([&]() -> Result<std::optional<TunedCandidate>> {
    if (!tuning.is_sure) {
      return make_error(ErrorCode::kInvalidArgument, "program '" + program.name + "' is not pinned in '" + file +
                                                         "' (its measurement is " + tuning.doubt() +
                                                         "). Measure longer, or on a machine that does nothing else.");
    }
    std::vector<Pin> pins;
    if (is_there(file)) {
      KMUX_ASSIGN(pins, read_lock_file(file));
    }
    const TunedCandidate& best = tuning.best();
    Pin made{digest(program), program.name, best.target, best.backend, best.build_id, best.variant};
    std::optional<TunedCandidate> replaced;
    std::erase_if(pins, [&](const Pin& one) {
      if (one.program != made.program || one.target != made.target) return false;
      if (one != made) replaced = {one.backend, one.variant, one.target, one.build_id};
      return true;
    });
    pins.push_back(std::move(made));
    KMUX_TRY(write_lock_file(file, std::move(pins)));
    return replaced;
  });
}

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kVersion = 1;
// A million pins. The bound is memory: about six times the file's size while reading, about its size afterwards.
constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMaxKept = 4;  // files: a process usually has one, or one for each of a few models
constexpr const char* kVersionKey = "kmux_lock";
constexpr const char* kPinsKey = "programs";

Error malformed(const fs::path& path, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "lock file '" + path.string() + "' cannot be read (" + why +
                                                     "). Write it anew with `kmux tune PROGRAM --lock FILE`.");
}

/// Takes members out of an object one by one; the remaining ones are unknown.
class Members {
 public:
  explicit Members(Json::Object object) : object_(std::move(object)) {}

  Result<std::string> text(const char* key) {
    const Json json = take(key);
    if (json.as_string() != nullptr && !json.as_string()->empty()) return *json.as_string();
    return wrong(key, "string");
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
    return make_error(ErrorCode::kInvalidArgument, "\"" + std::string(key) + "\" is not a " + kind);
  }
  Json::Object object_;
};

Result<Members> members_of(Json json) {
  if (json.as_object() != nullptr) return Members(std::move(*json.as_object()));
  return make_error(ErrorCode::kInvalidArgument, "a " + std::string(json.kind()) + " where an object is expected");
}

Result<Pin> pin_in(Json json) {
  Pin pin;
  KMUX_ASSIGN(Members members, members_of(std::move(json)));
  KMUX_ASSIGN(pin.program, members.text("program"));
  KMUX_ASSIGN(pin.name, members.text("name"));
  KMUX_ASSIGN(pin.target, members.text("target"));
  KMUX_ASSIGN(pin.backend, members.text("backend"));
  KMUX_ASSIGN(pin.build_id, members.text("build_id"));
  KMUX_ASSIGN(const std::int64_t variant, members.number("variant"));
  pin.variant = static_cast<std::size_t>(variant);
  KMUX_TRY(members.none_left());
  if (is_digest(pin.program)) return pin;
  return make_error(ErrorCode::kInvalidArgument, "\"program\" is not a digest");
}

Result<std::vector<Pin>> pins_in(const std::string& text) {
  KMUX_ASSIGN(Json json, read_json(text));
  KMUX_ASSIGN(Members members, members_of(std::move(json)));
  KMUX_ASSIGN(const std::int64_t version, members.number(kVersionKey));
  if (version != kVersion) {
    return make_error(ErrorCode::kInvalidArgument, "its version is " + std::to_string(version) + ", not 1");
  }
  KMUX_ASSIGN(Json::Array list, members.list(kPinsKey));
  KMUX_TRY(members.none_left());
  std::vector<Pin> pins;
  pins.reserve(list.size());
  for (Json& item : list) {
    KMUX_ASSIGN(Pin pin, pin_in(std::move(item)));
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
  return guarded([&]() -> Result<std::vector<Pin>> {
    KMUX_ASSIGN(const std::string text, read_named_file(path, kMaxBytes));
    KMUX_TRY(check_owner(path));
    KMUX_TRY(check_owner(absolute_path(path).parent_path()));
    Result<std::vector<Pin>> pins = pins_in(text);
    if (!pins) return malformed(path, pins.error().message);
    return pins;
  });
}

PinTable::PinTable(std::vector<Pin> pins) : pins_(std::move(pins)) {
  std::ranges::sort(pins_, {}, [](const Pin& pin) { return std::tie(pin.program, pin.target); });
}

std::span<const Pin> PinTable::of(std::string_view program) const {
  const auto found =
      std::ranges::equal_range(pins_, program, {}, [](const Pin& pin) -> std::string_view { return pin.program; });
  return {found.begin(), found.end()};
}

/// The identity of a file changes with its permissions, so a known file needs no owner check. The permissions of the
/// folder are checked each time.
Result<std::shared_ptr<const PinTable>> LockFiles::at(const fs::path& path) {
  std::error_code gone;  // set if the working directory is gone; reading the file then fails, too
  const fs::path absolute = fs::absolute(path, gone);
  const std::string& name = absolute.native();
  const std::lock_guard lock(mutex_);
  const FileTime began = file_time_now();
  const FileIdentity file = FileIdentity::of(name);
  const auto known = entries_.find(name);
  if (known != entries_.end() && known->second.file == file) {
    KMUX_TRY(check_owner(known->second.folder));
    return known->second.pins;
  }
  entries_.erase(name);
  KMUX_ASSIGN(std::vector<Pin> read, read_lock_file(path));
  auto pins = std::make_shared<const PinTable>(std::move(read));
  if (file.changed_ns() >= began) return pins;  // it may change again without changing its identity
  if (entries_.size() == kMaxKept) entries_.clear();
  entries_.emplace(name, Entry{file, absolute.parent_path(), pins});
  return pins;
}

Status write_lock_file(const fs::path& path, std::vector<Pin> pins) {
  return guarded([&]() -> Status {
    std::ranges::sort(pins, {}, [](const Pin& pin) { return std::tie(pin.name, pin.program, pin.target); });
    Json::Array list;
    for (const Pin& pin : pins) list.push_back(to_json_value(pin));
    const Json json = Json::Object{{kVersionKey, kVersion}, {kPinsKey, std::move(list)}};
    return write_file(path, dump(json, 2) + "\n");
  });
}

}  // namespace kmux
