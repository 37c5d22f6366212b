#include "regress/cold_cases.h"

#include <memory>
#include <string>

#include "kmux/compile.h"
#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/program.h"
#include "kmux/resolver.h"

#include "cold_kernel.h"
#include "regress/references.h"
#include "regress/runtimes.h"

namespace kmux::regress {
namespace {

const std::filesystem::path kGemm = KMUX_TEST_DATA_DIR "/tilelang/gemm";

CompileOptions in_fast_tier(bool use_cache) {
  return {.execution_backend = "cpu", .options = {{"tier", "fast"}}, .use_cache = use_cache};
}

Error wrong(const char* what) { return make_error(ErrorCode::kInternal, what); }

/// Returns a burst of `step()`, which must return a Status.
template <class Step>
Burst burst_of(Step step) {
  return [step = std::move(step)](int times) mutable -> Status {
    for (int i = 0; i < times; ++i) KMUX_TRY(step());
    return Ok{};
  };
}

}  // namespace

Duel resolve_three(const std::filesystem::path&) {
  const auto program = std::make_shared<Program>(load_program(kGemm / "gemm.kmux.json").value());
  return {burst_of([program, runtime = null_runtime()]() -> Status {
            if (resolve(*runtime, *program, {}).chosen() == nullptr) return wrong("nothing was chosen");
            return Ok{};
          }),
          heap_reference()};
}

Duel wrap_launcher(const std::filesystem::path&) {
  const CompileOptions options = in_fast_tier(false);
  return {burst_of([options, runtime = cacheless_runtime(), program = bench::small_program(0)]() -> Status {
            KMUX_TRY(wrap(*runtime, program, options));
            return Ok{};
          }),
          heap_reference()};
}

Duel deserialise(const std::filesystem::path&) {
  const std::string text = read_file(kGemm / "gemm.kmux.json").value();
  const std::string source = read_file(kGemm / "gemm.cpp").value();
  return {burst_of([text, source]() -> Status {
            KMUX_TRY(from_json(text, [&](const std::string&) -> Result<std::string> { return source; }));
            return Ok{};
          }),
          heap_reference()};
}

Duel hit_memory(const std::filesystem::path& folder) {
  const auto runtime = caching_runtime(folder / "cache");
  const auto program = std::make_shared<Program>(bench::small_program(0));
  compile(*runtime, *program, in_fast_tier(true)).value();
  return {burst_of([runtime, program, options = in_fast_tier(true)]() -> Status {
            KMUX_TRY(compile(*runtime, *program, options));
            return Ok{};
          }),
          heap_reference()};
}

Duel hit_disk(const std::filesystem::path& folder) {
  const auto runtime = caching_runtime(folder / "cache");
  const auto program = std::make_shared<Program>(bench::small_program(0));
  build(*runtime, *program, in_fast_tier(true)).value();
  return {burst_of([runtime, program, options = in_fast_tier(true)]() -> Status {
            KMUX_ASSIGN(const BuildResult built, build(*runtime, *program, options));
            return built.from_cache ? Status(Ok{}) : Status(wrong("it was not in the cache"));
          }),
          file_reference(folder)};
}

Duel cold_compile(const std::filesystem::path&) {
  return {burst_of([runtime = cacheless_runtime(), number = 0]() mutable -> Status {
            KMUX_TRY(compile(*runtime, bench::small_program(++number), in_fast_tier(false)));
            return Ok{};
          }),
          heap_reference()};
}

}  // namespace kmux::regress
