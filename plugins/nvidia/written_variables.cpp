#include "nvidia/written_variables.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/name_table.h"
#include "kmux/plugin/word_list.h"

#include "nvidia/cubin.h"
#include "nvidia/fatbin.h"

namespace kmux::nvidia {
namespace {

using Names = std::set<std::string, std::less<>>;

bool is_of_name(char c) { return is_name_character(c) || c == '$' || c == '%'; }

// Returns true if the first word of `text`, up to a dot or a blank, is one of `families`.
bool is_one_of(std::string_view text, std::initializer_list<std::string_view> families) {
  return std::ranges::find(families, text.substr(0, text.find_first_of(". \t\r\n"))) != families.end();
}

// An instruction, a declaration or a variable's definition.
struct Statement {
  std::string opcode;                      // "st.global.u32", ".global"
  std::vector<std::string> written = {};   // names in the first operand
  std::vector<std::string> read = {};      // names in the others
  bool has_address = false;                // one operand is "[...]"
};

// Returns `ptx` without comments and without directives that end at the line end instead of at a ";".
std::string statements_of(std::string_view ptx) {
  std::string text;
  for (const std::string& line : split_lines(without_comments(ptx))) {
    const std::string_view directive = std::string_view(line).substr(std::min(line.find('.'), line.size()));
    if (!is_one_of(directive.substr(std::min<std::size_t>(1, directive.size())),
                   {"loc", "file", "version", "target", "address_size"})) {
      text.append(line).append("\n");
    }
  }
  return text;
}

// Returns true if a brace behind `piece` opens a list, not a scope: a list follows an instruction's name or "=".
bool precedes_list(std::string_view piece) {
  return piece.find_first_not_of(" \t\r\n") != piece.npos && piece.find('(') == piece.npos &&
         piece.find(".entry") == piece.npos && piece.find(".func") == piece.npos;
}

// Returns the end of the piece at `begin`: a ";", a brace of a scope or the ":" of a label; else the end of `ptx`.
std::size_t end_of_piece(std::string_view ptx, std::size_t begin) {
  constexpr std::string_view kDividers = ";{}:";
  for (std::size_t at = begin; at < ptx.size(); ++at) {
    if (ptx[at] == '{' && precedes_list(ptx.substr(begin, at - begin))) {
      at = std::min(ptx.find('}', at), ptx.size() - 1);
    } else if (ptx.substr(at).starts_with("::")) {  // "ld.global.L2::128B"
      ++at;
    } else if (kDividers.find(ptx[at]) != kDividers.npos) {
      return at;
    }
  }
  return ptx.size();
}

// Calls `take` with each piece of `ptx` that ends with ";", and with an empty piece at the end of a function. Braces
// and labels also separate pieces.
template <class Take>
void for_each_piece(std::string_view ptx, const Take& take) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t end = end_of_piece(ptx, 0); end < ptx.size(); end = end_of_piece(ptx, begin)) {
    const char c = ptx[end];
    if (c == ';') take(ptx.substr(begin, end - begin), depth);
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == '}' && depth == 0) take({}, depth);
    begin = end + 1;
  }
}

std::string_view next_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

// Returns the name or number that `text` begins with, or empty.
std::string_view leading_name(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_of_name);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// Returns the change of the bracket depth at `c`.
int opened_by(char c) {
  if (c == '{' || c == '[' || c == '(') return 1;
  return c == '}' || c == ']' || c == ')' ? -1 : 0;
}

// Adds the names in `operands` to `statement`.
void read_operands(std::string_view operands, Statement& statement) {
  int depth = 0;
  std::vector<std::string>* names = &statement.written;
  for (std::size_t at = 0; at < operands.size(); ++at) {
    const char c = operands[at];
    depth += opened_by(c);
    if (c == ',' && depth == 0) names = &statement.read;
    const std::string_view name = leading_name(operands.substr(at));
    if (name.empty()) continue;
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) names->emplace_back(name);
    at += name.size() - 1;
  }
}

Statement read_statement(std::string_view text) {
  Statement statement;
  std::string_view word = next_word(text);
  if (word.starts_with("@")) word = next_word(text);  // a predicate
  statement.opcode = word;
  statement.has_address = text.find('[') != text.npos;
  read_operands(text, statement);
  return statement;
}

