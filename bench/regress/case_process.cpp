#include "regress/case_process.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"

#include "regress/case_sampling.h"

namespace kmux::regress {
namespace {

constexpr const char* kFormat = "ratio %lf %lf %lf";
constexpr std::chrono::minutes kMaxTime{2};

Error failed(const RegressCase& regress_case, const std::string& why) {
  return make_error(ErrorCode::kUnavailable, "case \"" + regress_case.name + "\" cannot be measured (" + why +
                                                 "). Build everything: ./kmux.sh build.");
}

}  // namespace

Result<Interval> measure_in_process(const RegressCase& regress_case, const Burdens& burdens) {
  Command command{.argv = {std::filesystem::read_symlink("/proc/self/exe").string(), "--measure", regress_case.name},
                  .timeout = kMaxTime};
  for (const auto& [name, burden] : burdens) {
    command.argv.insert(command.argv.end(), {"--burden", name + "=" + std::to_string(burden)});
  }
  KMUX_ASSIGN(const ProcessResult result, run(command));
  Interval ratio;
  const int read = std::sscanf(result.standard_output.c_str(), kFormat, &ratio.median, &ratio.low, &ratio.high);
  if (result.exit_code == 0 && read == 3) return ratio;
  return failed(regress_case,
                result.standard_error.empty() ? "its process ended without a ratio" : result.standard_error);
}

Status measure_here(const RegressCase& regress_case, const Burdens& burdens) {
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-regress"));
  const auto burden = burdens.find(regress_case.name);
  Interval ratio;
  try {
    const Duel duel = regress_case.prepare(folder.path());
    KMUX_ASSIGN(ratio, sample_case(regress_case, duel, burden == burdens.end() ? 1 : burden->second));
  } catch (const std::exception& failure) {
    return make_error(ErrorCode::kUnavailable, failure.what());
  }
  std::printf("ratio %.9g %.9g %.9g\n", ratio.median, ratio.low, ratio.high);
  return Ok{};
}

}  // namespace kmux::regress
