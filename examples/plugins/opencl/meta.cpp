#include "meta.h"

#include "kmux/json.h"
#include "kmux/plugin/meta_reader.h"

namespace kmux::opencl {

std::string dump_meta(const Meta& meta) { return dump(Json::Object{{"arch", meta.arch}, {"driver", meta.driver}}); }

Result<Meta> parse_meta(std::string_view text) {
  KMUX_ASSIGN(const MetaReader json, MetaReader::parse(text, "opencl"));
  Meta meta;
  KMUX_TRY(json.read("arch", meta.arch));
  KMUX_TRY(json.read("driver", meta.driver));
  return meta;
}

}  // namespace kmux::opencl