// Computes the variables whose address each register may hold, one function at a time.
class AddressFlow {
 public:
  explicit AddressFlow(Names variables) : variables_(std::move(variables)) {}

  void add(std::string_view piece) {
    Statement statement = read_statement(piece);
    if (!statement.opcode.starts_with(".")) statements_.push_back(std::move(statement));
  }
  // Propagates addresses until nothing changes, then clears the state: the next function reuses the register names.
  void finish_function() {
    for (bool changes = true; changes;) {
      changes = false;
      for (const Statement& statement : statements_) changes = take(statement) || changes;
    }
    statements_.clear();
    held_.clear();
  }
  void lose(std::string_view definition) {
    for (const std::string& name : read_statement(definition).written) note_lost(name);
  }
  std::vector<std::string> lost() const { return {lost_.begin(), lost_.end()}; }

 private:
  void note_lost(const std::string& name) {
    for (const std::string& variable : held_by(name)) lost_.insert(variable);
  }
  Names held_by(const std::string& name) const {
    if (variables_.contains(name)) return {name};
    const auto found = held_.find(name);
    return found == held_.end() ? Names{} : found->second;
  }
  // Returns true if a register's set of variables has grown.
  bool take(const Statement& statement) {
    if (is_one_of(statement.opcode, {"ld", "ldu", "prefetch", "prefetchu", "isspacep", "setp", "set"})) return false;
    const bool only_computes = !statement.has_address && !is_one_of(statement.opcode, {"call", "ret", "st"});
    if (!only_computes) {
      std::ranges::for_each(statement.written, [&](const std::string& name) { note_lost(name); });
      std::ranges::for_each(statement.read, [&](const std::string& name) { note_lost(name); });
      return false;
    }
    Names all;
    for (const std::string& name : statement.read) all.merge(held_by(name));
    bool changes = false;
    for (const std::string& to : statement.written) {
      for (const std::string& variable : all) changes = held_[to].insert(variable).second || changes;
    }
    return changes;
  }

  Names variables_;
  Names lost_;
  std::vector<Statement> statements_;
  std::map<std::string, Names, std::less<>> held_;
};

// Returns the variable that a statement such as ".visible .global .attribute(.managed) .align 4 .u32 counter = 3"
// defines; empty for other statements.
std::string variable_in(std::string_view statement) {
  std::string_view rest = statement;
  bool is_global = false;
  for (std::string_view word = next_word(rest); word.starts_with("."); word = next_word(rest)) {
    if (is_one_of(word.substr(1), {"extern", "const", "texref", "surfref", "samplerref"})) return "";
    is_global = is_global || word == ".global";
    if (word == ".align") next_word(rest);
    statement = rest;
  }
  if (!is_global) return "";
  const std::size_t begin = std::min(statement.find_first_not_of(" \t\r\n"), statement.size());
  return std::string(leading_name(statement.substr(begin)));
}

}  // namespace

std::vector<std::string> stored_variables(std::string_view ptx) {
  const std::string text = statements_of(ptx);
  Names variables;
  for_each_piece(text, [&](std::string_view piece, int depth) {
    std::string name = depth == 0 ? variable_in(piece) : "";
    if (!name.empty()) variables.insert(std::move(name));
  });
  if (variables.empty()) return {};
  AddressFlow flow(variables);
  for_each_piece(text, [&](std::string_view piece, int depth) {
    if (depth > 0) return flow.add(piece);
    flow.finish_function();
    const std::size_t value = piece.find('=');
    if (value != piece.npos) flow.lose(piece.substr(value));
  });
  flow.finish_function();
  return flow.lost();
}

