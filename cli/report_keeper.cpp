#include "report_keeper.h"

#include <utility>

#include "kmux/bench/report_text.h"
#include "kmux/plugin/file_io.h"

#include "selection.h"

namespace kmux::cli {

ReportKeeper::ReportKeeper(const po::variables_map& arguments, std::vector<bench::NamedReport> beside)
    : json_(value_of(arguments, "json")),
      csv_(value_of(arguments, "csv")),
      html_(value_of(arguments, "html")),
      beside_(std::move(beside)) {}

void ReportKeeper::keep(const bench::BenchReport& so_far) {
  constexpr int kPause = 20;  // of what writing took
  measured_ = so_far;
  const Clock::time_point begin = Clock::now();
  if (begin < next_) return;
  static_cast<void>(write());  // a failure shows in the end, when it is written once more
  const Clock::time_point end = Clock::now();
  next_ = end + kPause * (end - begin);
}

bench::BenchReport ReportKeeper::report() const {
  std::vector<bench::NamedReport> all;
  if (measured_) all.push_back({"", *measured_});
  all.insert(all.end(), beside_.begin(), beside_.end());
  return bench::join_reports(std::move(all));
}

Status ReportKeeper::write() {
  const bench::BenchReport all = report();
  if (!json_.empty()) KMUX_TRY(write_file(json_, dump(to_json(all), 1) + "\n"));
  if (!csv_.empty()) KMUX_TRY(write_file(csv_, bench::csv_of(all)));
  if (!html_.empty()) KMUX_TRY(write_file(html_, bench::html_of(all)));
  return Ok{};
}

}  // namespace kmux::cli
