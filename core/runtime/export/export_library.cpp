#include "kmux/export_library.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/guarded.h"
#include "kmux/json.h"
#include "kmux/plugin/emit.h"
#include "kmux/plugin/emit_checks.h"
#include "kmux/plugin/file_io.h"
#include "kmux/runtime.h"
#include "kmux/version.h"

#include "artifact/choice.h"
#include "base/json_text.h"
#include "isolation/isolated_plugins.h"
#include "library_linker.h"
#include "system/runtime_impl.h"

namespace kmux {

extern const std::string_view printed_call_state;  // printed

namespace {

namespace fs = std::filesystem;

/// The properties of an exported library, besides its code.
struct ExportedFacts {
  std::string backend;
  std::string target;
  std::int32_t device_type = 1;                       // DLDeviceType
  std::vector<std::int32_t> other_device_types = {};  // whose memory it takes too
};

constexpr const char* kPrefix = "kmux_call";

constexpr std::string_view kStandalone = R"(
extern "C" {
int kmux_standalone_prepare(int device, kmux_sink error);
int kmux_standalone_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
void kmux_standalone_close(void);
}

#define KMUX_EXPORT extern "C" __attribute__((visibility("default")))

// A statically linked libstdc++ allocates 72 KB for exceptions, and does not free them when the library is unloaded. The
// function is null if libstdc++ is not linked.
namespace __gnu_cxx {
__attribute__((weak, visibility("hidden"))) void __freeres();
}
__attribute__((destructor(101))) static void kmux_free_exception_memory() {
  if (&__gnu_cxx::__freeres != nullptr) __gnu_cxx::__freeres();
}

)";

void print_launch(CodeWriter& out, const Program& program, const ExportedFacts& facts, std::size_t slot_count) {
  const std::string type = std::to_string(facts.device_type);
  const bool on_host = facts.device_type == kDLCPU;
  out.open("__attribute__((cold, noinline)) static int kmux_give_up(int code) {");
  out.line("kmux::failure_text.finish(code);").line("return -1;").close().line();
  out.line("static const char kmux_prefix[] = " + quote_c("kernel \"" + program.name + "\": ") + ";").line();
  out.line("// Null: the stream that libtvm_ffi has, or the default one.");
  out.open(
      "__attribute__((always_inline)) static inline int kmux_run(const TVMFFIAny* args, int32_t count, void* const* "
      "stream) {");
  out.line("kmux_slot slots[" + std::to_string(std::max<std::size_t>(slot_count, 1)) + "];");
  out.line("int device = 0;");
  out.line("if (const int code = " + std::string(kPrefix) +
           "_check(args, count, slots, &device, kmux::FailureText::sink(\"\"))) return kmux_give_up(code);");
  if (on_host) out.line("static_cast<void>(stream);");
  out.line(std::string("const kmux_launch_env env = {sizeof(kmux_launch_env), device, ") +
           (on_host ? "nullptr" : "stream != nullptr ? *stream : kmux::current_stream(" + type + ", device)") +
           ", nullptr, " + (on_host ? "0" : "kmux::own_lane()") + ", 0};");
  out.line("const kmux_sink error = kmux::FailureText::sink(kmux_prefix);");
  out.line("if (const int code = kmux_standalone_launch(slots, &env, error)) return kmux_give_up(code);");
  out.line("return 0;").close().line();
  out.open("KMUX_EXPORT int __tvm_ffi_" + program.name +
           "(void*, const TVMFFIAny* args, int32_t count, TVMFFIAny* result) {");
  out.line("if (const int code = kmux_run(args, count, nullptr)) return code;");
  out.open("if (result != nullptr) {").line("result->type_index = kTVMFFINone;").line("result->v_int64 = 0;").close();
  out.line("return 0;").close().line();
  out.open("KMUX_EXPORT int " + program.name + "_on_stream(void* stream, const TVMFFIAny* args, int32_t count) {");
  out.line("return kmux_run(args, count, &stream);").close().line();
}

void print_others(CodeWriter& out, const std::string& name) {
  out.line("KMUX_EXPORT const char* " + name + "_last_error(void) { return kmux::failure_text.text(); }").line();
  out.open("KMUX_EXPORT int " + name + "_prepare(int device) {");
  out.line("const int code = kmux_standalone_prepare(device, kmux::FailureText::sink(kmux_prefix));");
  out.line("return code == KMUX_OK ? 0 : kmux_give_up(code);").close().line();
  out.line("KMUX_EXPORT void " + name + "_close(void) { kmux_standalone_close(); }");
}

std::string first_line(const Program& program, const ExportedFacts& facts) {
  return program.name + ", for target " + facts.target + ", by backend " + facts.backend + " of kmux " KMUX_VERSION;
}

// Returns the name of a parameter in C: "linux", "NULL" and "memset" mean something else there. The prefix is reserved.
std::string c_name(const Param& param) { return "kmux_arg_" + param.name; }

// "double kmux_arg_x", as a caller of C passes it.
std::string c_parameter(const Param& param) {
  if (as_buffer(param)) return "const DLTensor* " + c_name(param);
  if (is_pointer(param)) return "void* " + c_name(param);
  const DType type = as_scalar(param)->dtype;
  return (is_integer(type) || is_bool(type) ? "int64_t " : "double ") + c_name(param);
}

std::string packing(const Param& param, std::size_t index) {
  const std::string arg = "kmux_args[" + std::to_string(index) + "].";
  const auto pack = [&](const char* type, const std::string& field) {
    return arg + "type_index = " + type + ", " + arg + field + " = ";
  };
  if (as_buffer(param)) return pack("kTVMFFIDLTensorPtr", "v_ptr") + "(void*)" + c_name(param) + ";";
  if (is_pointer(param)) return pack("kTVMFFIOpaquePtr", "v_ptr") + c_name(param) + ";";
  const bool whole = is_integer(as_scalar(param)->dtype) || is_bool(as_scalar(param)->dtype);
  return (whole ? pack("kTVMFFIInt", "v_int64") : pack("kTVMFFIFloat", "v_float64")) + c_name(param) + ";";
}

std::string described(const Signature& signature, const Param& param) {
  const std::string name = "   " + param.name + ": ";
  if (is_pointer(param)) return name + "an address";
  if (const ScalarParam* scalar = as_scalar(param)) return name + to_string(scalar->dtype);
  const BufferParam& buffer = *as_buffer(param);
  std::string text = name + to_string(buffer.dtype) + "[";
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) text += (i == 0 ? "" : ", ") + to_string(buffer.shape[i]);
  text += buffer.strides ? "], strided" : "]";
  const bool is_written = buffer.inout || is_output(signature, param.name);
  return text + (buffer.nullable ? ", may be null" : "") + (is_written ? ", written" : "");
}

