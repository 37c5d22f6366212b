#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "kmux/bench/figure.h"

#include "base/text_table.h"
#include "contest.h"
#include "page_sections.h"
#include "pictures.h"

namespace kmux::bench {
namespace {

struct Numbered {
  std::size_t number;  // of the contest in the report
  const Contest* contest;
};
using List = std::vector<Numbered>;

/// Returns the contests of programs; results of other tools have no backends.
List list_of(const BenchReport& report) {
  List list;
  for (std::size_t i = 0; i < report.contests.size(); ++i) {
    if (is_of_program(report.contests[i])) list.push_back({i, &report.contests[i]});
  }
  return list;
}

const Entrant* entrant_of(const Contest& contest, const std::string& backend) {
  const auto found = std::ranges::find(contest.entrants, backend, &Entrant::backend);
  return found == contest.entrants.end() ? nullptr : &*found;
}

/// Returns the backends that could take part in at least one contest.
Palette present_in(const List& list, const Palette& palette) {
  Palette present;
  std::ranges::copy_if(palette, std::back_inserter(present), [&](const std::string& backend) {
    return std::ranges::any_of(list, [&](const Numbered& one) {
      const Entrant* const entrant = entrant_of(*one.contest, backend);
      return entrant != nullptr && entrant->state != EntrantState::kUnavailable;
    });
  });
  return present;
}

// ---- how each backend fared ----

std::map<std::string, int> tally_of(const List& list, const std::string& backend) {
  std::map<std::string, int> tally;
  for (const Numbered& one : list) {
    const Entrant* const entrant = entrant_of(*one.contest, backend);
    if (entrant == nullptr) continue;
    const VerdictCell cell = verdict_cell(*one.contest, *entrant, headline_of(*one.contest));
    if (!cell.word.empty()) ++tally[cell.word];
  }
  return tally;
}

void write_tally(HtmlWriter& html, const List& list, const Palette& palette, const std::string& backend) {
  static constexpr const char* kWords[] = {"baseline",  "faster", "same",   "slower",
                                           "ambiguous", "wrong",  "failed", "unavailable"};
  const std::map<std::string, int> tally = tally_of(list, backend);
  html.open("li", attribute("data-backend", backend));
  html.open("div", R"(class="name")");
  write_spot(html, palette, backend);
  html.text(backend).close("div");
  for (const char* word : kWords) {
    const auto found = tally.find(word);
    if (found == tally.end()) continue;
    html.open("span", attribute("class", std::string("count ") + word));
    const std::string count = std::to_string(found->second);
    html.text(std::string(word) == "baseline" ? "baseline of " + count : count + " " + word).close("span");
  }
  html.close("li");
}

void write_tallies(HtmlWriter& html, const List& list, const Palette& present, const Palette& palette) {
  html.open("ul", R"(class="tallies")");
  for (const std::string& backend : present) write_tally(html, list, palette, backend);
  html.close("ul");
}

// ---- a line for each contest ----

void write_name(HtmlWriter& html, const Numbered& one) {
  html.open("th", R"(scope="row")");
  html.open("a", attribute("href", "#" + section_id(one.number)));
  write_breakable(html, one.contest->program);
  html.close("a");
  std::string at = point_text(*one.contest, ", ");
  for (const std::string& from : {one.contest->label, one.contest->origin}) {
    if (!from.empty()) at += (at.empty() ? "" : "; ") + from;
  }
  html.small(at);
  html.close("th");
}

void write_cell(HtmlWriter& html, const Contest& contest, const std::string& backend) {
  const Entrant* const entrant = entrant_of(contest, backend);
  if (entrant == nullptr) {
    html.element("td", "");
    return;
  }
  const Column column = headline_of(contest);
  const VerdictCell verdict = verdict_cell(contest, *entrant, column);
  const auto found = entrant->columns.find(column);
  html.open("td", attribute("class", verdict.word) + attribute("title", verdict.detail));
  if (!verdict.text.empty()) html.element("div", verdict.text, R"(class="word")");
  if (found != entrant->columns.end()) html.small(on_page(figure(column, found->second.interval.median)));
  html.close("td");
}

void write_line(HtmlWriter& html, const Numbered& one, const Palette& present, double widest, const Palette& palette) {
  html.open("tr");
  write_name(html, one);
  for (const std::string& backend : present) write_cell(html, *one.contest, backend);
  if (widest > 1) html.open("td", R"(class="picture")").raw(picture_ratios(*one.contest, widest, palette)).close("td");
  html.close("tr");
}

void write_titles(HtmlWriter& html, const Palette& present, double widest, const Palette& palette) {
  html.open("tr").element("th", "program", R"(scope="col")");
  for (const std::string& backend : present) {
    html.open("th", R"(scope="col")");
    write_spot(html, palette, backend);
    html.text(backend).close("th");
  }
  if (widest > 1) {
    html.open("th", R"(scope="col" class="picture")");
    html.open("span").raw("&larr; ").text(ratio_text({1 / widest, 0, 0})).close("span");
    html.open("span").text(ratio_text({widest, 0, 0})).raw(" &rarr;").close("span").close("th");
  }
  html.close("tr");
}

void write_lines(HtmlWriter& html, const List& list, const Palette& present, const Palette& palette) {
  double widest = 1;
  for (const Numbered& one : list) widest = std::max(widest, widest_ratio(*one.contest));
  html.open("div", R"(class="wide")").open("table", R"(class="overview")").open("thead");
  write_titles(html, present, widest, palette);
  html.close("thead").open("tbody");
  for (const Numbered& one : list) write_line(html, one, present, widest, palette);
  html.close("tbody").close("table").close("div");
}

}  // namespace

std::string section_id(std::size_t number) { return "c" + std::to_string(number); }

void write_spot(HtmlWriter& html, const Palette& palette, const std::string& backend) {
  html.open("span", R"(class="spot")" + attribute("style", "background:" + colour(index_in(palette, backend))));
  html.raw("</span>");
}

std::string on_page(std::string text) {
  constexpr std::string_view kMicro = "\xc2\xb5", kPlusMinus = "\xc2\xb1";  // in UTF-8
  for (std::size_t at = text.find(" us"); at != std::string::npos; at = text.find(" us", at + 1)) {
    const bool is_unit = at + 3 == text.size() || text[at + 3] == ' ';
    if (is_unit) text.replace(at + 1, 1, kMicro);
  }
  if (const std::size_t at = text.find("+-"); at != std::string::npos) text.replace(at, 2, kPlusMinus);
  return text;
}

void write_number(HtmlWriter& html, Column column, const Interval& interval) {
  html.text(on_page(figure(column, interval.median))).small(on_page(spread(column, interval)));
}

void write_breakable(HtmlWriter& html, std::string_view name) {
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('_', begin), name.size() - 1) + 1;
    html.text(name.substr(begin, end - begin)).raw(end < name.size() ? "<wbr>" : "");
    begin = end;
  }
}

void write_overview(HtmlWriter& html, const BenchReport& report, const Palette& palette) {
  const List list = list_of(report);
  if (list.empty()) return;
  const Palette present = present_in(list, palette);
  write_tallies(html, list, present, palette);
  write_lines(html, list, present, palette);
  html.element("p",
               "Time of a call (" + std::string(info(kHeadline).title) +
                   ") and how it compares with the baseline's; lines are intervals of 99 %.",
               R"(class="faint legend")");
}

namespace {

using Pairs = std::vector<PairJudgement>;

/// Returns the judgement of the second against the first.
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

/// Returns the backends that are in a pair, in the order of the contest.
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
