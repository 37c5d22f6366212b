#include "module.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace kmux {

extern const std::string_view fake_msl_text;  // msl/kmux_msl.h
extern const std::string_view fake_msl_stdlib_text;  // msl/metal_stdlib
extern const std::string_view fake_msl_simdgroup_text;  // msl/metal_simdgroup

namespace fake_metal {
namespace {

using fakes::GridCode;
using fakes::GridFault;
using fakes::GridSource;

std::string text_of(const std::vector<MslConstant>& constants) {
  std::string text = "namespace kmux_msl {\nconstexpr Constant constants[] = {\n";
  for (const MslConstant& constant : constants) {
    text += "  {" + (constant.name.empty() ? "nullptr" : "\"" + constant.name + "\"") + ", " +
            std::to_string(constant.index) + ", {";
    for (const unsigned char byte : constant.bytes) text += std::to_string(byte) + ", ";
    text += "}},\n";
  }
  return text + "  {\"\", 0, {}}};\n}\n";
}

bool has_threadgroup_argument(const MslKernel& kernel) {
  return std::ranges::find(kernel.arguments, "threadgroup", &MslKernel::Argument::attribute) != kernel.arguments.end();
}

GridSource source_of(const MslText& text, const std::vector<MslConstant>& constants) {
  GridSource source{"#include \"kmux_blocks.h\"\n#include <kmux_msl.h>\n#line 1 \"program_source\"\n" + text.cpp};
  const auto once = [](std::string_view header) { return "#pragma once\n" + std::string(header); };
  source.headers = {{"kmux_msl.h", once(fake_msl_text)},
                    {"kmux_msl_constants.h", text_of(constants)},
                    {"metal_stdlib", once(fake_msl_stdlib_text)},
                    {"metal_simdgroup", once(fake_msl_simdgroup_text)}};
  for (const char* const name : {"metal_atomic", "metal_math", "metal_simdgroup_matrix"}) {
    source.headers.push_back({name, "#pragma once\n#include <metal_stdlib>\n"});
  }
  for (const MslKernel& kernel : text.kernels) source.kernels.push_back("fake_kernel_" + kernel.name);
  source.kernels.emplace_back("fake_static_bytes");
  const auto has = [&](const char* word) { return text.cpp.find(word) != std::string::npos; };
  if (has("threadgroup_barrier") && has("simd")) source.defines.emplace_back("KMUX_HAS_MEETINGS");
  if (std::ranges::any_of(text.kernels, has_threadgroup_argument)) source.defines.emplace_back("KMUX_HAS_DYNAMIC");
  return source;
}

// Returns the cached compilation, if any.
Result<std::shared_ptr<GridCode>> compiled(const MslText& text, const std::vector<MslConstant>& constants) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, std::shared_ptr<GridCode>>;
  const std::lock_guard guard(mutex);
  std::shared_ptr<GridCode>& code = known[text_of(constants) + text.cpp];
  if (code != nullptr) return code;
  KMUX_ASSIGN(const std::string bytes, GridCode::compile(source_of(text, constants)));
  KMUX_ASSIGN(code, GridCode::load(bytes));
  return code;
}

// Replaces the message by the compiler's own text if the error has it.
Error with_log(const Error& error) {
  const auto log = std::ranges::find(error.notes, "log", &Note::kind);
  return make_error(ErrorCode::kCompileFailed, log == error.notes.end() ? error.message : log->text);
}

}  // namespace

Result<std::shared_ptr<Module>> Module::compile(const std::string& msl) { return make(translate(msl), {}); }

Result<std::shared_ptr<Module>> Module::specialised(const std::vector<MslConstant>& constants) const {
  return make(text_, text_.has_constants ? constants : std::vector<MslConstant>());
}

Result<std::shared_ptr<Module>> Module::make(MslText text, const std::vector<MslConstant>& constants) {
  auto code = compiled(text, constants);
  if (!code) return with_log(code.error());
  std::vector<unsigned long> bytes(text.kernels.size());
  void* const arguments[] = {bytes.data()};
  KMUX_TRY((*code)->launch(text.kernels.size(), {{1, 1, 1}, {1, 1, 1}}, arguments));
  return std::shared_ptr<Module>(new Module(std::move(text), *std::move(code), std::move(bytes)));
}

const MslKernel* Module::find(const std::string& kernel) const {
  const auto found = std::ranges::find(text_.kernels, kernel, &MslKernel::name);
  return found == text_.kernels.end() ? nullptr : &*found;
}

std::size_t Module::number_of(const std::string& kernel) const {
  return static_cast<std::size_t>(find(kernel) - text_.kernels.data());
}

unsigned long Module::static_memory_of(const std::string& kernel) const { return static_bytes_[number_of(kernel)]; }

std::string Module::run(const std::string& kernel, const Bindings& bindings) const {
  std::vector<void*> arguments = bindings.buffers;
  std::uintptr_t bytes = 0;  // threadgroup memory is bound after the buffers
  for (const unsigned long part : bindings.threadgroup_bytes) {
    arguments.push_back(reinterpret_cast<void*>(bytes));
    bytes += (part + 15) / 16 * 16;
  }
  const auto fault = code_->launch(number_of(kernel), {bindings.groups, bindings.group_size, bytes}, arguments.data());
  if (!fault) return fault.error().message;
  if (*fault == GridFault::kDeadlock) return "a barrier waits for threads that never come to it";
  return *fault == GridFault::kOverrun ? "a kernel wrote past its threadgroup memory" : "";
}

}  // namespace fake_metal
}  // namespace kmux
