#include "cubin.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <sstream>

#include "kmux/json.h"
#include "kmux/plugin/kernel_names.h"

#include "nvidia/cubin.h"
#include "nvidia/fatbin.h"
#include "nvidia/launch_check.h"

namespace kmux::nvidia {
namespace {

// Source: binutils' names for NVIDIA's ELF files (EM_CUDA), and cubin files.
constexpr unsigned kMachineCuda = 190;
constexpr unsigned kEntryFlag = 0x10;  // in st_other of a kernel
// From this ABI version on, the architecture's number is in the second byte of e_flags; before, in the first.
constexpr unsigned kAbiWithArchInSecondByte = 8;
constexpr unsigned kOwnArchBefore = 0x800;  // suffix "a" in e_flags of older versions, which have no note
constexpr std::string_view kToolNote = ".note.nv.tkinfo";

bool is_kernel(const Elf64_Sym& symbol) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & kEntryFlag) != 0 &&
         symbol.st_shndx != SHN_UNDEF;
}

// Returns the suffix from the note with ptxas's arguments, since e_flags lacks it.
char suffix_in_note(const CubinFile& file, int number) {
  const std::string said = "-arch sm_" + std::to_string(number);
  for (const Elf64_Shdr& section : file.sections()) {
    if (file.name(section) != kToolNote) continue;
    const std::string_view note = file.content(section);
    const std::size_t found = note.find(said);
    if (found == std::string_view::npos || found + said.size() >= note.size()) continue;
    const char next = note[found + said.size()];
    if (next == 'a' || next == 'f') return next;
  }
  return '\0';
}

Error no_cubin(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the code is not a cubin (" + why + "). Make it with nvcc -cubin or NVRTC, for one architecture.");
}

}  // namespace

Result<std::vector<std::string>> cubin_kernels(std::string_view cubin) {
  KMUX_ASSIGN(const CubinFile file, CubinFile::open(cubin));
  std::vector<std::string> kernels;
  for_each_symbol(file, [&](const Elf64_Sym& symbol, std::string_view name) {
    if (is_kernel(symbol)) kernels.emplace_back(name);
  });
  std::ranges::sort(kernels);
  return kernels;
}

Result<Arch> cubin_arch(std::string_view cubin) {
  KMUX_ASSIGN(const CubinFile file, CubinFile::open(cubin));
  const bool in_second = file.header().e_ident[EI_ABIVERSION] >= kAbiWithArchInSecondByte;
  const int number = static_cast<int>((in_second ? file.header().e_flags >> 8 : file.header().e_flags) & 0xff);
  const bool is_own = !in_second && (file.header().e_flags & kOwnArchBefore) != 0;
  return Arch{number, is_own ? 'a' : suffix_in_note(file, number)};
}

