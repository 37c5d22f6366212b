#include "faults.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace kmux::faults {
namespace {

constexpr std::array kCodes = {ErrorCode::kInvalidArgument, ErrorCode::kUnsupported,  ErrorCode::kUnavailable,
                               ErrorCode::kCompileFailed,   ErrorCode::kLaunchFailed, ErrorCode::kInternal};

[[noreturn]] void die_of(int signal) {
  std::fputs("the compiler is about to crash\n", stderr);
  std::signal(signal, SIG_DFL);  // the handler of a sanitizer would end the process with an exit code instead
  std::raise(signal);
  std::abort();
}

/// Triggers the process fault that `word` names, which no error code can report; otherwise returns.
void misbehave(const std::string& word) {
  if (word == "segv") die_of(SIGSEGV);
  if (word == "abort") die_of(SIGABRT);
  if (word == "kill") die_of(SIGKILL);
  if (word == "exit") _exit(0);
  while (word == "hang") pause();
  constexpr std::string_view kNoise = "what a compiler should not write here";
  if (word == "babble") [[maybe_unused]]
    const auto ignored = ::write(3, kNoise.data(), kNoise.size());
}

/// The faults that the host's options request.
class Faults {
 public:
  Faults(std::string name, Host host) : name_(std::move(name)), host_(host) {}

  std::optional<std::string> asked(const std::string& what) const { return host_.option(name_ + "." + what); }

  /// Returns the error requested at `step`, if any. A word that is not an error code becomes internal.
  Status at(const std::string& step) const {
    const auto word = asked(step);
    if (!word) return Ok{};
    misbehave(*word);
    ErrorCode found = ErrorCode::kInternal;
    for (const ErrorCode code : kCodes) {
      if (to_string(code) == *word) found = code;
    }
    return make_error(found, step + " of backend " + name_ + " fails (its option asks for it). Unset it.")
        .with("log", "fault: " + *word);
  }

 private:
  std::string name_;
  Host host_;
};

class FaultyAdapter final : public Adapter {
 public:
  FaultyAdapter(const Faults& faults, std::unique_ptr<Adapter> inner)
      : fault_(faults.at("launch")), inner_(std::move(inner)) {}
  Status prepare(int device) override { return inner_->prepare(device); }
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    return fault_.ok() ? inner_->launch(slots, env, error) : write_error(fault_.error(), error);
  }

 private:
  Status fault_;
  std::unique_ptr<Adapter> inner_;
};

class FaultyBackend final : public Backend, private Wrapper, private Builder {
 public:
  FaultyBackend(Faults faults, std::unique_ptr<Backend> inner) : faults_(std::move(faults)), inner_(std::move(inner)) {}

  Result<ProbeReport> probe() override {
    const auto code = faults_.asked("probe");
    if (!code) return inner_->probe();
    misbehave(*code);
    const Availability no{*code, "the option probe asks for it"};
    return *code == "no_toolchain" ? ProbeReport{no, {}} : ProbeReport{{}, no};
  }

  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override {
    return inner_->resolve_target(request, device);
  }

  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override {
    KMUX_TRY(faults_.at("supports"));
    KMUX_ASSIGN(auto missing, inner_->supports(request));
    if (const auto feature = faults_.asked("missing")) {
      missing.push_back({*feature, "/variants/" + std::to_string(request.variant), "the option missing asks for it"});
    }
    return missing;
  }

  Wrapper& wrapper() override { return *this; }
  Builder& builder() override { return *this; }
  DeviceApi& devices() override { return inner_->devices(); }

  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override {
    KMUX_TRY(faults_.at("load"));
    KMUX_ASSIGN(auto adapter, inner_->load(artifact, device));
    return std::unique_ptr<Adapter>(std::make_unique<FaultyAdapter>(faults_, std::move(adapter)));
  }

 private:
  Result<std::string> wrap(const BuildRequest& request) override {
    KMUX_TRY(faults_.at("wrap"));
    return inner_->wrapper().wrap(request);
  }
  Result<std::string> toolchain(const Target& target, const Options& options) override {
    return inner_->builder().toolchain(target, options);
  }
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override {
    KMUX_TRY(faults_.at("build"));
    return inner_->builder().build(request, launcher);
  }

  Faults faults_;
  std::unique_ptr<Backend> inner_;
};

}  // namespace

std::unique_ptr<Backend> with_faults(std::string name, Host host, std::unique_ptr<Backend> inner) {
  Faults faults(std::move(name), host);
  if (const auto word = faults.asked("create")) misbehave(*word);
  return std::make_unique<FaultyBackend>(std::move(faults), std::move(inner));
}

}  // namespace kmux::faults
