#include "exported_entry.h"

#include <algorithm>

#include "kmux/plugin/emit.h"
#include "kmux/plugin/emit_checks.h"
#include "kmux/version.h"

namespace kmux {

extern const std::string_view printed_call_state;  // printed

namespace {

constexpr const char* kPrefix = "kmux_call";

constexpr std::string_view kStandalone = R"(
extern "C" {
int kmux_standalone_prepare(int device, kmux_sink error);
int kmux_standalone_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
void kmux_standalone_close(void);
}

#define KMUX_EXPORT extern "C" __attribute__((visibility("default")))

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

// "double x", as a caller of C passes it.
std::string c_parameter(const Param& param) {
  if (as_buffer(param)) return "const DLTensor* " + param.name;
  if (is_pointer(param)) return "void* " + param.name;
  const DType type = as_scalar(param)->dtype;
  return (is_integer(type) || is_bool(type) ? "int64_t " : "double ") + param.name;
}

std::string packing(const Param& param, std::size_t index) {
  const std::string arg = "kmux_args[" + std::to_string(index) + "].";
  const auto pack = [&](const char* type, const std::string& field) {
    return arg + "type_index = " + type + ", " + arg + field + " = ";
  };
  if (as_buffer(param)) return pack("kTVMFFIDLTensorPtr", "v_ptr") + "(void*)" + param.name + ";";
  if (is_pointer(param)) return pack("kTVMFFIOpaquePtr", "v_ptr") + param.name + ";";
  const bool whole = is_integer(as_scalar(param)->dtype) || is_bool(as_scalar(param)->dtype);
  return (whole ? pack("kTVMFFIInt", "v_int64") : pack("kTVMFFIFloat", "v_float64")) + param.name + ";";
}

std::string described(const Signature& signature, const Param& param) {
  const std::string name = "   " + param.name + ": ";
  if (is_pointer(param)) return name + "an address";
  if (const ScalarParam* scalar = as_scalar(param)) return name + to_string(scalar->dtype);
  const BufferParam& buffer = *as_buffer(param);
  std::string text = name + to_string(buffer.dtype) + "[";
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) text += (i == 0 ? "" : ", ") + to_string(buffer.shape[i]);
  text += buffer.strides ? "], strided" : "]";
  return text + (buffer.nullable ? ", may be null" : "") + (is_output(signature, param.name) ? ", written" : "");
}

// A function that packs the program's parameters for `function`, between what `before` and `after` say of its arguments.
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

}  // namespace

std::vector<std::string> exported_symbols(const std::string& name) {
  std::vector<std::string> symbols = {"__tvm_ffi_" + name, name + "_close", name + "_last_error", name + "_on_stream",
                                      name + "_prepare"};
  std::ranges::sort(symbols);
  return symbols;
}

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

}  // namespace kmux