Result<std::vector<std::string>> find_kernels(const std::vector<std::string>& kernels,
                                              const std::vector<std::string>& present) {
  std::vector<std::string> symbols;
  for (const std::string& kernel : kernels) {
    KMUX_ASSIGN(std::string symbol, find_symbol(kernel, present));
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

Result<std::vector<std::string>> find_kernels(const std::vector<std::string>& kernels, std::string_view cubin) {
  KMUX_ASSIGN(const std::vector<std::string> present, cubin_kernels(cubin));
  return find_kernels(kernels, present);
}

Result<CubinFile> CubinFile::open(std::string_view bytes) {
  CubinFile file(bytes);
  const auto from = [&](std::size_t offset) { return bytes.substr(std::min(offset, bytes.size())); };
  if (!read_from(bytes, file.header_)) return no_cubin("it is too short");
  if (std::memcmp(file.header_.e_ident, ELFMAG, SELFMAG) != 0) return no_cubin("it is not ELF");
  if (file.header_.e_ident[EI_CLASS] != ELFCLASS64) return no_cubin("it is not of 64 bits");
  if (file.header_.e_machine != kMachineCuda) return no_cubin("it is for another machine");
  std::string_view table = from(file.header_.e_shoff);
  for (std::size_t i = 0; i < file.header_.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_from(table, section)) return no_cubin("it is truncated");
    table.remove_prefix(sizeof section);
    file.sections_.push_back(section);
  }
  return file;
}

const Elf64_Shdr* CubinFile::find(std::string_view wanted) const {
  const auto found = std::ranges::find_if(sections_, [&](const auto& section) { return name(section) == wanted; });
  return found == sections_.end() ? nullptr : &*found;
}

std::string_view CubinFile::content(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
  return bytes_.substr(section.sh_offset, section.sh_size);
}

std::string_view CubinFile::text(std::size_t section, std::size_t offset) const {
  if (section >= sections_.size()) return {};
  const std::string_view texts = content(sections_[section]);
  if (offset >= texts.size()) return {};
  return texts.substr(offset, texts.find('\0', offset) - offset);
}

namespace {

// A record of section ".nv.info" about a function, which its value names by symbol table index.
struct FunctionRecord {
  std::uint8_t format;
  std::uint8_t attribute;
  std::uint16_t size;
};
constexpr std::uint8_t kSizedFormat = 4;      // EIFMT_SVAL: all records of this section
constexpr std::uint8_t kRegisterCount = 0x2f;  // EIATTR_REGCOUNT
constexpr std::uint8_t kStackBytes = 0x12;     // EIATTR_MIN_STACK_SIZE: includes callees
constexpr int kFirstWithReservedShared = 90;   // from here on, a block's shared memory begins with the system's part
constexpr std::uint64_t kReservedShared = 1024;

struct FunctionNumbers {
  std::uint32_t registers = 0;
  std::uint32_t stack_bytes = 0;
};
using FunctionTable = std::map<std::uint32_t, FunctionNumbers>;

void read_function(const FunctionRecord& record, std::string_view value, FunctionTable& functions) {
  std::array<std::uint32_t, 2> pair{};  // the symbol, the number
  if (record.size != sizeof pair || !read_from(value, pair)) return;
  if (record.attribute == kRegisterCount) functions[pair[0]].registers = pair[1];
  if (record.attribute == kStackBytes) functions[pair[0]].stack_bytes = pair[1];
}

FunctionTable read_functions(const CubinFile& file) {
  FunctionTable functions;
  for (const Elf64_Shdr& section : file.sections()) {
    if (file.name(section) != ".nv.info") continue;
    std::string_view records = file.content(section);
    FunctionRecord record;
    while (read_from(records, record) && record.format == kSizedFormat) {
      records.remove_prefix(sizeof record);
      read_function(record, records, functions);
      records.remove_prefix(std::min<std::size_t>(record.size, records.size()));
    }
  }
  return functions;
}

std::map<std::string, FunctionNumbers, std::less<>> numbers_by_symbol(const CubinFile& file) {
  const auto functions = read_functions(file);
  std::map<std::string, FunctionNumbers, std::less<>> named;
  for (const Elf64_Shdr& section : file.sections()) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const std::string_view symbols = file.content(section);
    for (const auto& [index, numbers] : functions) {
      Elf64_Sym symbol;
      const std::size_t at = std::min(symbols.size(), index * sizeof symbol);
      if (read_from(symbols.substr(at), symbol)) named.emplace(file.text(section.sh_link, symbol.st_name), numbers);
    }
  }
  return named;
}

std::uint64_t bytes_of_section(const CubinFile& file, const std::string& name) {
  const Elf64_Shdr* const section = file.find(name);
  return section == nullptr ? 0 : section->sh_size;
}

// A block has 64 Ki registers, allocated in units of eight registers per thread and four warps.
unsigned threads_with(unsigned registers) {
  constexpr unsigned kRegisters = 65536;
  constexpr unsigned kMaxThreadsOfKernel = 1024;
  const unsigned warps = kRegisters / (std::max(registers + 7, 8U) / 8 * 8 * 32) / 4 * 4;
  return std::min(kMaxThreadsOfKernel, warps * 32);
}

Result<std::string> kernels_part(const std::vector<std::string>& kernels, const std::vector<std::string>& symbols,
                                 std::string_view cubin) {
  KMUX_ASSIGN(const CubinFile file, CubinFile::open(cubin));
  KMUX_ASSIGN(const Arch arch, cubin_arch(cubin));
  const std::uint64_t reserved = arch.number >= kFirstWithReservedShared ? kReservedShared : 0;
  auto numbers = numbers_by_symbol(file);
  Json::Array list;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KMUX_ASSIGN(const KernelForm form, kernel_record(cubin, symbols[i]));
    const FunctionNumbers& of = numbers[symbols[i]];
    const std::uint64_t shared = bytes_of_section(file, ".nv.shared." + symbols[i]);
    const unsigned most = threads_with(of.registers);
    Json::Object kernel{{"kernel", kernels[i]},
                        {"registers", std::int64_t{of.registers}},
                        {"local_bytes", std::int64_t{of.stack_bytes}},
                        {"shared_bytes", static_cast<std::int64_t>(shared - std::min(shared, reserved))},
                        {"constant_bytes", static_cast<std::int64_t>(bytes_of_section(file, ".nv.constant3"))},
                        {"max_threads", std::int64_t{form.max_threads == 0 ? most : form.max_threads}}};
    if (auto multiprocessor = multiprocessor_of(arch)) kernel.emplace("multiprocessor", *std::move(multiprocessor));
    list.emplace_back(std::move(kernel));
  }
  return dump(Json(std::move(list)));
}

}  // namespace

