#include "kmux/plugin/plugin.hpp"

#include "kmux/dispatch_json.h"
#include "kmux/plugin/sink.h"

#include "backend_json.h"
#include "plugin_guard.h"
#include "program_view.h"

namespace kmux {
namespace {

Backend& backend_of(void* instance) { return *static_cast<Backend*>(instance); }

std::optional<int> device_of(std::int32_t device) { return device < 0 ? std::nullopt : std::optional<int>(device); }

Error too_small(const char* what) {
  return make_error(ErrorCode::kInternal, std::string(what) +
                                              " of the host is too small (version 1 of the plugin ABI has more). "
                                              "Update kmux.");
}

Error nothing_made(const char* what) {
  return make_error(ErrorCode::kInternal, std::string("the plugin made no ") + what +
                                              " and gave no reason. This is a bug of the plugin; report it to its "
                                              "author.");
}

/// Returns `options` with the program's flags before those of the compilation.
Options with_flags(const std::vector<std::string>& flags, Options options) {
  if (flags.empty()) return options;
  std::string lines;
  for (const std::string& flag : flags) lines.append(flag).append("\n");
  std::string& given = options["compile_flags"];
  given.insert(0, given.empty() ? lines.substr(0, lines.size() - 1) : lines);
  return options;
}

/// Calls `body` with the request in the backend's form.
template <class Body>
Status with_request(const kmux_build_request* request, Body body) {
  if (request->struct_size < KMUX_BUILD_REQUEST_LEAST) return too_small("the build request");
  KMUX_ASSIGN(const Program program, read_program(*request->program));
  if (request->variant >= program.variants.size()) {
    return make_error(ErrorCode::kInvalidArgument, "variant " + std::to_string(request->variant) +
                                                       " does not exist (the program has " +
                                                       std::to_string(program.variants.size()) + ").");
  }
  KMUX_ASSIGN(Target target, parse_target(view(request->target)));
  KMUX_ASSIGN(Options options, options_from_json(view(request->options)));
  Options all = with_flags(program.variants[request->variant].settings.compile_flags, std::move(options));
  return body(BuildRequest{program, request->variant, std::move(target), std::move(all), CallContext(request->call)});
}

void destroy(void* instance) { delete static_cast<Backend*>(instance); }

kmux_code probe(void* instance, kmux_sink report, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(const ProbeReport answer, backend_of(instance).probe());
    write(report, to_json(answer));
    return Ok{};
  });
}

kmux_code resolve_target(void* instance, kmux_bytes request, std::int32_t device, kmux_sink target, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(const Target answer, backend_of(instance).resolve_target(view(request), device_of(device)));
    write(target, to_string(answer));
    return Ok{};
  });
}

kmux_code supports(void* instance, const kmux_build_request* request, kmux_sink missing, kmux_sink error) {
  return guard(error, [&] {
    return with_request(request, [&](const BuildRequest& read) -> Status {
      KMUX_ASSIGN(const auto answer, backend_of(instance).supports(read));
      write(missing, to_json(answer));
      return Ok{};
    });
  });
}

kmux_code toolchain(void* instance, kmux_bytes target, kmux_bytes options, kmux_sink identity, kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(const Target read_target, parse_target(view(target)));
    KMUX_ASSIGN(const Options read_options, options_from_json(view(options)));
    KMUX_ASSIGN(const std::string answer, backend_of(instance).builder().toolchain(read_target, read_options));
    write(identity, answer);
    return Ok{};
  });
}

kmux_code wrap(void* instance, const kmux_build_request* request, kmux_sink launcher, kmux_sink error) {
  return guard(error, [&] {
    return with_request(request, [&](const BuildRequest& read) -> Status {
      KMUX_ASSIGN(const std::string answer, backend_of(instance).wrapper().wrap(read));
      write(launcher, answer);
      return Ok{};
    });
  });
}

kmux_code build(void* instance, const kmux_build_request* request, kmux_sink artifact, kmux_sink error) {
  return guard(error, [&] {
    return with_request(request, [&](const BuildRequest& read) -> Status {
      KMUX_ASSIGN(const Artifact answer, backend_of(instance).builder().build(read, view(request->launcher)));
      write(artifact, serialize(answer));
      return Ok{};
    });
  });
}

kmux_code standalone(void* instance, const kmux_build_request* request, kmux_sink parts, kmux_sink error) {
  return guard(error, [&] {
    return with_request(request, [&](const BuildRequest& read) -> Status {
      KMUX_ASSIGN(const Artifact built, deserialize(view(request->artifact)));
      KMUX_ASSIGN(const Artifact answer, backend_of(instance).standalone(read, built));
      write(parts, serialize(answer));
      return Ok{};
    });
  });
}

kmux_code load(void* instance, const kmux_load_request* request, void** adapter, kmux_sink error) {
  return guard(error, [&]() -> Status {
    if (request->struct_size < KMUX_LOAD_REQUEST_LEAST) return too_small("the load request");
    KMUX_ASSIGN(const Artifact read, deserialize(view(request->artifact), Digests::kOmitted));
    KMUX_ASSIGN(std::unique_ptr<Adapter> answer, backend_of(instance).load(read, request->device));
    if (answer == nullptr) return nothing_made("adapter");
    *adapter = answer.release();
    return Ok{};
  });
}

kmux_code prepare(void* adapter, std::int32_t device, kmux_sink error) {
  return guard(error, [&] { return static_cast<Adapter*>(adapter)->prepare(device); });
}

