#include "kernels/grid_code.h"

#include <cstring>
#include <elf.h>
#include <optional>

#include "kmux/builder.h"
#include "kmux/json.h"
#include "kmux/plugin/failure_text.h"
#include "kmux/registry.h"

#include "kernels/blocks.h"

namespace kmux {

extern const std::string_view fake_blocks_text;  // blocks.h

namespace fakes {
namespace {

// From this many threads on, compiling for their block extents pays off.
constexpr std::uint64_t kManyThreads = std::uint64_t{1} << 16;

constexpr const char* kTextPart = "text";
constexpr const char* kHeaderPart = "header/";  // followed by its path
constexpr const char* kSettingsPart = "settings.json";
constexpr const char* kGeneralPart = "general";

Result<Shared<Plugin>> open_plugin() {
  KMUX_ASSIGN(auto registry, Registry::open({}));  // plugins beside libkmux.so, whatever the environment sets
  static const auto& kept = *new const std::unique_ptr<Registry>(std::move(registry));
  return kept->plugin("cpu");
}

Result<Backend*> backend() {
  static const auto& plugin = *new const Result<Shared<Plugin>>(open_plugin());
  KMUX_TRY(plugin);
  return &(*plugin)->backend();
}

/// The program that launches kernel `which` of a source, on blocks of any extents; or only one kernel, on blocks of
/// given extents.
class GridProgram {
 public:
  GridProgram(const GridSource& source, const std::optional<std::pair<std::size_t, std::array<unsigned, 3>>>& special)
      : builder_("grid") {
    builder_.pointer("launch");
    const Expr which = builder_.scalar("which", dtype::kInt64);
    for (std::size_t i = 0; i < 3; ++i) grid_[i] = builder_.scalar("grid_" + std::to_string(i), dtype::kInt64);
    for (std::size_t i = 0; i < 3; ++i) block_[i] = builder_.scalar("block_" + std::to_string(i), dtype::kInt64);
    bytes_ = builder_.scalar("bytes", dtype::kInt64);
    add_variant(source);
    for (std::size_t i = 0; special && i < 3; ++i) block_[i] = Expr(std::int64_t{special->second[i]});
    for (std::size_t i = 0; i < source.kernels.size(); ++i) {
      if (special && i != special->first) continue;
      builder_.body().when(eq(which, Expr(static_cast<std::int64_t>(i))),
                           [&](BodyBuilder& body) { add_launch(body, source.kernels[i]); });
    }
  }

  Result<Program> build() const { return builder_.build(); }

 private:
  void add_variant(const GridSource& source) {
    builder_.variant("hip").source("unit.hip", source.text);
    builder_.header("kmux_blocks.h", std::string(fake_blocks_text));
    for (const File& header : source.headers) builder_.header(header.path, header.content);
    Settings settings{.standard = source.standard, .defines = source.defines};
    settings.defines.emplace_back("KMUX_ON_DEVICE");
    builder_.settings(std::move(settings));
  }
  void add_launch(BodyBuilder& body, const std::string& kernel) {
    LaunchBuilder launch = body.launch(kernel);
    launch.grid({grid_[0], grid_[1], grid_[2]}).block({block_[0], block_[1], block_[2]});
    launch.dynamic_smem_bytes(bytes_).args({"launch"});
  }

  ProgramBuilder builder_;
  std::array<Expr, 3> grid_, block_;
  Expr bytes_;
};

Result<Artifact> built(const GridSource& source,
                       const std::optional<std::pair<std::size_t, std::array<unsigned, 3>>>& special) {
  KMUX_ASSIGN(Backend* const cpu, backend());
  KMUX_ASSIGN(const Program program, GridProgram(source, special).build());
  BuildRequest request{program, 0, {}, {{"compile_flags", "-w"}, {"tier", special ? "full" : "fast"}}};
  KMUX_ASSIGN(request.target, cpu->resolve_target("cpu", std::nullopt));
  std::string folders;
  for (const std::string& folder : source.include_dirs) folders += (folders.empty() ? "" : "\n") + folder;
  if (!folders.empty()) request.options["include_dirs"] = folders;
  KMUX_ASSIGN(const std::string launcher, cpu->wrapper().wrap(request));
  return cpu->builder().build(request, launcher);
}

Result<std::unique_ptr<Adapter>> loaded(const Artifact& artifact) {
  KMUX_ASSIGN(Backend* const cpu, backend());
  KMUX_ASSIGN(std::unique_ptr<Adapter> adapter, cpu->load(artifact, 0));
  KMUX_TRY(adapter->prepare(0));
  return adapter;
}

template <class T>
T read_at(std::string_view bytes, std::size_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof value)
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// An ELF file that the backend compiled.
class Object {
 public:
  explicit Object(std::string_view bytes) : bytes_(bytes), file_(read_at<Elf64_Ehdr>(bytes, 0)) {}

  // Returns the writable variables, except those of the fakes and the backend's data of each kernel.
  std::vector<std::string> variables() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < file_.e_shnum; ++i) {
      const Elf64_Shdr symbols = section(i);
      if (symbols.sh_type != SHT_SYMTAB) continue;
      for (std::size_t at = 0; at < symbols.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = read_at<Elf64_Sym>(bytes_, symbols.sh_offset + at);
        if (is_variable(symbol, symbols.sh_link)) names.emplace_back(name_of(symbol, symbols.sh_link));
      }
    }
    return names;
  }

