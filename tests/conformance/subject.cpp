#include "subject.h"

#include <gtest/gtest.h>

#include "kmux/registry.h"
#include "kmux/runtime.h"

namespace kmux::conformance {

Subject& Subject::current() {
  static Subject subject;
  return subject;
}

Status Subject::choose(const std::string& plugin, const std::filesystem::path& folder, const std::string& isolation,
                       bool uses_cache) {
  Subject& subject = current();
  subject.name_ = plugin;
  subject.folder_ = std::filesystem::absolute(folder);
  RegistryOptions options;
  options.search_path = {subject.folder_};
  options.use_default_path = false;
  const Environment process = Environment::from_process();
  options.variables = process.variables; // which name libraries, for some plugins
  KMUX_ASSIGN(const Isolation where, isolation_from_string(isolation));
  Environment environment{.isolation = std::optional(where)};
  if (uses_cache) environment.cache_dir = process.cache_dir;
  KMUX_ASSIGN(subject.runtime_, Runtime::create(std::move(environment), options));
  KMUX_ASSIGN(subject.plugin_, subject.runtime_->registry().plugin(plugin));
  KMUX_ASSIGN(const ProbeReport report, subject.plugin_->probe());
  if (!report.can_run.ok()) return make_error(ErrorCode::kUnavailable, report.can_run.reason);
  subject.device_ = Device(subject.plugin_, 0);
  return Ok{};
}

Result<Kernel> Subject::compile(const Program& program, CompileOptions options) const {
  options.execution_backend = name_;
  auto kernel = kmux::compile(*runtime_, program, options);
  if (kernel) return kernel;
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::lock_guard locked(mutex_);
  refusals_.push_back({std::string(test->test_suite_name()) + "." + test->name(), kernel.error()});
  return kernel;
}

std::vector<Subject::Refusal> Subject::refusals() const {
  const std::lock_guard locked(mutex_);
  return refusals_;
}

} // namespace kmux::conformance
