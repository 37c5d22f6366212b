#include "meta.h"

#include "kmux/json.h"
#include "kmux/plugin/meta_reader.h"

namespace kmux::cpu {
std::string dump_meta(const Meta& meta) {
  return dump(Json::Object{{"engine", meta.engine},
                           {"entry", meta.entry},
                           {"triple", meta.triple},
                           {"cpu", meta.cpu},
                           {"features", json_list(meta.features)},
                           {"compiler", meta.compiler},
                           {"tier", meta.tier},
                           {"flags", json_list(meta.flags)},
                           {"on_grid", meta.on_grid},
                           {"on_fibers", meta.on_fibers}});
}

Result<Meta> parse_meta(std::string_view text) {
  KMUX_ASSIGN(const MetaReader json, MetaReader::parse(text, "cpu"));
  Meta meta;
  KMUX_TRY(json.read("engine", meta.engine));
  KMUX_TRY(json.read("entry", meta.entry));
  KMUX_TRY(json.read("triple", meta.triple));
  KMUX_TRY(json.read("cpu", meta.cpu));
  KMUX_TRY(json.read("features", meta.features));
  KMUX_TRY(json.read("compiler", meta.compiler));
  KMUX_TRY(json.read("tier", meta.tier));
  KMUX_TRY(json.read("flags", meta.flags));
  KMUX_TRY(json.read("on_grid", meta.on_grid));
  KMUX_TRY(json.read("on_fibers", meta.on_fibers));
  return meta;
}

}  // namespace kmux::cpu
