#include "nvidia/launch_check.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/name_table.h"

#include "nvidia/cubin.h"
#include "nvidia/fatbin.h"

namespace kmux::nvidia {
namespace {

// Source: the names of ".nv.info" records in `cuobjdump -elf`, and the files of nvcc 12 and 13.
constexpr std::uint8_t kSized = 4;  // EIFMT_SVAL: the two bytes are the size of the content that follows
constexpr std::uint8_t kInPlace = 3;  // EIFMT_HVAL: the two bytes are the value; so for all below
constexpr std::uint8_t kMaxThreads = 0x05;  // EIATTR_MAX_THREADS
constexpr std::uint8_t kAllThreads = 0x10;  // EIATTR_REQNTID: the required block
constexpr std::uint8_t kParameter = 0x17;  // EIATTR_KPARAM_INFO
constexpr std::uint8_t kAllParametersBytes = 0x19;  // EIATTR_CBANK_PARAM_SIZE
constexpr std::uint8_t kLargeParameter = 0x45;  // EIATTR_KPARAM_INFO_V2, of kernels with more than 4 KB of parameters

struct Record {
  std::uint8_t format;
  std::uint8_t attribute;
  std::uint16_t value;
};

struct ParameterRecord {
  std::uint32_t index;
  std::uint16_t ordinal;
  std::uint16_t offset;
  std::uint32_t bits;
};

struct ThreadsRecord {
  std::uint32_t x, y, z;
};

struct Parameter {
  unsigned offset;
  unsigned bytes;
};

// Collects the facts of a kernel's records, in file order.
class KernelRecords {
 public:
  // Returns false if the records are invalid.
  bool read(std::string_view records) {
    while (!records.empty()) {
      Record record;
      if (!read_from(records, record)) return false;
      records.remove_prefix(sizeof record);
      const std::size_t size = record.format == kSized ? record.value : 0;
      if (size > records.size() || !take(record, records.substr(0, size))) return false;
      records.remove_prefix(size);
    }
    return true;
  }

  KernelForm form() const { return {arguments(), max_threads_}; }

 private:
  bool take(const Record& record, std::string_view content) {
    if (record.format == kInPlace && record.attribute == kAllParametersBytes) all_bytes_ = record.value;
    if (record.format != kSized) return true;
    if (record.attribute == kParameter) return take_parameter(content, 18, 0x3fff);
    if (record.attribute == kLargeParameter) return take_parameter(content, 0, 0xffff);
    const bool tells_threads = record.attribute == kMaxThreads || record.attribute == kAllThreads;
    return !tells_threads || take_threads(content);
  }

  bool take_parameter(std::string_view content, unsigned shift, unsigned mask) {
    ParameterRecord parameter;
    if (!read_from(content, parameter)) return false;
    return parameters_.try_emplace(parameter.ordinal, Parameter{parameter.offset, parameter.bits >> shift & mask})
        .second;
  }

  bool take_threads(std::string_view content) {
    ThreadsRecord threads;
    if (!read_from(content, threads)) return false;
    const std::uint64_t block = std::uint64_t{threads.x} * threads.y;
    if (threads.x <= kMost && threads.y <= kMost && block * threads.z <= kMost) {
      max_threads_ = static_cast<unsigned>(block * threads.z);
    }
    return true;
  }

  // Returns nothing unless the ordinals are consecutive from 0, parameters do not overlap, and the last ends at the
  // total size.
  std::optional<std::vector<KernelArgument>> arguments() const {
    std::vector<KernelArgument> arguments;
    unsigned end = 0;
    for (const auto& [ordinal, parameter] : parameters_) {
      if (ordinal != arguments.size() || parameter.offset < end) return std::nullopt;
      end = parameter.offset + parameter.bytes;
      arguments.push_back({parameter.bytes});
    }
    if (all_bytes_ && end != *all_bytes_) return std::nullopt;
    return arguments;
  }

  static constexpr std::uint64_t kMost = 1 << 20;  // more threads than any block has

  std::map<unsigned, Parameter> parameters_;  // by ordinal
  std::optional<unsigned> all_bytes_;
  unsigned max_threads_ = 0;
};

// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same for all.
constexpr LaunchLimits kLimits{{2147483647, 65535, 65535}, {1024, 1024, 64}, 1024};

// Checks one launch. A spare byte is for a last, empty parameter, as in a launch. An argument whose size differs from
// the plan's is a struct.
Status check_launch(const Plan& plan, const PlanLaunch& launch, const ArgumentPack& pack, const KernelForm& form) {
  std::vector<KernelArgument> passed = passed_arguments(plan, launch);
  for (std::size_t i = 0; i < passed.size(); ++i) {
    if (passed[i].bytes == pack.sizes[i]) continue;
    passed[i].bytes = pack.sizes[i];
    passed[i].kind = ArgumentKind::kUnknown;
  }
  const auto& taken = form.arguments;
  if (pack.spare && taken && taken->size() == passed.size() + 1 && taken->back().bytes == 1) passed.push_back({1});
  return check_kernel(plan.kernels[launch.kernel], launch, passed, form);
}

Status check_forms(const Plan& plan, const std::vector<KernelForm>& forms, const ArgumentSizes& sizes) {
  Status status = Ok{};
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    if (!status.ok() || calls_host_function(plan, launch)) return;
    status = check_launch(plan, launch, sizes(launch), forms[launch.kernel]);
  });
  return status;
}