Status set_kernel_attributes(Artifact& artifact, const std::vector<std::string>& kernels,
                             const std::vector<std::string>& symbols, std::string_view code, bool is_ptx) {
  if (is_ptx || is_fatbin(code)) return Ok{};
  KMUX_ASSIGN(std::string part, kernels_part(kernels, symbols, code));
  artifact.set("kernels.json", std::move(part));
  return Ok{};
}

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

std::string without_comments(std::string_view ptx) {
  std::string text;
  for (std::size_t i = 0; i < ptx.size();) {
    const std::string_view rest = ptx.substr(i);
    if (rest.starts_with("//")) {
      i += std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/", 2);
      i += end == rest.npos ? rest.size() : end + 2;
      text += ' ';
    } else {
      text += ptx[i++];
    }
  }
  return text;
}

namespace {

// Returns the word behind each occurrence of `directive`, up to a blank or one of "(,".
std::vector<std::string> words_after(std::string_view text, std::string_view directive) {
  std::vector<std::string> words;
  for (std::size_t at = text.find(directive); at != text.npos; at = text.find(directive, at + 1)) {
    std::string_view rest = text.substr(at + directive.size());
    const std::size_t begin = rest.find_first_not_of(kBlanks);
    if (begin == 0 || begin == rest.npos) continue;  // part of a longer word
    rest.remove_prefix(begin);
    words.emplace_back(rest.substr(0, rest.find_first_of(" \t\r\n(,")));
  }
  return words;
}

// Returns the text between the parentheses behind `.entry symbol`; empty without parentheses, nothing without the
// kernel.
std::optional<std::string> parameter_list(std::string_view ptx, std::string_view symbol) {
  constexpr std::string_view kEntry = ".entry";
  const std::string text = without_comments(ptx);
  for (std::size_t at = text.find(kEntry); at != text.npos; at = text.find(kEntry, at + 1)) {
    const std::size_t name = text.find_first_not_of(kBlanks, at + kEntry.size());
    if (name == text.npos || text.compare(name, symbol.size(), symbol) != 0) continue;
    const std::size_t end = name + symbol.size();
    const std::size_t begin = text.find_first_not_of(kBlanks, end);
    if (begin == text.npos || (begin == end && text[begin] != '(' && text[begin] != '{')) continue;  // a longer name
    if (text[begin] != '(') return "";
    const std::size_t close = text.find(')', begin);
    return close == text.npos ? std::nullopt : std::optional(text.substr(begin + 1, close - begin - 1));
  }
  return std::nullopt;
}

// Parses "b8", "u64", "f32": the size is in the name.
std::optional<KernelArgument> ptx_type(std::string_view word) {
  unsigned bits = 0;
  const auto [end, failure] = std::from_chars(word.data() + 1, word.data() + word.size(), bits);
  if (failure != std::errc() || end != word.data() + word.size() || bits % 8 != 0) return std::nullopt;
  const bool is_float = word.front() == 'f' && bits >= 32;
  return KernelArgument{bits / 8, is_float ? ArgumentKind::kFloat : ArgumentKind::kUnknown,
                        is_float ? "float" + std::to_string(bits) : ""};
}

// Parses, for example, ".param .align 64 .b8 map[128]" or ".param .u64 .ptr .global .align 16 x".
std::optional<KernelArgument> ptx_parameter(std::string_view declaration) {
  std::optional<KernelArgument> parameter;
  bool is_pointer = false;
  std::istringstream words{std::string(declaration)};
  for (std::string word; words >> word;) {
    if (word == ".ptr") is_pointer = true;
    const bool is_type =
        word.front() == '.' && word.find_first_of("bsuf") == 1 && word.find_first_of("0123456789") == 2;
    if (is_type) parameter = ptx_type(std::string_view(word).substr(1));
  }
  if (!parameter) return std::nullopt;
  if (is_pointer) parameter = {parameter->bytes, ArgumentKind::kPointer, "pointer"};
  const std::size_t bracket = declaration.find('[');
  if (bracket == declaration.npos) return parameter;
  const auto count = std::strtoul(std::string(declaration.substr(bracket + 1)).c_str(), nullptr, 0);
  return KernelArgument{parameter->bytes * static_cast<unsigned>(count)};
}

}  // namespace

