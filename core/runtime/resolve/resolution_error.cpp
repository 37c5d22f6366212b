#include <algorithm>

#include "kmux/plugin/nearest.h"
#include "kmux/plugin/words.h"
#include "kmux/resolver.h"

namespace kmux {
namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

Error no_plugins(const Resolution& resolution) {
  return make_error(ErrorCode::kUnavailable,
                    "no backend plugin was found (searched: " + join(resolution.searched, "nowhere") +
                        "). Set KMUX_PLUGIN_PATH to the folder that holds plugins and their "
                        ".plugin.json files.");
}

std::string kind_in(const std::string& target) { return target.substr(0, target.find_first_of(":, ")); }

/// Where a word came from that the caller did not say; "" if he did.
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

/// The refused candidate of a named backend that came furthest. Precondition: there is one.
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

/// Unavailable if a better machine would help, else what the candidate that came furthest says.
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
    const Candidate& nearest = resolution.candidates.front();  // what it says is of more than a name
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

/// What several candidates of one reason are called: "cpu (variant 0, c)", or by backend where there are more.
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

/// Of the candidates of one backend those that came furthest: what the others lack says nothing more.
bool is_furthest(const std::vector<Candidate>& candidates, const Candidate& candidate) {
  return std::ranges::none_of(candidates, [&](const Candidate& other) {
    return other.backend == candidate.backend && other.stage > candidate.stage;
  });
}

/// A note for each reason that `message` does not tell, in the order of the candidates: who came furthest first.
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

/// Is all said by the names that there are?
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