// Prints a function that packs the program's parameters for `function`, between the arguments `before` and `after`.
void print_typed_call(CodeWriter& out, const Program& program, const std::string& head, const std::string& before,
                      const std::string& after) {
  const std::vector<Param>& params = program.signature.params;
  std::string list;
  for (const Param& param : params) list += ", " + c_parameter(param);
  out.open("static inline int " + program.name + head + list + ") {");
  const std::string count = std::to_string(params.size());
  if (params.empty()) {
    out.line("return kmux_function(" + before + ", 0, 0" + after + ");").close();
    return;
  }
  out.line("TVMFFIAny kmux_args[" + count + "];");
  out.line("memset(kmux_args, 0, sizeof kmux_args);");
  for (std::size_t i = 0; i < params.size(); ++i) out.line(packing(params[i], i));
  out.line("return kmux_function(" + before + ", kmux_args, " + count + after + ");").close();
}

void print_typed_calls(CodeWriter& out, const Program& program) {
  out.line("/* Calls `kmux_function`, which is __tvm_ffi_" + program.name + ", linked or from dlsym. */");
  print_typed_call(out, program, "_call(TVMFFISafeCallType kmux_function", "0", ", 0");
  out.line().line("/* The same in `kmux_stream`, by " + program.name + "_on_stream, linked or from dlsym. */");
  print_typed_call(out, program, "_call_on(int (*kmux_function)(void*, const TVMFFIAny*, int32_t), void* kmux_stream",
                   "kmux_stream", "");
}

/// Returns the functions that the library of a program exports, in alphabetical order.
std::vector<std::string> exported_symbols(const std::string& name) {
  std::vector<std::string> symbols = {"__tvm_ffi_" + name, name + "_close", name + "_last_error", name + "_on_stream",
                                      name + "_prepare"};
  std::ranges::sort(symbols);
  return symbols;
}

