// A process with kmux and another LLVM in it. Each argument is a step, done in order; the first that fails ends it.
//   kmux            compiles a kernel and checks its results
//   kmux-global     opens the cpu plugin with RTLD_GLOBAL, as an application might by mistake
//   local:LIBRARY   opens another LLVM with RTLD_LOCAL and lets it work
//   global:LIBRARY  the same with RTLD_GLOBAL
//   list            prints the LLVM libraries that are mapped, a line each
#include <cstdio>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <string_view>

#include "kmux/compile.h"
#include "kmux/registry.h"

namespace {

using kmux::Expr;

kmux::Program affine(int factor) {
  const Expr n = Expr::symbol("n");
  kmux::Program program{.name = "affine"};
  program.signature.params = {{"a", kmux::BufferParam{kmux::dtype::kFloat32, {n}}},
                              {"b", kmux::BufferParam{kmux::dtype::kFloat32, {n}}}};
  program.signature.symbols = {{"n"}};
  kmux::Variant variant{.dialect = "c"};
  variant.sources = {{"affine.cpp", "template <class T> T scaled(T x) { return " + std::to_string(factor) +
                                        " * x + 1; }\nextern \"C\" void affine(const float* a, float* b, int n) {"
                                        " for (int i = 0; i < n; ++i) b[i] = scaled(a[i]); }\n"}};
  variant.body.steps = {
      kmux::Launch{.kernel = "affine", .args = {kmux::TensorArg{"a"}, kmux::TensorArg{"b"}, kmux::ExprArg{n}}}};
  program.variants.push_back(std::move(variant));
  return program;
}

bool compile_and_check() {
  static int factor = 1;
  ++factor;  // a new source each time, so that no memo returns an earlier kernel
  const kmux::Kernel kernel = kmux::compile(affine(factor), {.execution_backend = "cpu"}).value();
  const auto a = kmux::Tensor::from<float>({3}, kmux::dtype::kFloat32, std::vector<float>{1, 2, 3}).value();
  const auto b = kmux::Tensor::zeros({3}, kmux::dtype::kFloat32).value();
  kernel.launch({a, b}).value();
  for (int i = 0; i < 3; ++i) {
    if (b.data_as<float>()[i] != static_cast<float>(factor * (i + 1) + 1)) return false;
  }
  return true;
}

bool open_plugin_globally() {
  const auto runtime = kmux::Runtime::default_runtime().value();
  const auto plugin = runtime->registry().plugin("cpu").value();
  return dlopen(plugin->library().c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr;
}

template <class Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

// Opens another LLVM and uses it: Clang's version through its C++ API, whose symbols have no versions, and a module
// through LLVM's C API.
bool open_other(const char* name, int scope) {
  void* library = dlopen(name, RTLD_NOW | scope);
  if (library == nullptr) return std::puts(dlerror()), false;
  const auto version = symbol<std::string()>(library, "_ZN5clang19getClangFullVersionB5cxx11Ev");
  const auto new_module = symbol<void*(const char*)>(library, "LLVMModuleCreateWithName");
  const auto print = symbol<char*(void*)>(library, "LLVMPrintModuleToString");
  const auto dispose = symbol<void(void*)>(library, "LLVMDisposeModule");
  const auto dispose_text = symbol<void(char*)>(library, "LLVMDisposeMessage");
  if (version == nullptr || new_module == nullptr || print == nullptr || dispose == nullptr) return false;
  const std::string_view file = name;
  const std::string_view wanted = file.substr(file.rfind("so.") + 3, 2);
  void* module = new_module("other");
  char* const text = print(module);
  const bool names_it = std::string_view(text).find("ModuleID = 'other'") != std::string_view::npos;
  dispose_text(text);
  dispose(module);
  return names_it && version().find("version " + std::string(wanted)) != std::string::npos;
}

int print_if_llvm(dl_phdr_info* info, std::size_t, void*) {
  const std::string_view path = info->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("libLLVM") || name.starts_with("libclang")) std::puts(std::string(name).c_str());
  return 0;
}

bool run(std::string_view step) {
  if (step == "kmux") return compile_and_check();
  if (step == "kmux-global") return open_plugin_globally();
  if (step == "list") return dl_iterate_phdr(print_if_llvm, nullptr) == 0;
  if (step.starts_with("local:")) return open_other(step.data() + 6, RTLD_LOCAL);
  if (step.starts_with("global:")) return open_other(step.data() + 7, RTLD_GLOBAL);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (run(argv[i])) continue;
    std::fprintf(stderr, "failed: %s\n", argv[i]);
    return 1;
  }
  return 0;
}