namespace {

bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

// Returns true for compiler-generated, constant data: tables of functions and types, literals, and names of kernels.
bool is_of_compiler(const std::string& symbol) {
  return begins_with_one_of(symbol, {"_ZTV", "_ZTI", "_ZTS", "_ZTT", "$str", "__unnamed_"}) || is_of_name_table(symbol);
}

// Returns true if the relocations of `section` patch code or data, not debug information.
bool patches_code(const CubinFile& file, const Elf64_Shdr& section) {
  const std::string_view name = file.name(section);
  return !begins_with_one_of(name, {".rela.debug", ".rel.debug", ".rela.nv_debug", ".rel.nv_debug"});
}

// Returns the symbol table indices that code or data refer to.
std::set<std::uint64_t> referred_symbols(const CubinFile& file) {
  std::set<std::uint64_t> numbers;
  for (const Elf64_Shdr& section : file.sections()) {
    const bool has_addends = section.sh_type == SHT_RELA;
    if ((!has_addends && section.sh_type != SHT_REL) || !patches_code(file, section)) continue;
    const std::size_t step = has_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    std::string_view records = file.content(section);
    for (Elf64_Rel record; records.size() >= step && read_from(records, record); records.remove_prefix(step)) {
      numbers.insert(ELF64_R_SYM(record.r_info));
    }
  }
  return numbers;
}

bool holds_variables(const CubinFile& file, unsigned section) {
  if (section >= file.sections().size()) return false;
  const std::string_view name = file.name(file.sections()[section]);
  return name == ".nv.global" || name == ".nv.global.init";
}

// Calls `take(symbol, name, is_referred)` with the symbols of one kind, STT_SECTION or STT_OBJECT, in sections of variables.
template <class Take>
void for_each_variable(const CubinFile& file, int kind, const std::set<std::uint64_t>& referred, const Take& take) {
  std::uint64_t number = 0;
  for_each_symbol(file, [&](const Elf64_Sym& symbol, std::string_view name) {
    const bool is_referred = referred.contains(number++);
    const bool is_of_kind = ELF64_ST_TYPE(symbol.st_info) == kind;
    if (is_of_kind && holds_variables(file, symbol.st_shndx)) take(symbol, name, is_referred);
  });
}

// Returns the variables that code refers to; all variables of a section if code refers to the section itself.
Names variables_in_cubin(std::string_view cubin) {
  const Result<CubinFile> file = CubinFile::open(cubin);
  if (!file) return {};
  const std::set<std::uint64_t> referred = referred_symbols(*file);
  std::set<unsigned> whole;
  for_each_variable(*file, STT_SECTION, referred, [&](const Elf64_Sym& symbol, std::string_view, bool is_referred) {
    if (is_referred) whole.insert(symbol.st_shndx);
  });
  Names names;
  for_each_variable(*file, STT_OBJECT, referred, [&](const Elf64_Sym& symbol, std::string_view name, bool is_referred) {
    const bool is_reached = is_referred || whole.contains(symbol.st_shndx);
    if (is_reached && !is_of_compiler(std::string(name))) names.emplace(name);
  });
  return names;
}

Names stores_in(std::string_view ptx) {
  Names names;
  for (std::string& name : stored_variables(ptx)) {
    if (!is_of_compiler(name)) names.insert(std::move(name));
  }
  return names;
}

// Returns the demangled name without nvcc's prefix for static names, which begins with its length, for example
// "__nv_static_22__72f8e829_4_a_cu_place_table".
std::string name_of(const std::string& symbol) {
  constexpr std::string_view kStatic = "__nv_static_";
  if (!symbol.starts_with(kStatic)) return demangled(symbol);
  const std::size_t digits = symbol.find('_', kStatic.size());
  std::size_t count = 0;
  std::from_chars(symbol.data() + kStatic.size(), symbol.data() + std::min(digits, symbol.size()), count);
  const std::size_t name = digits + count + 2;
  return digits == symbol.npos || name >= symbol.size() ? symbol : demangled(symbol.substr(name));
}

}  // namespace

bool refers_to_variables(std::string_view cubin) { return !variables_in_cubin(cubin).empty(); }

std::vector<std::string> written_variables(const CodeText& code) {
  if (is_fatbin(code.code)) return {};
  Names names = code.is_ptx ? stores_in(code.code) : variables_in_cubin(code.code);
  if (!names.empty() && !code.ptx.empty()) {
    const Names stored = stores_in(code.ptx);
    std::erase_if(names, [&](const std::string& name) { return !stored.contains(name); });
  }
  std::vector<std::string> list;
  list.reserve(names.size());
  std::ranges::transform(names, std::back_inserter(list), name_of);
  std::ranges::sort(list);
  return list;
}

}  // namespace kmux::nvidia
