#include "code_object.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/code_state.h"
#include "kmux/plugin/dynamic_library.h"
#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/name_table.h"
#include "kmux/plugin/word_list.h"

#include "device.h"

namespace kmux::hip {
namespace {

using Message = nlohmann::json;

constexpr unsigned kMachine = 224;      // EM_AMDGPU
constexpr unsigned kMetadataNote = 32;  // NT_AMDGPU_METADATA
constexpr std::string_view kOwner("AMDGPU\0", 7);

Error malformed(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the code is not a code object for AMD devices (" + why + "). Build it again.");
}

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

// Returns the value at `offset`; nothing if it extends past the end.
template <class Value>
std::optional<Value> value_at(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Value)) return std::nullopt;
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<std::string_view> bytes_at(std::string_view bytes, std::size_t offset, std::size_t count) {
  if (offset > bytes.size() || bytes.size() - offset < count) return std::nullopt;
  return bytes.substr(offset, count);
}

// Returns the content of the metadata note in a segment of notes.
std::optional<std::string_view> find_note(std::string_view notes) {
  std::size_t at = 0;
  while (const auto head = value_at<Elf64_Nhdr>(notes, at)) {
    const std::size_t name_at = at + sizeof *head;
    const std::size_t text_at = name_at + padded(head->n_namesz);
    const auto name = bytes_at(notes, name_at, head->n_namesz);
    const auto text = bytes_at(notes, text_at, head->n_descsz);
    if (!name || !text) return std::nullopt;
    if (head->n_type == kMetadataNote && *name == kOwner) return text;
    at = text_at + padded(head->n_descsz);
  }
  return std::nullopt;
}

std::optional<std::string_view> find_metadata(std::string_view code, const Elf64_Ehdr& file) {
  for (unsigned i = 0; i < file.e_phnum; ++i) {
    const auto segment = value_at<Elf64_Phdr>(code, file.e_phoff + std::size_t{i} * sizeof(Elf64_Phdr));
    if (!segment) return std::nullopt;
    if (segment->p_type != PT_NOTE) continue;
    const auto notes = bytes_at(code, segment->p_offset, segment->p_filesz);
    if (const auto found = notes ? find_note(*notes) : std::nullopt) return found;
  }
  return std::nullopt;
}

// Returns the null-terminated text at `at` in a string table.
std::string_view name_at(std::string_view names, std::size_t at) {
  const std::string_view rest = names.substr(std::min(at, names.size()));
  return rest.substr(0, rest.find('\0'));
}

// Adds the objects of a symbol table that the file defines, except kernel descriptors ("NAME.kd").
void add_variables(std::string_view symbols, std::string_view names, std::vector<CodeVariable>& variables) {
  for (std::size_t at = 0; const auto symbol = value_at<Elf64_Sym>(symbols, at); at += sizeof(Elf64_Sym)) {
    const std::string_view name = name_at(names, symbol->st_name);
    const bool is_object = ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_shndx != SHN_UNDEF;
    if (is_object && !name.empty() && !name.ends_with(".kd")) variables.push_back({std::string(name), symbol->st_size});
  }
}

// Returns the variables of the symbol tables of one type.
std::vector<CodeVariable> variables_of(std::string_view code, const Elf64_Ehdr& file, unsigned type) {
  const auto section = [&](std::size_t index) {
    return value_at<Elf64_Shdr>(code, file.e_shoff + index * sizeof(Elf64_Shdr));
  };
  std::vector<CodeVariable> variables;
  for (std::size_t i = 0; i < file.e_shnum; ++i) {
    const auto table = section(i);
    if (!table || table->sh_type != type) continue;
    const auto strings = section(table->sh_link);
    const auto symbols = bytes_at(code, table->sh_offset, table->sh_size);
    const auto names = strings ? bytes_at(code, strings->sh_offset, strings->sh_size) : std::nullopt;
    if (symbols && names) add_variables(*symbols, *names, variables);
  }
  return variables;
}

// Returns the symbols of the name table. They are local, so the dynamic symbol table lacks them.
std::vector<std::string> name_table_of(std::string_view code, const Elf64_Ehdr& file) {
  std::vector<std::string> symbols;
  for (CodeVariable& variable : variables_of(code, file, SHT_SYMTAB)) {
    if (is_of_name_table(variable.symbol)) symbols.push_back(std::move(variable.symbol));
  }
  return symbols;
}

unsigned number_in(const Message& map, const char* key) {
  const auto found = map.find(key);
  return found != map.end() && found->is_number_unsigned() ? found->get<unsigned>() : 0;
}

std::string text_in(const Message& map, const char* key) {
  const auto found = map.find(key);
  return found != map.end() && found->is_string() ? found->get<std::string>() : "";
}

Message list_in(const Message& map, const char* key) {
  const auto found = map.find(key);
  return found != map.end() && found->is_array() ? *found : Message::array();
}

CodeKernel kernel_of(const Message& map) {
  CodeKernel kernel{text_in(map, ".name"),
                    {},
                    number_in(map, ".group_segment_fixed_size"),
                    number_in(map, ".max_flat_workgroup_size"),
                    number_in(map, ".wavefront_size")};
  for (const Message& argument : list_in(map, ".args")) {
    const std::string kind = text_in(argument, ".value_kind");
    if (kind.starts_with("hidden_")) continue;
    kernel.arguments.push_back({number_in(argument, ".offset"), number_in(argument, ".size"), kind == "global_buffer"});
  }
  return kernel;
}

// Parses "amdgcn-amd-amdhsa--gfx90a:sramecc+", which metadata of version 3 lack.
std::string arch_of(const Message& metadata) {
  const std::string target = text_in(metadata, "amdhsa.target");
  const std::size_t begin = target.rfind("--");
  return begin == target.npos ? "" : parse_arch(std::string_view(target).substr(begin + 2)).value_or("");
}

KernelForm form_of(const CodeKernel& kernel) {
  std::vector<KernelArgument> arguments;
  for (const CodeKernel::Argument& argument : kernel.arguments) {
    const bool is_pointer = argument.is_buffer;  // otherwise a number, or a struct, which may contain a pointer
    arguments.push_back(
        {argument.size, is_pointer ? ArgumentKind::kPointer : ArgumentKind::kUnknown, is_pointer ? "pointer" : ""});
  }
  if (const auto types = parameter_types(kernel.name)) add_types(arguments, *types);
  return {std::move(arguments), kernel.max_threads};
}

}  // namespace

