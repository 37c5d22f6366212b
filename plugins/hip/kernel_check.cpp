#include "kernel_check.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/words.h"

namespace kmux::hip {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// "scale<float>" of "_Z5scaleIfEvPf", which is "void scale<float>(float*)".
std::string written_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status));
  if (status != 0 || text == nullptr) return symbol;
  std::string name = text.get();
  name.erase(std::min(name.find('('), name.size()));
  if (name.starts_with("void ")) name.erase(0, 5);
  return without_blanks(name);
}

KernelForm form_of(const CodeKernel& kernel) {
  KernelForm form{std::vector<unsigned>(), kernel.max_threads};
  for (const CodeKernel::Argument& argument : kernel.arguments) form.argument_bytes->push_back(argument.size);
  return form;
}

}  // namespace

Result<const CodeKernel*> find_kernel(const CodeObject& code, const std::string& name) {
  std::vector<std::string> known;
  const CodeKernel* found = nullptr;
  std::size_t count = 0;
  for (const CodeKernel& kernel : code.kernels) {
    if (kernel.name == name) return &kernel;
    known.push_back(written_name(kernel.name));
    if (known.back() != without_blanks(name)) continue;
    found = &kernel;
    ++count;
  }
  if (count == 1) return found;
  return make_error(ErrorCode::kCompileFailed, "the code has " + std::string(count == 0 ? "no" : "more than one") +
                                                   " kernel \"" + name + "\" (it has " + join(known, "none") +
                                                   "). Correct the name, or declare it extern \"C\".");
}

Status check_launches(const Plan& plan, const std::vector<const CodeKernel*>& kernels) {
  Status status = Ok{};
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    const std::string& name = plan.kernels[launch.kernel];
    if (status.ok()) status = check_kernel(name, launch, passed_bytes(launch), form_of(*kernels[launch.kernel]));
  });
  return status;
}

}  // namespace kmux::hip
