#include "compiler.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/include_scan.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/source_unit.h"

namespace kmux::opencl {
namespace {

std::string text_of(const SourceUnit& unit, const Settings& settings) {
  std::string text;
  for (const std::string& define : settings.defines) text += define_line(define);
  for (const std::string& prelude : unit.preludes) text += "#include \"" + prelude + "\"\n";
  return text + "#line 1 \"" + unit.path + "\"\n" + unit.text;
}

void erase_all(std::string& text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

// Where line `number` of `text` comes from, by its #line directives: "kernels.cl:3".
std::string place_of(std::string_view text, std::size_t number) {
  std::string_view file;
  std::size_t line = 0;
  for (; number > 0 && !text.empty(); --number) {
    const std::string_view read = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(read.size() + 1, text.size()));
    const std::size_t quote = read.find('"');
    if (read.starts_with("#line ") && quote != std::string_view::npos) {
      file = read.substr(quote + 1, read.rfind('"') - quote - 1);
      line = 0;  // kmux writes "#line 1" alone
    } else {
      ++line;
    }
  }
  return (file.empty() ? "defines and preludes" : std::string(file)) + ":" + std::to_string(line);
}

// NVIDIA's compiler heeds no #line and calls all of the text "<kernel>".
std::string with_places(std::string log, std::string_view text) {
  constexpr std::string_view kWhole = "<kernel>:";
  for (std::size_t at = log.find(kWhole); at != std::string::npos; at = log.find(kWhole, at + 1)) {
    std::size_t number = 0;
    const char* const begin = log.data() + at + kWhole.size();
    const auto [rest, error] = std::from_chars(begin, log.data() + log.size(), number);
    if (error == std::errc())
      log.replace(at, kWhole.size() + static_cast<std::size_t>(rest - begin), place_of(text, number));
  }
  return log;
}

// Compilers end their text with zeros, and PoCL begins with a line a device.
std::string trimmed(std::string text) {
  erase_all(text, std::string(1, '\0'));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

struct Type {
  std::string_view name;
  unsigned bytes;
  ArgumentKind kind;
};

// Source: Khronos, "The OpenCL C Specification", built-in scalar types, and the names that drivers give them.
constexpr auto kTypes = std::to_array<Type>({{"char", 1, ArgumentKind::kInteger},
                                             {"uchar", 1, ArgumentKind::kInteger},
                                             {"unsigned char", 1, ArgumentKind::kInteger},
                                             {"short", 2, ArgumentKind::kInteger},
                                             {"ushort", 2, ArgumentKind::kInteger},
                                             {"unsigned short", 2, ArgumentKind::kInteger},
                                             {"int", 4, ArgumentKind::kInteger},
                                             {"uint", 4, ArgumentKind::kInteger},
                                             {"unsigned int", 4, ArgumentKind::kInteger},
                                             {"long", 8, ArgumentKind::kInteger},
                                             {"ulong", 8, ArgumentKind::kInteger},
                                             {"unsigned long", 8, ArgumentKind::kInteger},
                                             {"float", 4, ArgumentKind::kFloat},
                                             {"double", 8, ArgumentKind::kFloat}});

std::optional<std::string> argument_type(const Api& api, ClKernel kernel, Count index) {
  std::size_t bytes = 0;
  if (api.clGetKernelArgInfo(kernel, index, kArgumentType, 0, nullptr, &bytes) != kSuccess || bytes == 0)
    return std::nullopt;
  std::string text(bytes, '\0');
  if (api.clGetKernelArgInfo(kernel, index, kArgumentType, bytes, text.data(), nullptr) != kSuccess)
    return std::nullopt;
  return trimmed(std::move(text));
}

std::optional<KernelArgument> argument_of(const Api& api, ClKernel kernel, Count index) {
  const auto type = argument_type(api, kernel, index);
  if (!type) return std::nullopt;
  Count address = 0;
  if (api.clGetKernelArgInfo(kernel, index, kArgumentAddress, sizeof address, &address, nullptr) != kSuccess)
    return std::nullopt;
  if (address == kLocalAddress) return KernelArgument{0, ArgumentKind::kUnknown, "__local " + *type};
  if (type->ends_with('*')) return KernelArgument{sizeof(void*), ArgumentKind::kPointer, *type};
  const auto known = std::ranges::find(kTypes, *type, &Type::name);
  if (known == kTypes.end()) return std::nullopt;
  return KernelArgument{known->bytes, known->kind, *type};
}

}  // namespace

BuiltProgram::~BuiltProgram() {
  if (program_ != nullptr) device_->api().clReleaseProgram(program_);
}

std::string BuiltProgram::read_log() const {
  const Api& api = device_->api();
  const DeviceId id = device_->info().id;
  std::size_t bytes = 0;
  if (api.clGetProgramBuildInfo(program_, id, kBuildLog, 0, nullptr, &bytes) != kSuccess || bytes == 0) return "";
  std::string text(bytes, '\0');
  if (api.clGetProgramBuildInfo(program_, id, kBuildLog, bytes, text.data(), nullptr) != kSuccess) return "";
  return trimmed(std::move(text));
}

// A driver reads headers from files alone, so those of the program are written where nobody else can.
Result<BuiltProgram> BuiltProgram::compile(const OpenDevice& device, const Variant& variant,
                                           const BuildOptions& options) {
  const SourceUnit unit = make_unit(variant, "");
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-opencl"));
  std::vector<std::string> folders = options.include_dirs;
  if (!unit.files.empty()) folders.insert(folders.begin(), folder.path());
  for (const File& file : unit.files) KMUX_TRY(folder.write(file.path, file.content));
  KMUX_ASSIGN(const std::string flags, compiler_options(options, variant.settings, folders));
  const std::string text = text_of(unit, variant.settings);
  const char* const begin = text.data();
  const std::size_t size = text.size();
  const Api& api = device.api();
  Code code = kSuccess;
  BuiltProgram program(
      device, api.clCreateProgramWithSource(device.context(), 1, const_cast<const char**>(&begin), &size, &code));
  KMUX_TRY(check("clCreateProgramWithSource", code, device.with_device("")));
  // With types of parameters, else without: NVIDIA's compiler (driver 580) fails with them where a kernel has no parameter.
  for (const char* const types : {"-cl-kernel-arg-info", ""}) {
    code = api.clBuildProgram(program.program_, 1, &device.info().id, (types + flags).c_str(), nullptr, nullptr);
    if (code == kSuccess) break;
  }
  program.log_ = with_places(program.read_log(), text);
  erase_all(program.log_, folder.path() + "/");
  if (code == kSuccess) return program;
  const std::string log = program.log_.empty() ? failure_of("clBuildProgram", code) : program.log_;
  return with_include_hint(compile_error("OpenCL C of \"" + unit.path + "\" does not compile", log), variant.settings);
}

Result<BuiltProgram> BuiltProgram::load(const OpenDevice& device, const std::string& binary) {
  const Api& api = device.api();
  const auto* const bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const unsigned char* list[] = {bytes};
  const std::size_t size = binary.size();
  Code code = kSuccess;
  Code status = kSuccess;
  BuiltProgram program(
      device, api.clCreateProgramWithBinary(device.context(), 1, &device.info().id, &size, list, &status, &code));
  if (code == kSuccess) code = api.clBuildProgram(program.program_, 1, &device.info().id, "", nullptr, nullptr);
  if (code == kSuccess) return program;
  return make_error(ErrorCode::kInvalidArgument, "the driver does not take the code of the artifact (" +
                                                     failure_of("clCreateProgramWithBinary", code) + ", " +
                                                     device.with_device("") + "). Build it again.");
}

Result<std::string> BuiltProgram::binary() const {
  const Api& api = device_->api();
  std::size_t size = 0;
  KMUX_TRY(check("clGetProgramInfo", api.clGetProgramInfo(program_, kProgramBinarySizes, sizeof size, &size, nullptr),
                 device_->with_device("size of the binary")));
  std::string binary(size, '\0');
  char* list[] = {binary.data()};
  KMUX_TRY(check("clGetProgramInfo", api.clGetProgramInfo(program_, kProgramBinaries, sizeof list, list, nullptr),
                 device_->with_device("binary")));
  return binary;
}

Result<ClKernel> BuiltProgram::make_kernel(const std::string& name) const {
  Code code = kSuccess;
  const ClKernel kernel = device_->api().clCreateKernel(program_, name.c_str(), &code);
  if (code == kSuccess && kernel != nullptr) return kernel;
  if (code != kInvalidKernelName) return check("clCreateKernel", code, device_->with_device(name)).error();
  return make_error(ErrorCode::kCompileFailed,
                    "kernel \"" + name +
                        "\" is not in the sources (OpenCL finds no function with __kernel of that name). Add it, "
                        "or correct the launch.")
      .with("log", "undefined kernel: " + name);
}

KernelLimits limits_of(const OpenDevice& device, ClKernel kernel) {
  const Api& api = device.api();
  KernelLimits limits;
  const auto read = [&](Count what, auto& value) {
    if (api.clGetKernelWorkGroupInfo(kernel, device.info().id, what, sizeof value, &value, nullptr) != kSuccess)
      value = {};
  };
  read(kKernelWorkGroup, limits.max_group);
  read(kKernelLocalMemory, limits.local_bytes);
  read(kKernelRequiredGroup, limits.required_group);
  return limits;
}

KernelForm form_of(const OpenDevice& device, ClKernel kernel, bool has_local) {
  const Api& api = device.api();
  KernelForm form;
  form.max_threads = static_cast<unsigned>(limits_of(device, kernel).max_group);
  Count count = 0;
  if (api.clGetKernelInfo(kernel, kKernelArgumentCount, sizeof count, &count, nullptr) != kSuccess) return form;
  std::vector<KernelArgument> arguments;
  for (Count i = 0; i < count; ++i) {
    const auto argument = argument_of(api, kernel, i);
    if (!argument) return form;
    arguments.push_back(*argument);
  }
  const bool ends_local = !arguments.empty() && arguments.back().bytes == 0;
  if (has_local && ends_local) arguments.pop_back();
  form.arguments = std::move(arguments);
  return form;
}

}  // namespace kmux::opencl
