#include "pair_matrix.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text_table.h"
#include "contest_title.h"
#include "verdict_cell.h"

namespace kmux::bench {
namespace {

using Pairs = std::vector<PairJudgement>;

/// The same said of the second against the first.
Judgement turned(const Judgement& judgement) {
  Judgement result = judgement;
  result.ratio = {1 / judgement.ratio.median, 1 / judgement.ratio.high, 1 / judgement.ratio.low};
  if (judgement.verdict == Verdict::kFaster) result.verdict = Verdict::kSlower;
  if (judgement.verdict == Verdict::kSlower) result.verdict = Verdict::kFaster;
  return result;
}

std::optional<Judgement> judgement_of(const Pairs& pairs, const std::string& row, const std::string& column) {
  for (const PairJudgement& pair : pairs) {
    if (pair.first == row && pair.second == column) return pair.judgement;
    if (pair.first == column && pair.second == row) return turned(pair.judgement);
  }
  return std::nullopt;
}

/// Those who are in a pair, in the order of the contest.
std::vector<std::string> names_in(const Contest& contest, const Pairs& pairs) {
  std::vector<std::string> names;
  for (const Entrant& entrant : contest.entrants) {
    const auto has_it = [&](const PairJudgement& pair) {
      return pair.first == entrant.backend || pair.second == entrant.backend;
    };
    if (std::ranges::any_of(pairs, has_it)) names.push_back(entrant.backend);
  }
  return names;
}

void write_cell(HtmlWriter& html, const std::optional<Judgement>& judgement) {
  if (!judgement) {
    html.element("td", "");
    return;
  }
  const VerdictCell cell = verdict_cell(*judgement);
  html.open("td", attribute("class", cell.word)).element("div", cell.text, R"(class="word")");
  html.small(cell.detail).close("td");
}

void write_matrix(HtmlWriter& html, const Contest& contest, Column column, const Pairs& pairs) {
  const std::vector<std::string> names = names_in(contest, pairs);
  html.open("div", R"(class="wide")");
  html.open("table", R"(class="pairs")" + attribute("data-column", info(column).name)).open("tr");
  html.element("th", "is ... than", R"(scope="col")");
  for (const std::string& name : names) html.element("th", name, R"(scope="col")");
  html.close("tr");
  for (const std::string& row : names) {
    html.open("tr").element("th", row, R"(scope="row")");
    for (const std::string& name : names) write_cell(html, judgement_of(pairs, row, name));
    html.close("tr");
  }
  html.close("table").close("div");
}

}  // namespace

void write_pairs(HtmlWriter& html, const Contest& contest) {
  if (timed_in(contest) < 3) return;
  for (const auto& [column, pairs] : contest.pairs) {
    html.open("details", column == headline_of(contest) ? R"(class="pairs" open)" : R"(class="pairs")");
    html.element("summary", "each against each: " + std::string(info(column).title));
    write_matrix(html, contest, column, pairs);
    html.close("details");
  }
}

std::string pairs_text(const Contest& contest) {
  const auto found = contest.pairs.find(headline_of(contest));
  if (timed_in(contest) < 3 || found == contest.pairs.end()) return "";
  const std::vector<std::string> names = names_in(contest, found->second);
  std::vector<TextTable::Column> titles = {{std::string(info(found->first).title) + ": is ... than"}};
  for (const std::string& name : names) titles.push_back({name});
  TextTable table(std::move(titles));
  for (const std::string& row : names) {
    std::vector<std::string> cells = {row};
    for (const std::string& name : names) {
      const std::optional<Judgement> judgement = judgement_of(found->second, row, name);
      const VerdictCell cell = judgement ? verdict_cell(*judgement) : VerdictCell{};
      cells.push_back(cell.detail.empty() ? cell.text : cell.text + " (" + cell.detail + ")");
    }
    table.add(std::move(cells));
  }
  return table.to_string(2);
}

}  // namespace kmux::bench