Result<std::optional<CodeObject>> read_code_object(std::string_view code) {
  const auto file = value_at<Elf64_Ehdr>(code, 0);
  if (!file || std::memcmp(file->e_ident, ELFMAG, SELFMAG) != 0 || file->e_ident[EI_CLASS] != ELFCLASS64) {
    return malformed("it is not a 64-bit ELF file");
  }
  if (file->e_machine != kMachine) return std::optional<CodeObject>();
  const auto bytes = find_metadata(code, *file);
  if (!bytes) return malformed("it has no note NT_AMDGPU_METADATA");
  const Message metadata = Message::from_msgpack(*bytes, true, false);
  if (!metadata.is_object()) return malformed("its metadata are not a MessagePack map");
  // A loader finds variables by dynamic symbols.
  CodeObject object{arch_of(metadata), {}, variables_of(code, *file, SHT_DYNSYM), name_table_of(code, *file)};
  for (const Message& kernel : list_in(metadata, "amdhsa.kernels")) object.kernels.push_back(kernel_of(kernel));
  return std::optional<CodeObject>(std::move(object));
}

namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";

// Reads a bundle's table sequentially.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}
  std::optional<std::uint64_t> number() {
    const auto bytes = text(sizeof(std::uint64_t));
    if (!bytes) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes->data(), sizeof value);
    return value;
  }
  std::optional<std::string_view> text(std::uint64_t size) {
    if (size > rest_.size()) return std::nullopt;
    const std::string_view result = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return result;
  }

 private:
  std::string_view rest_;
};

Error cut_off() { return make_error(ErrorCode::kInvalidArgument, "the offload bundle is cut off. Build it again."); }

