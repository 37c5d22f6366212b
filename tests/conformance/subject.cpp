#include "subject.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "kmux/plugin/word_list.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

namespace kmux::conformance {

Subject& Subject::current() {
  static Subject subject;
  return subject;
}

namespace {

/// Turns kUnavailable into kInternal: a broken plugin is a failure, not a plugin that cannot run here.
Error as_failure(Error error) {
  if (error.code == ErrorCode::kUnavailable) error.code = ErrorCode::kInternal;
  return error;
}

}  // namespace

Status Subject::choose(const Choice& choice) {
  Subject& subject = current();
  subject.name_ = choice.plugin;
  subject.rehearses_ = choice.rehearses;
  subject.uses_cache_ = choice.uses_cache;
  RegistryOptions options;
  const Environment process = Environment::from_process();
  if (choice.folder.empty()) {
    options.environment_path = process.plugin_path;
  } else {
    options.search_path = {std::filesystem::absolute(choice.folder)};
    options.use_default_path = false;
  }
  options.variables = process.variables;  // some plugins read library names from them
  KMUX_ASSIGN(const Isolation where, isolation_from_string(choice.isolation));
  Environment environment{.isolation = std::optional(where)};
  if (choice.uses_cache) environment.cache_dir = process.cache_dir;
  KMUX_ASSIGN(subject.runtime_, Runtime::create(std::move(environment), options));
  Result<Shared<Plugin>> plugin = subject.runtime_->registry().plugin(choice.plugin);
  if (!plugin) return as_failure(std::move(plugin).error());
  subject.plugin_ = *std::move(plugin);
  subject.folder_ = subject.plugin_->library().parent_path();
  return subject.choose_device(choice.device);
}

void Subject::end() {
  current().device_ = {};
  current().plugin_ = {};
  current().runtime_ = {};
}

Status Subject::choose_device(int ordinal) {
  const Result<ProbeReport> report = plugin_->probe();
  if (!report) return as_failure(report.error());
  if (!report->can_run.ok()) return make_error(ErrorCode::kUnavailable, report->can_run.reason);
  const Result<int> count = backend().devices().count();
  if (!count) return as_failure(count.error());
  if (ordinal < 0 || ordinal >= *count) {
    return make_error(ErrorCode::kInvalidArgument, "there is no device " + std::to_string(ordinal) + " (backend \"" +
                                                       name_ + "\" has " + std::to_string(*count) +
                                                       "). Name another one.");
  }
  device_ = Device(plugin_, ordinal);
  return Ok{};
}

std::string Subject::why_without_kernel(const Program& program) const {
  const std::vector<std::string>& taken = plugin_->manifest().dialects;
  std::vector<std::string> dialects;
  for (const Variant& variant : program.variants) {
    if (std::ranges::find(taken, variant.dialect) != taken.end()) return "";
    dialects.push_back(variant.dialect);
  }
  return "the plugin takes " + listed(taken) + "; the case has " + listed(dialects);
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