void add_types_of(const std::string& symbol, KernelForm& form) {
  const auto types = parameter_types(symbol);
  if (types && form.arguments) add_types(*form.arguments, *types);
}

}  // namespace

Result<KernelForm> kernel_record(std::string_view cubin, std::string_view symbol) {
  KMUX_ASSIGN(const CubinFile file, CubinFile::open(cubin));
  const Elf64_Shdr* const section = file.find(".nv.info." + std::string(symbol));
  KernelRecords records;
  if (section == nullptr || !records.read(file.content(*section))) return KernelForm{};
  KernelForm form = records.form();
  add_types_of(std::string(symbol), form);
  return form;
}

Status check_extents(const Plan& plan) { return kmux::check_extents(plan, kLimits); }

Status check_launches(const Plan& plan, const std::vector<std::string>& symbols, std::string_view cubin,
                      const ArgumentSizes& sizes) {
  std::vector<KernelForm> forms;
  forms.reserve(symbols.size());
  for (const std::string& symbol : symbols) {
    KMUX_ASSIGN(KernelForm form, kernel_record(cubin, symbol));
    forms.push_back(std::move(form));
  }
  return check_forms(plan, forms, sizes);
}

Status check_ptx_launches(const Plan& plan, const std::vector<std::string>& symbols, std::string_view ptx) {
  std::vector<KernelForm> forms;
  forms.reserve(symbols.size());
  for (const std::string& symbol : symbols) {
    KernelForm& form = forms.emplace_back(KernelForm{ptx_parameters(ptx, symbol)});
    add_types_of(symbol, form);
  }
  return check_forms(plan, forms, argument_sizes);
}

namespace {

// Only the driver can unpack a compressed fatbin, and it accepts only symbols.
Result<std::vector<std::string>> symbols_in_compressed(const std::vector<std::string>& names) {
  const auto expression = std::ranges::find_if(names, is_name_expression);
  if (expression == names.end()) return names;
  return make_error(
      ErrorCode::kInvalidArgument,
      "kernel \"" + *expression +
          "\" cannot be looked up (the code is a compressed fatbin, which only the driver unpacks). Name the "
          "kernel by its symbol, or make the fatbin with nvcc --no-compress.");
}

}  // namespace

Result<std::vector<std::string>> checked_symbols(const Plan& plan, const std::vector<std::string>& names,
                                                 std::string_view code, bool is_ptx) {
  if (is_fatbin(code)) return symbols_in_compressed(names);
  KMUX_ASSIGN(std::vector<std::string> symbols,
              is_ptx ? find_kernels(names, ptx_kernels(code)) : find_kernels(names, code));
  KMUX_TRY(is_ptx ? check_ptx_launches(plan, symbols, code) : check_launches(plan, symbols, code));
  return symbols;
}

Result<std::vector<std::string>> names_in_code(const std::vector<std::string>& kernels, std::string_view code,
                                               bool is_ptx) {
  if (is_fatbin(code) || name_expressions(kernels).empty()) return kernels;
  std::vector<CodeVariable> variables;
  std::vector<std::string> symbols;
  if (is_ptx) {
    variables = ptx_variables(code);
    symbols = ptx_kernels(code);
  } else {
    KMUX_ASSIGN(variables, cubin_variables(code));
    KMUX_ASSIGN(symbols, cubin_kernels(code));
  }
  std::vector<std::string> names;
  names.reserve(variables.size());
  for (const CodeVariable& variable : variables) names.push_back(variable.symbol);
  return names_by_table(kernels, names, symbols);
}

Result<std::vector<CodeVariable>> cubin_variables(std::string_view cubin) {
  KMUX_ASSIGN(const CubinFile file, CubinFile::open(cubin));
  std::vector<CodeVariable> variables;
  for_each_symbol(file, [&](const Elf64_Sym& symbol, std::string_view name) {
    if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT) variables.push_back({std::string(name), symbol.st_size});
  });
  return variables;
}

namespace {

// Returns the constants by name, for unreadable code: the driver checks them when they are set.
std::vector<ConstantSymbol> by_name(const std::vector<Constant>& constants) {
  std::vector<ConstantSymbol> symbols;
  symbols.reserve(constants.size());
  for (const Constant& constant : constants) symbols.push_back({constant.name, constant.name});
  return symbols;
}

}  // namespace

Result<std::vector<ConstantSymbol>> find_constants(const std::vector<Constant>& constants, std::string_view code,
                                                   bool is_ptx) {
  if (constants.empty()) return std::vector<ConstantSymbol>();
  if (is_ptx) return kmux::find_constants(constants, ptx_variables(code));
  if (is_fatbin(code)) return by_name(constants);
  KMUX_ASSIGN(const std::vector<CodeVariable> present, cubin_variables(code));
  return kmux::find_constants(constants, present);
}

}  // namespace kmux::nvidia
