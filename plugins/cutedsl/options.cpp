#include "options.h"

#include "kmux/json.h"
#include "kmux/plugin/option_readers.h"

namespace kmux::cutedsl {

// [options.begin]
Result<BuildOptions> parse_options(const Options& options, const Host& host) {
  BuildOptions result;
  const OptionReaders readers = {
      {"graph", on_or_off(result.graph)},
      {"host_compiler", any_text(result.host_compiler)},
      {"include_dirs", folders(result.include_dirs)},
      {"keep_python", on_or_off(result.keep_python)},
      {"line_info", on_or_off(result.line_info)},
      {"opt_level", whole_number(result.opt_level, {0, 3})},
      {"timeout_s", whole_number(result.timeout, {1, 86400})},
  };
  KMUX_TRY(read_options("cutedsl", options, host, readers));
  return result;
}
// [options.end]

Json to_json(const BuildOptions& options) {
  return Json::Object{{"graph", options.graph},
                      {"include_dirs", json_list(options.include_dirs)},
                      {"line_info", options.line_info},
                      {"opt_level", std::int64_t{options.opt_level}}};
}

}  // namespace kmux::cutedsl