 private:
  Elf64_Shdr section(std::size_t index) const {
    return read_at<Elf64_Shdr>(bytes_, file_.e_shoff + index * sizeof(Elf64_Shdr));
  }
  std::string_view name_of(const Elf64_Sym& symbol, std::size_t names) const {
    return bytes_.data() + section(names).sh_offset + symbol.st_name;
  }
  bool is_variable(const Elf64_Sym& symbol, std::size_t names) const {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx >= file_.e_shnum) return false;
    const std::string_view name = name_of(symbol, names);
    if (name.ends_with(".facts") || name.find("kmux_") != std::string_view::npos) return false;
    return (section(symbol.st_shndx).sh_flags & SHF_WRITE) != 0;
  }

  std::string_view bytes_;
  Elf64_Ehdr file_;
};

Json strings(const std::vector<std::string>& texts) { return Json(Json::Array(texts.begin(), texts.end())); }

std::vector<std::string> strings_of(const Json& json, const char* key) {
  std::vector<std::string> texts;
  for (const Json& text : *json.find(key)->as_array()) texts.push_back(*text.as_string());
  return texts;
}

Result<GridSource> source_of(const Artifact& compiled) {
  GridSource source{*compiled.find(kTextPart)};
  for (const Artifact::Part& part : compiled.parts) {
    if (part.name.starts_with(kHeaderPart)) {
      source.headers.push_back({part.name.substr(std::strlen(kHeaderPart)), part.content});
    }
  }
  KMUX_ASSIGN(const Json settings, parse_json(*compiled.find(kSettingsPart)));
  source.kernels = strings_of(settings, "kernels");
  source.defines = strings_of(settings, "defines");
  source.include_dirs = strings_of(settings, "include_dirs");
  source.standard = *settings.find("standard")->as_string();
  return source;
}

}  // namespace

Result<std::string> GridCode::compile(const GridSource& source) {
  KMUX_ASSIGN(const Artifact general, built(source, std::nullopt));
  Artifact compiled;
  compiled.set(kTextPart, source.text);
  for (const File& header : source.headers) compiled.set(kHeaderPart + header.path, header.content);
  compiled.set(kSettingsPart, dump(Json{Json::Object{{"kernels", strings(source.kernels)},
                                                     {"defines", strings(source.defines)},
                                                     {"include_dirs", strings(source.include_dirs)},
                                                     {"standard", source.standard}}}));
  compiled.set(kGeneralPart, serialize(general));
  return serialize(compiled);
}

Result<std::vector<std::string>> GridCode::variables(std::string_view bytes) {
  KMUX_ASSIGN(const Artifact compiled, deserialize(bytes));
  KMUX_ASSIGN(const Artifact general, deserialize(*compiled.find(kGeneralPart)));
  return Object(*general.find("code")).variables();
}

Result<std::unique_ptr<GridCode>> GridCode::load(std::string_view bytes) {
  KMUX_ASSIGN(const Artifact compiled, deserialize(bytes));
  KMUX_ASSIGN(GridSource source, source_of(compiled));
  KMUX_ASSIGN(const Artifact general, deserialize(*compiled.find(kGeneralPart)));
  KMUX_ASSIGN(std::unique_ptr<Adapter> adapter, loaded(general));
  const bool has_variables = !Object(*general.find("code")).variables().empty();
  return std::unique_ptr<GridCode>(new GridCode(std::move(source), std::move(adapter), has_variables));
}

Result<Adapter*> GridCode::adapter_for(std::size_t kernel, const GridExtents& extents) {
  std::uint64_t threads = 1;
  for (const auto& three : {extents.grid, extents.block}) {
    for (const unsigned extent : three) threads *= extent;
  }
  if (has_variables_ || threads < kManyThreads) return general_.get();
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Adapter>& special = special_[{kernel, extents.block}];
  if (special == nullptr) {
    KMUX_ASSIGN(const Artifact artifact, built(source_, Key{kernel, extents.block}));
    KMUX_ASSIGN(special, loaded(artifact));
  }
  return special.get();
}

Result<GridFault> GridCode::launch(std::size_t kernel, const GridExtents& extents, void* const* arguments) {
  KMUX_ASSIGN(Adapter* const adapter, adapter_for(kernel, extents));
  kmux_launch launch{arguments, extents.dynamic_bytes, 0};
  const auto slot = [](std::uint64_t value) { return kmux_slot{.i64 = static_cast<std::int64_t>(value)}; };
  const auto& [grid, block, bytes] = extents;
  const kmux_slot slots[] = {{.ptr = &launch}, slot(kernel),   slot(grid[0]),
                             slot(grid[1]),    slot(grid[2]),  slot(block[0]),
                             slot(block[1]),   slot(block[2]), slot(bytes + kmux_guard_bytes)};
  const kmux_launch_env env = {sizeof env, 0, nullptr, nullptr, 0, 0};
  FailureText failure;
  KMUX_TRY(failure.status(adapter->entry()(slots, env, failure.sink())));
  if ((launch.faults & kmux_fault_deadlock) != 0) return GridFault::kDeadlock;
  return (launch.faults & kmux_fault_overrun) != 0 ? GridFault::kOverrun : GridFault::kNone;
}

}  // namespace fakes
}  // namespace kmux
