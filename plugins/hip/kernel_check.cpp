#include "kernel_check.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include "kmux/words.h"

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

unsigned bytes_of(const PlanArg& argument) {
  if (const auto* scalar = std::get_if<PlanScalar>(&argument)) return (scalar->dtype.bits + 7U) / 8U;
  if (const auto* value = std::get_if<PlanValue>(&argument)) return (value->dtype.bits + 7U) / 8U;
  return sizeof(void*);
}

std::string listed(const std::vector<unsigned>& sizes) {
  std::vector<std::string> texts;
  texts.reserve(sizes.size());
  for (const unsigned size : sizes) texts.push_back(std::to_string(size));
  return std::to_string(sizes.size()) + (sizes.size() == 1 ? " argument" : " arguments") +
         (sizes.empty() ? "" : " of " + join(texts) + " bytes");
}

Status check_arguments(const std::string& name, const PlanLaunch& launch, const CodeKernel& kernel) {
  std::vector<unsigned> passed;
  std::vector<unsigned> taken;
  passed.reserve(launch.args.size());
  taken.reserve(kernel.arguments.size());
  for (const PlanArg& argument : launch.args) passed.push_back(bytes_of(argument));
  for (const CodeKernel::Argument& argument : kernel.arguments) taken.push_back(argument.size);
  if (passed == taken) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "kernel \"" + name + "\" is launched with " + listed(passed) +
                                                     " (its code takes " + listed(taken) +
                                                     "). Correct the launch or the kernel.");
}

Status check_block(const std::string& name, const PlanLaunch& launch, const CodeKernel& kernel) {
  std::int64_t threads = 1;
  for (const Expr& extent : launch.block) {
    if (!extent.is_constant() || extent.constant() <= 0 || extent.constant() > 1 << 20) return Ok{};
    threads *= extent.constant();
  }
  if (kernel.max_threads == 0 || threads <= std::int64_t{kernel.max_threads}) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "kernel \"" + name + "\" is launched with blocks of " + std::to_string(threads) +
                        " threads (its code is compiled for at most " + std::to_string(kernel.max_threads) +
                        "). Use smaller blocks, or raise __launch_bounds__.");
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
    if (status.ok()) status = check_arguments(name, launch, *kernels[launch.kernel]);
    if (status.ok()) status = check_block(name, launch, *kernels[launch.kernel]);
  });
  return status;
}

}  // namespace kmux::hip