[[gnu::hot]] kmux_code launch(void* adapter, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  return static_cast<Adapter*>(adapter)->launch(slots, *env, error);
}

void entry(void* adapter, kmux_launch_entry* answer) { *answer = static_cast<Adapter*>(adapter)->entry(); }

kmux_code constant(void* adapter, std::int32_t device, kmux_bytes name, void** address, std::uint64_t* bytes,
                   kmux_sink error) {
  return guard(error, [&]() -> Status {
    KMUX_ASSIGN(const ConstantPlace place, static_cast<Adapter*>(adapter)->constant(device, view(name)));
    *address = place.address;
    *bytes = place.bytes;
    return Ok{};
  });
}

void unload(void* adapter) { delete static_cast<Adapter*>(adapter); }

}  // namespace

std::optional<std::string> Host::option(std::string_view name) const {
  if (api_ == nullptr) return std::nullopt;
  std::string value;
  if (api_->option(api_->self, {name.data(), name.size()}, append_to(value)) == 0) return std::nullopt;
  return value;
}

void Host::trace(Phase phase, std::string_view name) const {
  if (api_ != nullptr) api_->trace(api_->self, static_cast<std::int32_t>(phase), {name.data(), name.size()});
}

bool Host::stopping() const { return api_ != nullptr && api_->stopping(api_->self) != 0; }

Host::Threads Host::threads() const {
  if (api_ == nullptr) return {};
  return {api_->run_on_threads, api_->self};
}

Host::Interruption Host::interruption() const {
  if (api_ == nullptr || !KMUX_HAS_FIELD(api_, kmux_host_api, interrupted)) return {};
  return {api_->interrupted, api_->self};
}

void Host::log(Level level, std::string_view text) const {
  if (api_ != nullptr) api_->log(api_->self, static_cast<std::int32_t>(level), {text.data(), text.size()});
}

bool CallContext::is_cancelled() const {
  return call_ != nullptr && call_->cancelled != nullptr && call_->cancelled(call_->self) != 0;
}

std::optional<std::chrono::nanoseconds> CallContext::time_left() const {
  if (call_ == nullptr || call_->nanoseconds_left == nullptr) return std::nullopt;
  const std::int64_t left = call_->nanoseconds_left(call_->self);
  return left == INT64_MAX ? std::nullopt : std::optional(std::chrono::nanoseconds(left));
}

void CallContext::progress(double fraction, std::string_view phrase) const {
  if (call_ == nullptr || call_->progress == nullptr) return;
  call_->progress(call_->self, fraction, {phrase.data(), phrase.size()});
}

void CallContext::log(CallContext::Level level, std::string_view text) const {
  if (call_ == nullptr || call_->log == nullptr) return;
  call_->log(call_->self, static_cast<std::int32_t>(level), {text.data(), text.size()});
}

Status CallContext::check() const {
  if (is_cancelled()) {
    return make_error(ErrorCode::kCancelled,
                      "the call was cancelled (no caller waits for it). Make it again if needed.");
  }
  const auto left = time_left();
  if (!left || left->count() > 0) return Ok{};
  return make_error(ErrorCode::kTimedOut, "the call took longer than it may (compile_timeout). Allow more time.");
}

Result<Artifact> Backend::standalone(const BuildRequest& /*request*/, const Artifact& /*built*/) {
  return cannot_export("this backend");
}

Result<ConstantPlace> Adapter::constant(int /*device*/, std::string_view /*name*/) {
  return no_constants("this backend");
}

Error no_constants(std::string_view who) {
  return make_error(ErrorCode::kUnsupported,
                    std::string(who) +
                        " cannot set constants (it has no way to a variable of its code). Choose "
                        "another backend, or pass the value as a parameter.");
}

Error cannot_export(std::string_view who) {
  return make_error(ErrorCode::kUnsupported, std::string(who) +
                                                 " cannot export (it has no launcher that runs without kmux). Choose "
                                                 "another backend.");
}

kmux_code create_backend(BackendFactory make, const kmux_host_api* host, void** instance, kmux_sink error) noexcept {
  return guard(error, [&]() -> Status {
    if (host->struct_size < KMUX_HOST_API_LEAST) return too_small("the table");
    KMUX_ASSIGN(std::unique_ptr<Backend> backend, make(Host(host)));
    if (backend == nullptr) return nothing_made("backend");
    *instance = backend.release();
    return Ok{};
  });
}

kmux_plugin_api plugin_functions(const PluginInfo& info, const kmux_device_api* devices,
                                 decltype(kmux_plugin_api::create) create, bool exports) {
  return {.struct_size = sizeof(kmux_plugin_api),
          .abi_version = KMUX_PLUGIN_ABI_VERSION,
          .reserved = 0,
          .name = info.name,
          .version = info.version,
          .create = create,
          .destroy = destroy,
          .probe = probe,
          .resolve_target = resolve_target,
          .supports = supports,
          .toolchain = toolchain,
          .wrap = wrap,
          .build = build,
          .load = load,
          .prepare = prepare,
          .launch = launch,
          .unload = unload,
          .devices = devices,
          .entry = entry,
          .standalone = exports ? standalone : nullptr,
          .constant = constant};
}

const kmux_plugin_api* answer_query(std::uint32_t host_max_version, const kmux_plugin_api& table,
                                    kmux_sink reason) noexcept {
  if (table.abi_version <= host_max_version) return &table;
  write(reason, "the plugin has a newer ABI than this kmux. Update kmux.");
  return nullptr;
}

}  // namespace kmux
