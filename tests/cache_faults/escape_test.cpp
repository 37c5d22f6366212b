// No exception may leave public functions that return a Result, while each allocation in turn fails and while the
// system refuses folders.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/cache.h"
#include "kmux/compile.h"
#include "kmux/dispatch_json.h"
#include "kmux/export_library.h"
#include "kmux/jit.h"
#include "kmux/json.h"
#include "kmux/kernel_attributes.h"
#include "kmux/npy.h"
#include "kmux/par_compile.h"
#include "kmux/program.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/text.h"
#include "kmux/validate.h"

#include "temp_folder.h"

namespace {

constinit thread_local int allowed = -1;  // allocations of this thread until one fails; negative: none fails
constinit thread_local bool all_fail = false;  // true if all later ones fail, not only the next
constinit thread_local bool has_failed = false;

}  // namespace

void* operator new(std::size_t bytes) {
  if (allowed == 0) {
    has_failed = true;
    if (!all_fail) allowed = -1;
    throw std::bad_alloc();
  }
  if (allowed > 0) --allowed;
  if (void* const memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText =
    "//! kmux\n//! kernel scale(x: f32[n], out y: f32[n])\n//!   launch scale(x, y, n: i64)\n";
constexpr const char* kSource =
    "void scale(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = 2 * x[i]; }\n";

struct Scaled {
  std::int64_t by = 2;
};
BOOST_DESCRIBE_STRUCT(Scaled, (), (by))

Program scaling() {
  ProgramBuilder builder("scale");
  builder.input("x", dtype::kFloat32, {4}).output("y", dtype::kFloat32, {4}).variant("c").source("scale.c", kSource);
  builder.launch("scale").args({"x", "y"});
  return builder.build().value();
}

/// Returns the result of `make`, an argument of a call: the caller owns it, so its allocations do not count.
template <class Make>
auto given(const Make& make) {
  const int kept = std::exchange(allowed, -1);
  auto made = make();
  allowed = kept;
  return made;
}

std::vector<std::int64_t> shape(std::int64_t extent) {
  return given([&] { return std::vector<std::int64_t>{extent}; });
}

/// A call of a public function. Returns true if it gave a value.
struct Call {
  const char* name;
  std::function<bool()> run;
};

const std::string& nothing = *new const std::string("/nothing");

class EscapesTest : public testing::Test {
 protected:
  static Shared<Runtime> runtime_in(const fs::path& cache) { return opened(cache).value(); }
  static Result<Shared<Runtime>> opened(const fs::path& cache) {
    Environment environment = given([&] { return Environment{.cache_dir = cache, .plugin_trial = "0"}; });
    return Runtime::create(std::move(environment), plugins());
  }
  static const RegistryOptions& plugins() {
    static const auto& options =
        *new const RegistryOptions{.search_path = {KMUX_TEST_PLUGIN_DIR "/null"}, .use_default_path = false};
    return options;
  }
  fs::path place(const char* name) const { return folder_.path() / name; }

  /// Returns the exceptions that escape while allocation `n` of the call fails, for every n at first, then for fewer.
  static std::vector<std::string> escaped(const Call& call) {
    std::vector<std::string> found;
    for (const bool all : {false, true}) {
      for (int n = 0; n < 3000; n += 1 + n / 8) {
        has_failed = false;
        all_fail = all;
        allowed = n;
        bool is_out = false;
        try {
          call.run();
        } catch (...) {
          is_out = true;
        }
        allowed = -1;
        if (is_out) found.push_back(std::string(call.name) + " at allocation " + std::to_string(n));
        if (!has_failed) break;
      }
    }
    return found;
  }
  static int expect_none(const std::vector<Call>& calls) {
    int count = 0;
    for (const Call& call : calls) {
      EXPECT_TRUE(call.run()) << call.name;  // initialises plugins, whose results are cached
      const std::vector<std::string> found = escaped(call);
      EXPECT_THAT(found, testing::IsEmpty());
      count += static_cast<int>(found.size());
      EXPECT_TRUE(call.run()) << call.name << ": it works as before";
    }
    return count;
  }

  TempFolder folder_{memory_folder()};
};

TEST_F(EscapesTest, NoExceptionFromPrograms) {
  const Program program = scaling();
  ProgramBuilder builder("scale");
  builder.input("x", dtype::kFloat32, {4}).variant("c").source("scale.c", kSource);
  builder.launch("scale").args({"x"});
  const std::string json = to_json(program);
  const FileReader none = [](const std::string&) { return Result<std::string>(std::string(kSource)); };
  const std::string content = std::string(kText) + kSource;
  const ProgramText text = text_in_file("scale.c", content).value();
  const std::string file = place("scale.kmux.json").string();
  ASSERT_TRUE(save_program(program, file));
  expect_none({
      {"from_json", [&] { return from_json(json, none).ok(); }},
      {"from_text", [&] { return from_text(text, none).ok(); }},
      {"check_valid", [&] { return check_valid(program).ok(); }},
      {"build a program", [&] { return builder.build().ok(); }},
      {"save_program", [&] { return save_program(program, file).ok(); }},
      {"load_program", [&] { return load_program(file).ok(); }},
      {"load_program of nothing", [&] { return !load_program(nothing).ok(); }},
  });
}

TEST_F(EscapesTest, NoExceptionFromReaders) {
  const std::string program = to_json(scaling()), content = std::string(kText) + kSource;
  const std::string signature = R"({"params": [{"name": "n", "scalar": {"dtype": "int64"}}]})";
  const std::string options = R"({"flags": "-O2 with enough text to be allocated"})";
  const ProgramText text = text_in_file("scale.c", content).value();
  const KernelText kernel{kSource, "scale(x: f32[n], out y: f32[n])"}, malformed{kSource, "scale(x: f32[n]"};
  const Expr product = Expr::symbol("a_name_that_is_long") * 3;
  const auto bound = [](std::string_view) { return std::optional<std::int64_t>(4); };
  const auto unbound = [](std::string_view) { return std::optional<std::int64_t>(); };
  expect_none({
      {"parse_json", [&] { return parse_json(program).ok(); }},
      {"parse_json of no JSON", [] { return !parse_json(R"({"a": [1, 2, {"b": x}]})").ok(); }},
      {"parse_target", [] { return parse_target("cuda:sm_90a,lanes=32").ok(); }},
      {"parse_target of options", [] { return parse_target("cuda -arch=sm_90a").ok(); }},
      {"parse_target of an object", [] { return parse_target(R"({"kind": "cuda", "arch": "sm_90"})").ok(); }},
      {"parse_target of no target", [] { return !parse_target("no target, but words").ok(); }},
      {"parse_dtype", [] { return parse_dtype("float8_e4m3fnuzx4").ok(); }},
      {"parse_dtype of no dtype", [] { return !parse_dtype("float33").ok(); }},
      {"policy_from_string", [] { return !policy_from_string("a policy that does not exist").ok(); }},
      {"isolation_from_string", [] { return !isolation_from_string("an isolation that does not exist").ok(); }},
      {"expr_from_json", [] { return expr_from_json(R"(["+", "a_name_that_is_long", 1])").ok(); }},
      {"signature_from_json", [&] { return signature_from_json(signature).ok(); }},
      {"options_from_json", [&] { return options_from_json(options).ok(); }},
      {"evaluate", [&] { return evaluate(product, bound).ok(); }},
      {"evaluate without a value", [&] { return !evaluate(product, unbound).ok(); }},
      {"format_text", [&] { return format_text(text).ok(); }},
      {"kernel_program", [&] { return kernel_program(kernel).ok(); }},
      {"kernel_program of a malformed one", [&] { return !kernel_program(malformed).ok(); }},
  });
}

TEST_F(EscapesTest, NoExceptionFromImports) {
  std::int64_t extent = 4;
  std::array<float, 4> data = {};
  const DLTensor form{data.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &extent, nullptr, 0};
  int deleted = 0;
  DLManagedTensor plain{form, &deleted, [](DLManagedTensor* self) { ++*static_cast<int*>(self->manager_ctx); }};
  DLManagedTensorVersioned versioned{{DLPACK_MAJOR_VERSION, 0}, nullptr, nullptr, 0, form};
  DLManagedTensorVersioned newer{{DLPACK_MAJOR_VERSION + 1, 0}, nullptr, nullptr, 0, form};
  bool is_caller_owner = true;  // after each failure
  const auto import = [&] {
    deleted = 0;
    const bool is_taken = Tensor::from_dlpack(&plain).ok();
    is_caller_owner = is_caller_owner && deleted == (is_taken ? 1 : 0);
    return is_taken;
  };
  DLManagedTensor* const none = nullptr;
  const Tensor tensor = Tensor::zeros({64}, dtype::kFloat32).value();
  expect_none({
      {"Tensor::from_dlpack", import},
      {"Tensor::from_dlpack of a version", [&] { return Tensor::from_dlpack(&versioned).ok(); }},
      {"Tensor::from_dlpack of a newer version", [&] { return !Tensor::from_dlpack(&newer).ok(); }},
      {"Tensor::from_dlpack of null", [&] { return !Tensor::from_dlpack(none).ok(); }},
      {"Tensor::from", [&] { return Tensor::from<float>(shape(4), dtype::kFloat32, data).ok(); }},
      {"Tensor::from of too few", [&] { return !Tensor::from<float>(shape(9), dtype::kFloat32, data).ok(); }},
      {"Tensor::pinned", [] { return !Tensor::pinned(shape(4), dtype::kFloat32, Device()).ok(); }},
      {"Tensor::used_on", [&] { return tensor.used_on({}).ok() || true; }},
  });
  EXPECT_TRUE(is_caller_owner);
}

TEST_F(EscapesTest, NoExceptionFromTensors) {
  const std::string file = place("x.npy").string();
  const Tensor tensor = Tensor::zeros({64}, dtype::kFloat32).value();
  const Tensor other = Tensor::zeros({64}, dtype::kFloat32).value();
  expect_none({
      {"Tensor::empty", [] { return Tensor::empty(shape(64), dtype::kFloat32).ok(); }},
      {"Tensor::empty of a negative size", [] { return !Tensor::empty(shape(-1), dtype::kFloat32).ok(); }},
      {"Tensor::zeros", [] { return Tensor::zeros(shape(64), dtype::kFloat32).ok(); }},
      {"Tensor::to", [&] { return tensor.to(Device()).ok(); }},
      {"Tensor::clone", [&] { return tensor.clone().ok(); }},
      {"Tensor::copy_from", [&] { return other.copy_from(tensor).ok(); }},
      {"save_npy", [&] { return save_npy(file, tensor).ok(); }},
      {"load_npy", [&] { return load_npy(file).ok(); }},
      {"load_npy of nothing", [&] { return !load_npy(nothing).ok(); }},
  });
}

TEST_F(EscapesTest, NoExceptionFromRuntimes) {
  const Program program = scaling();
  const fs::path cache = place("cache");
  const Shared<Runtime> runtime = runtime_in(cache);
  const CompileOptions options{.execution_backend = "null"}, wrong{.execution_backend = "nothing"};
  plugins();
  expect_none({
      {"Runtime::create", [&] { return opened(cache).ok(); }},
      {"Registry::open", [] { return Registry::open(plugins()).ok(); }},
      {"devices", [&] { return devices(*runtime).ok(); }},
      {"Cache::open", [&] { return Cache::open(runtime->environment()).ok(); }},
      {"Registry::plugin", [&] { return runtime->registry().plugin("null").ok(); }},
      {"Registry::plugin of nothing", [&] { return !runtime->registry().plugin("nothing").ok(); }},
      {"Registry::verify", [&] { return runtime->registry().verify().ok() || true; }},
      {"Registry::unload of nothing", [&] { return !runtime->registry().unload("nothing").ok(); }},
      {"Runtime::check_process", [&] { return runtime->check_process().ok(); }},
  });
}

TEST_F(EscapesTest, NoExceptionFromCaches) {
  const Environment environment = runtime_in(place("cache"))->environment();
  ASSERT_TRUE(build(*runtime_in(place("cache")), scaling(), {.execution_backend = "null"}));  // stored at its end
  const Cache cache = Cache::open(environment).value();
  const Cache other = Cache::open(runtime_in(place("other"))->environment()).value();
  const std::vector<CachedBuild> builds = cache.list();
  ASSERT_EQ(builds.size(), 1U);
  const PackedBuild packed = Cache::pack(builds[0]).value();
  PackedBuild damaged = packed;
  for (auto& [name, content] : damaged.files) content += "x";
  expect_none({
      {"Cache::pack", [&] { return Cache::pack(builds[0]).ok(); }},
      {"Cache::add", [&] { return other.add(packed).ok(); }},
      {"Cache::add of a damaged build", [&] { return !other.add(damaged).ok(); }},
      {"Cache::prune", [&] { return cache.prune({}).ok(); }},
  });
}

TEST_F(EscapesTest, NoExceptionFromKernels) {
  const Shared<Runtime> runtime = runtime_in(place("cache"));
  const Kernel made = compile(*runtime, scaling(), {.execution_backend = "null"}).value();
  const Tensor x = Tensor::zeros({4}, dtype::kFloat32, made.device()).value();
  const Tensor y = Tensor::zeros({4}, dtype::kFloat32, made.device()).value();
  const std::vector<Arg> inputs = {x};
  expect_none({
      {"Kernel::launch", [&] { return made.launch({x, y}).ok(); }},
      {"Kernel::launch of too few", [&] { return !made.launch({x}).ok(); }},
      {"Kernel::call", [&] { return made.call(inputs).ok() || true; }},
      {"Kernel::warm", [&] { return made.warm().ok(); }},
      {"Kernel::await_best", [&] { return made.await_best().ok(); }},
      {"Kernel::set_constant", [&] { return !made.set_constant("nothing", x).ok(); }},
      {"Kernel::tune", [&] { return !made.tune({x, y}).ok(); }},
      {"attributes", [&] { return attributes(made).ok() || true; }},
      {"Device::properties", [&] { return made.device().properties().ok() || true; }},
      {"Device::synchronize", [&] { return made.device().synchronize().ok(); }},
      {"Stream::create", [&] { return Stream::create(made.device()).ok() || true; }},
      {"Event::create", [&] { return Event::create(made.device()).ok() || true; }},
  });
}

TEST_F(EscapesTest, NoExceptionFromCompilation) {
  const Shared<Runtime> runtime = runtime_in(place("cache"));
  const Program program = scaling();
  const CompileOptions options{.execution_backend = "null"}, wrong{.execution_backend = "nothing"};
  CompileOptions fresh = options;
  fresh.use_cache = false;
  const std::vector<Program> programs = {program, program};
  expect_none({
      {"compile", [&] { return compile(*runtime, program, options).ok(); }},
      {"compile for nothing", [&] { return !compile(*runtime, program, wrong).ok(); }},
      {"compile anew", [&] { return compile(*runtime, program, fresh).ok(); }},
      {"build anew", [&] { return build(*runtime, program, fresh).ok(); }},
      {"kernel", [&] { return kernel(*runtime, KernelText{kSource, kText}, fresh).ok() || true; }},
      {"par_compile", [&] { return par_compile(*runtime, programs, fresh).ok(); }},
      {"wrap", [&] { return wrap(*runtime, program, options).ok(); }},
      {"build", [&] { return build(*runtime, program, options).ok(); }},
      {"export_library", [&] { return !export_library(*runtime, program, {}).ok(); }},
  });
}

TEST_F(EscapesTest, NoExceptionFromJit) {
  const Shared<Runtime> runtime = runtime_in(place("cache"));
  const auto describe = [](const Scaled&) { return scaling(); };
  const auto kernels = jit(describe, {.execution_backend = "null"}, {.runtime = runtime});
  const NamedValues named{{"by", 3}}, wrong{{"nothing", 3}};
  expect_none({
      {"a lazy call", [&] { return kernels().ok(); }},
      {"a lazy call by names", [&] { return kernels(named).ok(); }},
      {"a lazy call by wrong names", [&] { return !kernels(wrong).ok(); }},
      {"program of a lazy call", [&] { return kernels.program().ok(); }},
      {"key of a lazy call", [&] { return kernels.parse_cache_key(named).ok(); }},
      {"initialize_jit_mode", [&] { return kernels.initialize_jit_mode().ok(); }},
  });
}

TEST_F(EscapesTest, OutOfMemoryIsNotCachedForPlugins) {
  const fs::path cache = place("cache");
  const Program program = scaling();
  CompileOptions fresh{.execution_backend = "null"};
  fresh.use_cache = false;
  std::vector<std::string> refused;
  const auto compile_twice = [&] {
    const auto runtime = opened(cache);
    if (!runtime) return false;
    static_cast<void>(compile(**runtime, program, fresh));
    const Result<Kernel> made = given([&] { return compile(**runtime, program, fresh); });
    if (!made) refused.push_back(given([&] { return made.error().explain(); }));
    return made.ok();
  };
  expect_none({{"the first compile of a runtime", compile_twice}});
  EXPECT_THAT(refused, testing::IsEmpty());
}

/// Runs `body` in a child without root privileges whose working directory is deleted. Returns its exit code.
int in_a_poor_place(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::string pattern = "/tmp/kmux-gone-XXXXXX";
    const char* const gone = ::mkdtemp(pattern.data());
    const bool is_there = gone != nullptr && ::chdir(gone) == 0 && ::rmdir(gone) == 0;
    if (!is_there || (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0)) std::_Exit(99);
    int code = 98;  // an exception escaped
    try {
      code = body();
    } catch (...) {
    }
    std::_Exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(EscapesTest, NoExceptionForInaccessibleFolders) {
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0711), 0);
  fs::create_directory(place("closed"));
  ASSERT_EQ(::chmod(place("closed").c_str(), ::geteuid() == 0 ? 0700 : 0), 0);
  const std::string closed = (place("closed") / "a/b").string();
  const std::string loop = place("loop").string();
  ASSERT_EQ(::symlink(loop.c_str(), loop.c_str()), 0);
  const Program program = scaling();
  for (const std::string& place : {closed, loop, std::string("relative"), std::string(300, 'x')}) {
    EXPECT_EQ(in_a_poor_place([&] {
                const auto runtime = opened(place);
                if (!runtime) return 1;
                return compile(**runtime, program, {.execution_backend = "null"}) ? 0 : 2;
              }),
              0)
        << place << ": nothing is cached, and that is all";
    EXPECT_EQ(in_a_poor_place([&] {
                const CompileOptions options{.execution_backend = "null", .include_dirs = {place}};
                const bool refused = !load_program(place) && !load_npy(place) &&
                                     !save_program(program, place + "/p.json") &&
                                     !save_npy(place + "/x.npy", Tensor::zeros({4}, dtype::kFloat32).value());
                static_cast<void>(compile(*opened(place).value(), program, options));
                return refused ? 0 : 1;
              }),
              0)
        << place;
  }
  ::chmod(place("closed").c_str(), 0700);
}

}  // namespace
}  // namespace kmux