// Parses, for example, "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-".
std::string arch_of(std::string_view entry) {
  const std::size_t begin = entry.rfind("--");
  return begin == entry.npos ? "" : parse_arch(entry.substr(begin + 2)).value_or("");
}

struct Entry {
  std::string arch;  // empty: the host's
  std::string_view code;
};

Result<std::vector<Entry>> entries_of(std::string_view bytes) {
  Reader table(bytes.substr(kMagic.size()));
  const auto count = table.number();
  if (!count) return cut_off();
  std::vector<Entry> entries;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto offset = table.number();
    const auto size = table.number();
    const auto name_size = table.number();
    const auto name = name_size ? table.text(*name_size) : std::nullopt;
    if (!name || *offset > bytes.size() || bytes.size() - *offset < *size) return cut_off();
    entries.push_back({arch_of(*name), bytes.substr(*offset, *size)});
  }
  return entries;
}

template <class Fits>
std::vector<std::string> objects_of(const std::vector<Entry>& entries, const Fits& fits) {
  std::vector<std::string> objects;
  for (const Entry& entry : entries) {
    if (fits(entry.arch)) objects.emplace_back(entry.code);
  }
  return objects;
}

Result<Unbundled> find_in(std::string bytes, std::string_view arch) {
  KMUX_ASSIGN(const std::vector<Entry> entries, entries_of(bytes));
  std::vector<std::string> objects = objects_of(entries, [&](const std::string& other) { return other == arch; });
  if (objects.empty())
    objects = objects_of(entries, [&](const std::string& other) { return is_generic_of(other, arch); });
  if (objects.size() == 1) return Unbundled{objects.front(), objects};
  if (objects.size() > 1) return Unbundled{std::move(bytes), std::move(objects)};
  std::vector<std::string> others;
  for (const Entry& entry : entries) {
    if (!entry.arch.empty()) others.push_back(entry.arch);
  }
  return make_error(ErrorCode::kInvalidArgument, "the offload bundle has no code for " + std::string(arch) +
                                                     " (it has " + join(others, "none at all") +
                                                     "). Compile it with --offload-arch=" + std::string(arch) + ".");
}

Error damaged() {
  return make_error(ErrorCode::kInvalidArgument, "the compressed offload bundle is damaged. Build it again.");
}

// Opens a decompression library on demand: most bundles are not compressed, so the plugin does not link it.
Result<DynamicLibrary> decompressor(const char* name) {
  auto library = DynamicLibrary::open({name});
  if (library) return library;
  return make_error(ErrorCode::kUnavailable, "the offload bundle is compressed, and " + std::string(name) +
                                                 " is not there. Install it, or compile with --no-offload-compress.");
}

// Source: zlib.h, uncompress.
Status inflate(std::string_view packed, std::string& plain) {
  KMUX_ASSIGN(const DynamicLibrary zlib, decompressor("libz.so.1"));
  KMUX_ASSIGN(auto* const uncompress,
              zlib.function<int(char*, unsigned long*, const char*, unsigned long)>("uncompress"));
  unsigned long size = plain.size();
  const int result = uncompress(plain.data(), &size, packed.data(), packed.size());
  return result == 0 && size == plain.size() ? Status(Ok{}) : Status(damaged());
}

// Source: zstd.h, ZSTD_decompress: an error code is never a valid size.
Status unpack_zstd(std::string_view packed, std::string& plain) {
  KMUX_ASSIGN(const DynamicLibrary zstd, decompressor("libzstd.so.1"));
  KMUX_ASSIGN(auto* const decompress,
              zstd.function<std::size_t(char*, std::size_t, const char*, std::size_t)>("ZSTD_decompress"));
  const std::size_t size = decompress(plain.data(), plain.size(), packed.data(), packed.size());
  return size == plain.size() ? Status(Ok{}) : Status(damaged());
}