/// Returns a C++17 unit with the exported functions: the checks, and calls of `kmux_standalone_...`, which a backend's
/// unit defines.
///
/// Errors: as `emit_checks`.
Result<std::string> exported_entry(const Program& program, const ExportedFacts& facts) {
  const CheckPrinting printing{.prefix = kPrefix,
                               .kernel = program.name,
                               .device_type = facts.device_type,
                               .other_device_types = facts.other_device_types};
  KMUX_ASSIGN(const PrintedChecks checks, emit_checks(program.signature, printing));
  CodeWriter out;
  print_launch(out, program, facts, checks.slot_count);
  print_others(out, program.name);
  const std::string code =
      checks_prelude() + std::string(printed_call_state) + "\n" + checks.text + std::string(kStandalone) + out.text();
  return "// " + first_line(program, facts) + ".\n#include <stddef.h>\n#include <stdint.h>\n\n" +
         launcher_prelude_for(code) + code;
}

/// Returns a C11 header that declares them, and typed functions that take the program's parameters.
std::string exported_header(const Program& program, const ExportedFacts& facts) {
  CodeWriter out;
  out.line("/* " + first_line(program, facts) + ". Parameters:").line();
  for (const Param& param : program.signature.params) out.line(described(program.signature, param));
  out.line().lines(
      " Functions that return an int return 0, or -1 with a text for the thread in NAME_last_error. A tensor is a\n"
      " DLTensor; an output is passed as the inputs are. NAME_on_stream is the call in a stream of the device's own "
      "kind\n"
      " (a CUstream or cudaStream_t, a hipStream_t; null: the default one; on a CPU it means nothing): it returns at "
      "once,\n"
      " and what it does comes after what is in the stream. __tvm_ffi_NAME takes libtvm_ffi's current stream, or the\n"
      " default one. NAME_prepare does what the first call on a device would do once; NAME_close gives back what the\n"
      " library holds, after the last call. An application that also includes <tvm/ffi/c_api.h> includes that first. "
      "*/\n");
  const std::string guard = "KMUX_EXPORTED_" + program.name + "_H_";
  out.line("#ifndef " + guard).line("#define " + guard).line().line("#include <string.h>").line();
  out.lines(tvm_ffi_declarations());
  out.line("#ifdef __cplusplus").line("extern \"C\" {").line("#endif").line();
  out.line("int __tvm_ffi_" + program.name + "(void* self, const TVMFFIAny* args, int32_t count, TVMFFIAny* result);");
  out.line("int " + program.name + "_on_stream(void* stream, const TVMFFIAny* args, int32_t count);");
  out.line("const char* " + program.name + "_last_error(void);");
  out.line("int " + program.name + "_prepare(int device);");
  out.line("void " + program.name + "_close(void);").line();
  print_typed_calls(out, program);
  out.line().line("#ifdef __cplusplus").line("}").line("#endif").line().line("#endif  /* " + guard + " */");
  return out.text();
}

constexpr const char* kLinkPart = "link.json";

/// Returns the end of a message, "why). What to do.", if no file can be in `folder`; else "".
std::string problem_of_folder(const fs::path& folder) {
  if (folder.empty()) return "the working directory is gone). Name an absolute path.";
  std::error_code error;
  const fs::file_type type = fs::status(folder, error).type();
  if (type == fs::file_type::directory) return "";
  const std::string name = "folder \"" + folder.string() + "\"";
  if (type == fs::file_type::not_found) return "there is no " + name + "). Make it.";
  if (error) return name + " cannot be reached: " + error.message() + "). Permit it, or name another one.";
  return "\"" + folder.string() + "\" is not a folder). Name another one.";
}

Status check_path(const std::string& path, const char* what) {
  std::error_code none;
  if (path.empty()) {
    return make_error(ErrorCode::kInvalidArgument, std::string("the ") + what + " has no path. Say where to write it.");
  }
  if (fs::is_directory(path, none)) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::string("the ") + what + " cannot be \"" + path + "\" (it is a folder). Name a file.");
  }
  const std::string problem = problem_of_folder(fs::absolute(path, none).parent_path());
  if (problem.empty()) return Ok{};
  return make_error(ErrorCode::kUnavailable,
                    std::string("the ") + what + " cannot be written to \"" + path + "\" (" + problem);
}

/// Checks the paths. Must be called before any slow step.
Status check_paths(const ExportOptions& options) {
  KMUX_TRY(check_path(options.library, "library"));
  if (options.header.empty()) return Ok{};
  KMUX_TRY(check_path(options.header, "header"));
  std::error_code none;
  const auto place = [&](const std::string& path) { return fs::weakly_canonical(fs::absolute(path, none), none); };
  if (place(options.header) != place(options.library)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "library and header are both \"" + options.header + "\". Give them different paths.");
}

/// The facts that a backend reports for linking.
struct LinkFacts {
  std::int32_t device_type = 0;
  std::vector<std::string> libraries;
};