std::vector<std::string> ptx_kernels(std::string_view ptx) {
  std::vector<std::string> kernels = words_after(without_comments(ptx), ".entry");
  std::ranges::sort(kernels);
  return kernels;
}

std::optional<std::vector<KernelArgument>> ptx_parameters(std::string_view ptx, std::string_view symbol) {
  const std::optional<std::string> list = parameter_list(ptx, symbol);
  if (!list) return std::nullopt;
  std::vector<KernelArgument> parameters;
  std::istringstream declarations(*list);
  for (std::string one; std::getline(declarations, one, ',');) {
    if (one.find_first_not_of(kBlanks) == one.npos) continue;
    const auto parameter = ptx_parameter(one);
    if (!parameter) return std::nullopt;
    parameters.push_back(*parameter);
  }
  return parameters;
}

// ".visible .const .align 4 .b8 weights[16] = {...};": the name is the last word before a bracket, a value or the end.
std::vector<CodeVariable> ptx_variables(std::string_view ptx) {
  const std::string text = without_comments(ptx);
  std::vector<CodeVariable> variables;
  int depth = 0;
  for (std::size_t at = 0, begin = 0; at < text.size(); ++at) {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    const bool ends = depth == 0 && (text[at] == ';' || text[at] == '}');
    if (!ends) continue;
    const std::string statement = text.substr(begin, at - begin);
    begin = at + 1;
    const std::size_t space = std::min(statement.find(".const"), statement.find(".global"));
    if (space == statement.npos || statement.find('(') != statement.npos || statement.find(".extern") < space) continue;
    const std::size_t end = std::min(statement.find_first_of("[=", space), statement.size());
    const std::size_t last = statement.find_last_not_of(kBlanks, end - 1);
    const std::size_t first = statement.find_last_of(kBlanks, last) + 1;
    variables.push_back({statement.substr(first, last + 1 - first)});
  }
  return variables;
}

Result<Arch> ptx_arch(std::string_view ptx) {
  for (const std::string& word : words_after(without_comments(ptx), ".target")) {
    if (const auto arch = parse_arch(word)) return *arch;
  }
  return make_error(ErrorCode::kInvalidArgument,
                    "the source is not PTX (it has no .target with an architecture). Make it with nvcc -ptx.");
}

namespace {

Error for_another(const File& source, Arch code, Arch target) {
  return make_error(ErrorCode::kInvalidArgument, "source \"" + source.path + "\" is for " + to_string(code) +
                                                     " (the target is " + to_string(target) +
                                                     "). Give code for the target, or its source.");
}

}  // namespace

Result<std::vector<std::string>> check_ready_code(const Variant& variant, Arch target, const Plan& plan) {
  const File& source = variant.sources.front();
  const bool is_ptx = variant.dialect == "ptx";
  if (is_fatbin(source.content)) return checked_symbols(plan, plan.kernels, source.content, is_ptx);  // see unpacked
  KMUX_ASSIGN(const Arch arch, is_ptx ? ptx_arch(source.content) : cubin_arch(source.content));
  if (!(is_ptx ? satisfies(target, arch) : runs_on(arch, target))) return for_another(source, arch, target);
  return checked_symbols(plan, plan.kernels, source.content, is_ptx);
}

}  // namespace kmux::nvidia
