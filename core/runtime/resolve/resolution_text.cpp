#include <array>

#include "kmux/resolver.h"

#include "base/text_table.h"
#include "interval_text.h"

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
                                              {"seconds_left", std::int64_t{candidate.quarantine->left.count()}}});
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

std::string Resolution::explain() const {
  constexpr auto kRight = TextTable::Align::kRight;
  TextTable table({{""}, {"backend"}, {"variant", kRight}, {"dialect"}, {"priority", kRight}, {"stage"}, {"reason"}});
  for (const Candidate& c : candidates) {
    table.add({std::string(mark(c.verdict)), c.backend, std::to_string(c.variant), c.dialect,
               std::to_string(c.priority), std::string(to_string(c.stage)), c.reason});
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
                      {"policy", policy},
                      {"successor", successor ? Json(candidates[*successor].backend) : Json()},
                      {"chosen", winner != nullptr ? Json(winner->backend) : Json()},
                      {"candidates", std::move(list)}};
}

}  // namespace kmux