Result<LinkFacts> read_link_facts(const Artifact& parts, const std::string& backend) {
  const auto refuse = [&](const std::string& why) {
    return make_error(ErrorCode::kInternal, "backend \"" + backend + "\" gave no usable link.json (" + why +
                                                "). This is a bug of its plugin.");
  };
  const std::string* const text = parts.find(kLinkPart);
  if (text == nullptr) return refuse("there is none");
  const Result<Json> json = read_json(*text);
  if (!json) return refuse(json.error().message);
  const Json* const type = json->find("device_type");
  const Json* const libraries = json->find("libraries");
  const std::int64_t* const number = type == nullptr ? nullptr : type->as_integer();
  const Json::Array* const list = libraries == nullptr ? nullptr : libraries->as_array();
  if (number == nullptr || list == nullptr) return refuse("device_type is not a number, or libraries is not a list");
  LinkFacts facts{static_cast<std::int32_t>(*number), {}};
  for (const Json& library : *list) {
    if (library.as_string() == nullptr) return refuse("a library is not a string");
    facts.libraries.push_back(*library.as_string());
  }
  return facts;
}

/// The bytes of the library and of the header.
struct Products {
  std::string library;
  std::string header;
};

Result<Products> make_products(const Program& program, const ExportOptions& options, const Choice& choice,
                               const BuildResult& built) {
  KMUX_ASSIGN(const Artifact parts, choice.backend->standalone(request_in_tier(choice, built.tier), built.artifact));
  KMUX_ASSIGN(const LinkFacts link, read_link_facts(parts, built.backend));
  const ExportedFacts facts{built.backend, to_string(built.target), link.device_type,
                            choice.plugin->manifest().device_types};
  KMUX_ASSIGN(std::string entry, exported_entry(program, facts));
  const LibraryParts all{parts, std::move(entry), exported_symbols(program.name), link.libraries};
  KMUX_ASSIGN(std::string library, link_library(all, options.host_compiler));
  return Products{std::move(library), exported_header(program, facts)};
}

/// Writes both files or neither: if the library cannot be written, restores the header.
Status publish(const ExportOptions& options, const Products& products) {
  if (options.header.empty()) return write_file(options.library, products.library);
  std::error_code none;
  const bool had_header = fs::exists(options.header, none);
  const Result<std::string> before = had_header ? read_file(options.header) : Result<std::string>(std::string());
  KMUX_TRY(write_file(options.header, products.header));
  const Status written = write_file(options.library, products.library);
  if (written) return Ok{};
  if (!had_header) {
    fs::remove(options.header, none);
  } else if (before) {
    static_cast<void>(write_file(options.header, *before));
  }
  return written.error();
}

/// Refuses constants that must be set: a library has no call for that.
Status check_constants(const Program& program) {
  const auto unset = std::ranges::find(program.constants, false, &Constant::initialised);
  if (unset == program.constants.end()) return Ok{};
  return make_error(
      ErrorCode::kUnsupported,
      "program \"" + program.name + "\" cannot be exported (constant \"" + unset->name +
          "\" has to be set, and a library has no call for that). Initialise it in the source and declare "
          "that, or make it a parameter.");
}

Result<ExportedLibrary> make_library(Runtime& runtime, const Program& program, const ExportOptions& options) {
  KMUX_TRY(check_paths(options));
  KMUX_TRY(check_constants(program));
  KMUX_ASSIGN(BuildResult built, build(runtime, program, options.compile));
  KMUX_ASSIGN(const CompileSettings settings, settle(options.compile, Purpose::kBuild, runtime.environment()));
  KMUX_ASSIGN(const Choice choice, choose(runtime.impl().isolated_plugins(), settings, built.backend, program,
                                          built.variant, to_string(built.target)));
  KMUX_ASSIGN(const Products products, make_products(program, options, choice, built));
  KMUX_TRY(publish(options, products));
  return ExportedLibrary{.library = options.library,
                         .header = options.header,
                         .backend = built.backend,
                         .target = built.target,
                         .bytes = products.library.size(),
                         .symbols = exported_symbols(program.name),
                         .from_cache = built.from_cache,
                         .resolution = std::move(built.resolution)};
}

}  // namespace

Result<ExportedLibrary> export_library(Runtime& runtime, const Program& program, const ExportOptions& options) {
  return guarded([&] { return make_library(runtime, program, options); });
}

Result<ExportedLibrary> export_library(const Program& program, const ExportOptions& options) {
  KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
  return export_library(*runtime, program, options);
}

}  // namespace kmux
