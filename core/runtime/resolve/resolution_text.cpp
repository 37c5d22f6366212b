#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"
#include "kmux/resolver.h"

#include "base/text_table.h"
#include "measurement.h"

namespace kmux {
namespace {

std::string_view mark(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> kMarks = {"*", "+", "-"};
  return kMarks[static_cast<std::size_t>(verdict)];
}

Json to_json_value(const Candidate& candidate) {
  Json::Object object{{"backend", candidate.backend},
                      {"variant", static_cast<std::int64_t>(candidate.variant)},
                      {"dialect", candidate.dialect},
                      {"priority", candidate.priority},
                      {"target", candidate.target},
                      {"stage", to_string(candidate.stage)},
                      {"verdict", to_string(candidate.verdict)},
                      {"reason", candidate.reason}};
  if (candidate.verdict != Verdict::kRefused) object.emplace("reach", to_string(candidate.reach));
  if (candidate.compile_ms) object.emplace("compile_ms", *candidate.compile_ms);
  if (candidate.run_us) object.emplace("run_us", to_json(*candidate.run_us));
  if (candidate.quarantine) {
    object.emplace("quarantine", Json::Object{{"reason", candidate.quarantine->reason},
                                              {"seconds_left", candidate.quarantine->left_s}});
  }
  if (candidate.code != ErrorCode::kOk) object.emplace("code", to_string(candidate.code));
  return object;
}

std::string headline(const Resolution& resolution) {
  std::string text = resolution.program + ": target '" + resolution.requested_target + "', backend '" +
                     resolution.requested_backend + "' -> ";
  const Candidate* chosen = resolution.chosen();
  if (chosen == nullptr) return text + "none";
  text += chosen->backend + " for " + chosen->target;
  if (chosen->obstacle.empty()) return text;
  return text + (resolution.runs_nowhere() ? " (nothing here runs it)" : " (cannot run here)");
}

}  // namespace

std::string_view to_string(Purpose purpose) {
  static constexpr std::array<std::string_view, 3> kNames = {"wrap", "build", "run"};
  return kNames[static_cast<std::size_t>(purpose)];
}

std::string_view to_string(Stage stage) {
  static constexpr std::array<std::string_view, 7> kNames = {"manifest", "open",   "probe", "target",
                                                             "supports", "policy", "build"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::string_view to_string(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> kNames = {"chosen", "possible", "refused"};
  return kNames[static_cast<std::size_t>(verdict)];
}

namespace {

/// Returns the reason of a candidate. A long reason of the same backend that an earlier row has is not repeated.
std::string reason_in_table(const std::vector<Candidate>& candidates, const Candidate& one) {
  constexpr std::size_t kLong = 60;
  if (one.reason.size() < kLong) return one.reason;
  const auto is_same = [&](const Candidate& other) {
    return &other == &one || (other.backend == one.backend && other.reason == one.reason);
  };
  const Candidate& first = *std::ranges::find_if(candidates, is_same);
  return &first == &one ? one.reason : "as of variant " + std::to_string(first.variant);
}

}  // namespace

std::string Resolution::explain() const {
  constexpr auto kRight = TextTable::Align::kRight;
  TextTable table({{""}, {"backend"}, {"variant", kRight}, {"dialect"}, {"priority", kRight}, {"stage"}, {"reason"}});
  for (const Candidate& c : candidates) {
    table.add({std::string(mark(c.verdict)), c.backend, std::to_string(c.variant), c.dialect,
               std::to_string(c.priority), std::string(to_string(c.stage)), reason_in_table(candidates, c)});
  }
  if (candidates.empty()) return headline(*this) + "\n";
  return headline(*this) + "\n" + table.to_string(2) + "  (* chosen, + possible, - refused at that stage)\n";
}

Json Resolution::to_json() const {
  Json::Array list;
  for (const Candidate& candidate : candidates) list.push_back(to_json_value(candidate));
  const Candidate* winner = chosen();
  return Json::Object{{"program", program},
                      {"requested_target", requested_target},
                      {"requested_backend", requested_backend},
                      {"policy", policy ? Json(std::string(to_string(*policy))) : Json()},
                      {"successor", successor ? Json(candidates[*successor].backend) : Json()},
                      {"chosen", winner != nullptr ? Json(winner->backend) : Json()},
                      {"candidates", std::move(list)}};
}

namespace {

std::string quarantine_line(const Candidate& candidate) {
  return "  '" + candidate.backend + "' variant " + std::to_string(candidate.variant) + " is in quarantine for " +
         std::to_string(candidate.quarantine->left_s) + " s: " + candidate.quarantine->reason + "\n";
}

std::string row_mark(const Candidate& candidate) {
  if (candidate.verdict == Verdict::kRefused) return "-";
  return candidate.verdict == Verdict::kChosen ? "*" : "+";
}

}  // namespace

std::string Resolution::explain_fully() const {
  constexpr auto kRight = TextTable::Align::kRight;
  TextTable table({{""},
                   {"backend"},
                   {"variant", kRight},
                   {"dialect"},
                   {"target"},
                   {"priority", kRight},
                   {"stage"},
                   {"compile", kRight},
                   {"run"},
                   {"reason"}});
  for (const Candidate& c : candidates) {
    table.add({row_mark(c), c.backend, std::to_string(c.variant), c.dialect, c.target.empty() ? "-" : c.target,
               std::to_string(c.priority), std::string(to_string(c.stage)),
               c.compile_ms ? milliseconds_text(*c.compile_ms) : "-", c.run_us ? to_text(*c.run_us) : "-",
               reason_in_table(candidates, c)});
  }
  std::string text = program + ": policy " + std::string(policy ? to_string(*policy) : "unknown") + "\n";
  if (policy_error) text += "  " + policy_error->message + "\n";
  if (!candidates.empty()) text += table.to_string(2) + "  (* chosen, + possible, - refused at that stage)\n";
  if (successor) text += "  '" + candidates[*successor].backend + "' takes over once it is compiled\n";
  for (const Candidate& c : candidates) {
    if (c.quarantine) text += quarantine_line(c);
  }
  for (const std::string& reason : unread) text += "  not read: " + reason + "\n";
  return text + "  plugins are looked for in: " + join(searched, "-") + "\n";
}

namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

Error no_plugins(const Resolution& resolution) {
  return make_error(ErrorCode::kUnavailable,
                    "no backend plugin was found (searched: " + join(resolution.searched, "nowhere") +
                        "). Set KMUX_PLUGIN_PATH to the folder that holds plugins and their "
                        ".plugin.json files.");
}

std::string kind_in(const std::string& target) { return target.substr(0, target.find_first_of(":, ")); }

/// Returns a sentence that names the environment variable that gave a word, or "" if the caller gave it.
std::string from_variable(const std::string& variable) {
  return variable.empty() ? "" : " It comes from the variable " + variable + ".";
}

std::string allowed_text(const Resolution& resolution) {
  return ". Allowed: " + join(resolution.allowed, "<none>") + ".";
}

std::string without_stop(const std::string& text) {
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

Error unread_target(const Resolution& resolution) {
  return make_error(ErrorCode::kInvalidArgument, resolution.target_problem + from_variable(resolution.target_variable));
}

Error no_such_target(const Resolution& resolution) {
  const std::string kind = kind_in(resolution.requested_target);
  return make_error(ErrorCode::kInvalidArgument, "No backend registered for target kind " + quoted(kind) +
                                                     ". Available: " + join(resolution.target_kinds, "<none>") + "." +
                                                     did_you_mean(kind, resolution.target_kinds) +
                                                     from_variable(resolution.target_variable));
}

std::string aliases_text(const Resolution& resolution) {
  return resolution.aliases.empty() ? "" : " Aliases of these: " + join(resolution.aliases) + ".";
}

Error invalid_backend(const Resolution& resolution) {
  return make_error(ErrorCode::kInvalidArgument,
                    "Invalid execution backend " + quoted(resolution.requested_backend) + " for target " +
                        quoted(resolution.requested_target) + allowed_text(resolution) + aliases_text(resolution) +
                        " Tip: use 'auto'." + did_you_mean(resolution.requested_backend, resolution.names) +
                        from_variable(resolution.backend_variable));
}

/// Returns the refused candidate of a named backend that reached the latest stage.
///
/// Precondition: a named backend has a candidate.
const Candidate& nearest_miss(const Resolution& resolution) {
  const auto is_named = [&](const Candidate& candidate) {
    return std::find(resolution.named.begin(), resolution.named.end(), candidate.backend) != resolution.named.end();
  };
  return *std::find_if(resolution.candidates.begin(), resolution.candidates.end(), is_named);
}

Error refused_backend(const Resolution& resolution) {
  const Candidate& candidate = nearest_miss(resolution);
  const std::string others =
      resolution.alternatives.empty() ? "" : " Try one of: " + join(resolution.alternatives) + ".";
  const std::string backend = "Execution backend " + quoted(resolution.requested_backend);
  const std::string reason = " (" + without_stop(candidate.reason) + ").";
  const bool is_missing = candidate.code == ErrorCode::kUnavailable && candidate.stage < Stage::kTarget;
  if (is_missing)
    return make_error(candidate.code,
                      backend + " requires extra dependencies and is not available now" + reason + others);
  return make_error(candidate.code, backend + " cannot take program " + quoted(resolution.program) + " for target " +
                                        quoted(resolution.requested_target) + reason + others);
}

/// Returns unavailable if a better machine would help, else the code of the candidate that reached the latest stage.
ErrorCode code_of_none(const Resolution& resolution) {
  const auto& all = resolution.candidates;
  if (std::ranges::find(all, ErrorCode::kUnavailable, &Candidate::code) != all.end()) return ErrorCode::kUnavailable;
  const bool only_manifests = all.empty() || all.front().stage == Stage::kManifest;
  return only_manifests ? ErrorCode::kUnsupported : all.front().code;
}

Error none_available(const Resolution& resolution) {
  std::string message =
      "No available execution backend for target " + quoted(resolution.requested_target) + allowed_text(resolution);
  if (!resolution.candidates.empty() && resolution.candidates.front().stage > Stage::kManifest) {
    const Candidate& nearest = resolution.candidates.front();  // refused for more than its name
    message += " " + nearest.backend + ": " + without_stop(nearest.reason) + ".";
  }
  return make_error(code_of_none(resolution), std::move(message));
}

Error problem_of(const Resolution& resolution) {
  if (resolution.policy_error) return *resolution.policy_error;
  if (resolution.names.empty()) return no_plugins(resolution);
  if (!resolution.target_problem.empty()) return unread_target(resolution);
  if (resolution.allowed.empty()) return no_such_target(resolution);
  if (resolution.named.empty()) return invalid_backend(resolution);
  return resolution.requested_backend == "auto" ? none_available(resolution) : refused_backend(resolution);
}

/// Returns the name of the candidates of one reason: "cpu (variant 0, c)" for one, the backends for several.
std::string name_of(const std::vector<const Candidate*>& group) {
  const Candidate& first = *group.front();
  if (group.size() == 1)
    return first.backend + " (variant " + std::to_string(first.variant) + ", " + first.dialect + ")";
  std::vector<std::string> backends;
  for (const Candidate* const candidate : group) {
    if (std::ranges::find(backends, candidate->backend) == backends.end()) backends.push_back(candidate->backend);
  }
  return join(backends);
}

/// Returns true if no other candidate of the same backend reached a later stage. The others' reasons add nothing.
bool is_furthest(const std::vector<Candidate>& candidates, const Candidate& candidate) {
  return std::ranges::none_of(candidates, [&](const Candidate& other) {
    return other.backend == candidate.backend && other.stage > candidate.stage;
  });
}

/// Returns a note for each reason that `message` does not contain, in the order of the candidates, best first.
std::vector<Note> notes_of(const std::vector<Candidate>& candidates, std::string_view message) {
  using Group = std::pair<std::string, std::vector<const Candidate*>>;
  std::vector<Group> groups;
  for (const Candidate& candidate : candidates) {
    const bool is_told = message.find(without_stop(candidate.reason)) != std::string_view::npos;
    if (is_told || !is_furthest(candidates, candidate)) continue;
    std::string reason = std::string(to_string(candidate.stage)) + ": " + candidate.reason;
    const auto same = std::ranges::find(groups, reason, &Group::first);
    if (same != groups.end()) {
      same->second.push_back(&candidate);
    } else {
      groups.emplace_back(std::move(reason), std::vector{&candidate});
    }
  }
  std::vector<Note> notes;
  notes.reserve(groups.size());
  for (const auto& [reason, group] : groups) notes.push_back({"backend", name_of(group) + ": " + reason});
  return notes;
}

/// Returns true if the message lists the valid names, which makes the candidates' reasons redundant.
bool is_of_names(const Resolution& resolution) {
  return !resolution.target_problem.empty() || resolution.allowed.empty();
}

}  // namespace

Result<Candidate> require(const Resolution& resolution) {
  if (const Candidate* chosen = resolution.chosen()) return *chosen;
  Error error = problem_of(resolution);
  if (!is_of_names(resolution)) error.notes = notes_of(resolution.candidates, error.message);
  for (const std::string& reason : resolution.unread) error.notes.push_back({"plugin", reason});
  return error;
}

}  // namespace kmux
