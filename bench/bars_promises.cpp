// The figures of group `promises`: a line each, "bar NAME VALUE UNIT".
//
// bars_promises [BAR...]
#include <array>
#include <string>
#include <vector>

#include "bar_program.h"
#include "promises/first_launch_default_stream_ratio.h"
#include "promises/page_checks.h"

namespace kmux::bench {
namespace {

const std::array<Bar, 3> kBars = {{
    {"documented_names_refused", documented_names_refused, "names"},
    {"messages_over_5_lines", messages_over_5_lines, "messages"},
    {"first_launch_default_stream_ratio", first_launch_default_stream_ratio, "of 1"},
}};

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  using namespace kmux::bench;
  return told("bars_promises", [&] { return measure_bars("bars_promises", kBars, {argv + 1, argv + argc}); });
}
