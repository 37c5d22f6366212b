#include <string_view>

#include "kmux/plugin/words.h"
#include "kmux/resolver.h"

#include "base/text_table.h"
#include "interval_text.h"

namespace kmux {
namespace {

std::string quarantine_line(const Candidate& candidate) {
  return "  '" + candidate.backend + "' variant " + std::to_string(candidate.variant) + " is in quarantine for " +
         std::to_string(candidate.quarantine->left.count()) + " s: " + candidate.quarantine->reason + "\n";
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
               c.compile_ms ? milliseconds_text(*c.compile_ms) : "-", c.run_us ? to_text(*c.run_us) : "-", c.reason});
  }
  std::string text = program + ": policy " + policy + "\n";
  if (policy_error) text += "  " + policy_error->message + "\n";
  if (!candidates.empty()) text += table.to_string(2) + "  (* chosen, + possible, - refused at that stage)\n";
  if (successor) text += "  '" + candidates[*successor].backend + "' takes over once it is compiled\n";
  for (const Candidate& c : candidates) {
    if (c.quarantine) text += quarantine_line(c);
  }
  for (const std::string& reason : unread) text += "  not read: " + reason + "\n";
  return text + "  plugins are looked for in: " + join(searched, "-") + "\n";
}

}  // namespace kmux