// Decompresses a bundle. Its header has magic, version and method. Then come the file's size (none, 4 or 8 bytes by
// version), the content's size (4 or 8 bytes) and a digest (8 bytes).
Result<std::string> decompressed(std::string_view bytes) {
  constexpr std::size_t kVersionAt = 4, kMethodAt = 6, kSizesAt = 8;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 31;
  const auto version = value_at<std::uint16_t>(bytes, kVersionAt);
  const auto method = value_at<std::uint16_t>(bytes, kMethodAt);
  if (!version || !method) return cut_off();
  if (*version < 1 || *version > 3 || *method > 1) {
    return make_error(ErrorCode::kUnsupported,
                      "the offload bundle is compressed in a form that is not known (version " +
                          std::to_string(*version) + ", method " + std::to_string(*method) +
                          "). Compile it with --no-offload-compress.");
  }
  const std::size_t width = *version == 3 ? 8 : 4;
  const std::size_t size_at = kSizesAt + (*version == 1 ? 0 : width);
  const std::optional<std::uint64_t> small = value_at<std::uint32_t>(bytes, size_at);
  const auto size = width == 8 ? value_at<std::uint64_t>(bytes, size_at) : small;
  const std::size_t data_at = size_at + width + sizeof(std::uint64_t);
  if (!size || bytes.size() < data_at) return cut_off();
  if (*size > kLargest) return damaged();
  std::string plain(*size, '\0');
  const std::string_view packed = bytes.substr(data_at);
  KMUX_TRY(*method == 0 ? inflate(packed, plain) : unpack_zstd(packed, plain));
  return plain;
}

}  // namespace

Result<Unbundled> unbundled(std::string_view bytes, std::string_view arch) {
  std::string plain(bytes);
  if (bytes.starts_with(kCompressedMagic)) {
    KMUX_ASSIGN(plain, decompressed(bytes));
    if (!plain.starts_with(kMagic)) return damaged();
  }
  if (plain.starts_with(kMagic)) return find_in(std::move(plain), arch);
  return Unbundled{plain, {plain}};
}

Result<const CodeKernel*> find_kernel(const CodeObject& code, const std::string& name) {
  std::vector<std::string> symbols;
  symbols.reserve(code.kernels.size());
  for (const CodeKernel& kernel : code.kernels) symbols.push_back(kernel.name);
  KMUX_ASSIGN(const std::string symbol, find_symbol(name, symbols));
  return &*std::ranges::find(code.kernels, symbol, &CodeKernel::name);
}

Status check_launches(const Plan& plan, const std::vector<const CodeKernel*>& kernels) {
  Status status = Ok{};
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    const std::string& name = plan.kernels[launch.kernel];
    if (status.ok())
      status = check_kernel(name, launch, passed_arguments(plan, launch), form_of(*kernels[launch.kernel]));
  });
  return status;
}

namespace {

// Returns the last identifier of `text`.
std::string_view last_name(std::string_view text) {
  const auto is_other = [](char c) { return !is_name_character(c); };
  while (!text.empty() && is_other(text.back())) text.remove_suffix(1);
  return text.substr(std::ranges::find_if(text.rbegin(), text.rend(), is_other).base() - text.begin());
}

// "__constant__ float weights[4];": the name is the identifier before a bracket, a value or the end.
void add_constants(std::string_view source, std::vector<std::string_view>& names) {
  constexpr std::string_view kWord = "__constant__";
  for (std::size_t at = source.find(kWord); at != source.npos; at = source.find(kWord, at + 1)) {
    const std::string_view rest = source.substr(at + kWord.size());
    names.push_back(last_name(rest.substr(0, rest.find_first_of("[={;("))));
  }
}

}  // namespace

std::vector<std::string> written_variables(const std::vector<std::string>& objects, const Variant& variant) {
  std::vector<std::string_view> constants;
  for (const File& file : variant.sources) add_constants(file.content, constants);
  for (const File& file : variant.headers) add_constants(file.content, constants);
  std::set<std::string> names;
  for (const std::string& object : objects)
    std::ranges::move(variables_of_object(object), std::inserter(names, names.end()));
  std::erase_if(names, [&](const std::string& name) {
    const std::string_view last = last_name(std::string_view(name).substr(0, name.find('.')));
    return name.starts_with("__hip_") || name.ends_with(".kd") || is_of_name_table(name) ||
           std::ranges::find(constants, last) != constants.end();
  });
  return {names.begin(), names.end()};
}

}  // namespace kmux::hip
