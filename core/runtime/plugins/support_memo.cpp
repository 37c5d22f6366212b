#include "support_memo.h"

#include <algorithm>

namespace kmux {
namespace {

constexpr std::size_t kPrograms = 8;

bool same_paths(const std::vector<File>& a, const std::vector<File>& b) {
  return std::ranges::equal(a, b, {}, &File::path, &File::path);
}

/// All but the contents of files. The bindings do not compile once a variant has one more member to compare.
bool same_ir(const Variant& a, const Variant& b) {
  const auto& [dialect, requirements, settings, sources, headers, body] = a;
  return dialect == b.dialect && requirements == b.requirements && settings == b.settings && body == b.body &&
         same_paths(sources, b.sources) && same_paths(headers, b.headers);
}

bool same_ir(const Program& a, const Program& b) {
  return a.name == b.name && a.signature == b.signature &&
         std::ranges::equal(a.variants, b.variants, [](const Variant& x, const Variant& y) { return same_ir(x, y); });
}

void drop_contents(std::vector<File>& files) {
  for (File& file : files) std::string().swap(file.content);  // not clear(), which keeps the memory
}

Program without_contents(Program program) {
  for (Variant& variant : program.variants) {
    drop_contents(variant.sources);
    drop_contents(variant.headers);
  }
  return program;
}

}  // namespace

SupportMemo::Entry& SupportMemo::entry_of(const Program& program) {
  const auto known =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return same_ir(e.program, program); });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
  } else {
    entries_.push_front({without_contents(program), {}});
    if (entries_.size() > kPrograms) entries_.pop_back();
  }
  return entries_.front();
}

Result<std::vector<MissingFeature>> SupportMemo::ask(Plugin& plugin, const BuildRequest& request) {
  const Key key{plugin.manifest().name, request.variant, to_string(request.target), request.options};
  {
    const std::lock_guard lock(mutex_);
    const Entry& entry = entry_of(request.program);
    if (const auto known = entry.missing.find(key); known != entry.missing.end()) return known->second;
  }
  Result<std::vector<MissingFeature>> missing = plugin.backend().supports(request);
  if (!missing) return missing;
  const std::lock_guard lock(mutex_);
  entry_of(request.program).missing.emplace(key, *missing);
  return missing;
}

}  // namespace kmux
