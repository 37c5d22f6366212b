#include "meta.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "kmux/json.h"
#include "kmux/plugin/meta_reader.h"

namespace kmux::hip {
namespace {

// Returns "SYMBOL STATIC THREADS WAVEFRONT": a symbol has no blanks.
std::string line_of(const KernelMeta& kernel) {
  return kernel.symbol + " " + std::to_string(kernel.static_smem_bytes) + " " + std::to_string(kernel.max_threads) +
         " " + std::to_string(kernel.wavefront_size);
}

bool read_number(std::string_view& rest, unsigned& number) {
  if (!rest.starts_with(' ')) return false;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), number);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return error == std::errc();
}

Result<KernelMeta> read_line(std::string_view line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  KernelMeta kernel{std::string(line.substr(0, blank))};
  std::string_view rest = line.substr(blank);
  const bool is_whole = read_number(rest, kernel.static_smem_bytes) && read_number(rest, kernel.max_threads) &&
                        read_number(rest, kernel.wavefront_size) && rest.empty() && !kernel.symbol.empty();
  if (is_whole) return kernel;
  return make_error(ErrorCode::kInvalidArgument,
                    "the artifact's meta.json is malformed (member \"kernels\"; backend hip). Build it again.");
}

}  // namespace

std::string dump_meta(const Meta& meta) {
  Json::Object kernels;
  for (const auto& [name, kernel] : meta.kernels) kernels.emplace(name, line_of(kernel));
  return dump(Json::Object{{"arch", meta.arch},
                           {"compiler", meta.compiler},
                           {"graph", meta.graph},
                           {"kernels", std::move(kernels)},
                           {"arguments", json_list(meta.arguments)}});
}

Result<Meta> parse_meta(std::string_view text) {
  KMUX_ASSIGN(const MetaReader json, MetaReader::parse(text, "hip"));
  Meta meta;
  std::map<std::string, std::string> kernels;
  KMUX_TRY(json.read("arch", meta.arch));
  KMUX_TRY(json.read("compiler", meta.compiler));
  KMUX_TRY(json.read("graph", meta.graph));
  KMUX_TRY(json.read("kernels", kernels));
  KMUX_TRY(json.read("arguments", meta.arguments));
  for (const auto& [name, line] : kernels) {
    KMUX_ASSIGN(meta.kernels[name], read_line(line));
  }
  return meta;
}

}  // namespace kmux::hip
