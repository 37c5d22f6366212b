#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <unistd.h>

#include "kmux/compile.h"
#include "kmux/json.h"
#include "kmux/plugin/process.h"
#include "kmux/program.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "bursts.h"
#include "nvidia/bare_nvrtc.h"
#include "nvidia/call_programs.h"
#include "nvidia/missing.h"
#include "nvidia/places.h"

namespace kmux::bench {
namespace {

namespace fs = std::filesystem;

// Returns a different program for each `number`, which no earlier compilation helps.
Program numbered(Program program, int number) {
  program.variants[0].sources[0].content += "\n// " + std::to_string(number) + "\n";
  return program;
}

BuildResult built(const Program& program) {
  CompileOptions options{.target = "cuda:sm_90a", .execution_backend = "nvrtc", .use_cache = false};
  options.include_dirs = places().headers;
  return build(program, options).value();
}

// Returns the options that the plugin passed to NVRTC; NVRTC's own cache is off on both sides.
std::vector<std::string> options_of(const BuildResult& result) {
  const Json meta = parse_json(*result.artifact.find("meta.json")).value();
  std::vector<std::string> options = {"--no-cache"};
  for (const Json& option : *meta.find("arguments")->as_array()) options.push_back(*option.as_string());
  return options;
}

std::string text_of(const Program& program) {
  const Variant& variant = program.variants[0];
  std::string text;
  for (const std::string& prelude : variant.settings.preludes) text += "#include <" + prelude + ">\n";
  return text + variant.sources[0].content;
}

double compile_ratio(const Program& program, int rounds) {
  const std::vector<std::string> options = options_of(built(numbered(program, -1)));
  const BareNvrtc nvrtc(open_nvrtc());
  nvrtc.compile(text_of(numbered(program, -2)), options);
  built(numbered(program, -3));
  int number = 0;
  const Pairs pairs = in_turns(
      rounds, [&] { return milliseconds_of([&] { built(numbered(program, ++number)); }); },
      [&] { return milliseconds_of([&] { nvrtc.compile(text_of(numbered(program, ++number)), options); }); });
  std::fprintf(stderr, "  %.2f ms against %.2f ms\n", median(pairs.ours), median(pairs.theirs));
  return pairs.ratio();
}

double nvrtc_compile_ratio_small() { return compile_ratio(add_program(), 101); }

double nvrtc_compile_ratio_gemm() {
  const fs::path path = places().root / "tests/data/tilelang/gemm_f16/gemm_f16.kmux.json";
  return compile_ratio(load_program(path).value(), 15);
}

// The process of process_start_ratio. Returns 0 if the result is right.
int first_call(const std::vector<std::string>&) {
  const Kernel kernel = compile(add_program(), {.execution_backend = "nvrtc"}).value();
  const Tensor ones = Tensor::from<float>({4}, dtype::kFloat32, std::array{1.0F, 1.0F, 1.0F, 1.0F}).value();
  const Tensor a = ones.to(kernel.device()).value();
  const Tensor sum = kernel(a, a).and_then(single).value().to(Device{}).value();
  return sum.data_as<float>()[3] == 2.0F ? 0 : 1;
}

std::string missing_headers() {
  const auto has = [](const fs::path& folder) { return fs::exists(folder / "tl_templates"); };
  return std::ranges::any_of(places().headers, has) ? "" : "no headers of TileLang (--headers, or kmux.sh test)";
}

double process_start_ratio() {
  const fs::path folder = fs::temp_directory_path() / ("kmux-start-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const BuildResult result = built(add_program());
  std::ofstream(folder / "add.cubin", std::ios::binary) << *result.artifact.find("code");
  const auto start = [&](std::vector<std::string> words) {
    return milliseconds_of([&] {
      const auto done = run({.argv = std::move(words), .environment = {{"KMUX_CACHE_DIR", folder / "cache"}}}).value();
      if (done.exit_code != 0) throw std::runtime_error(done.standard_error + done.standard_output);
    });
  };
  const std::vector<std::string> ours = child_command("first_call");
  const std::vector<std::string> theirs = {places().programs / "bare_start", folder / "add.cubin"};
  start(ours);
  start(theirs);
  const Pairs pairs = in_turns(15, [&] { return start(ours); }, [&] { return start(theirs); });
  std::fprintf(stderr, "  %.1f ms against %.1f ms\n", median(pairs.ours), median(pairs.theirs));
  fs::remove_all(folder);
  return pairs.ratio();
}

CHILD("first_call", first_call);

/// kmux::build with the cache off / bare NVRTC on the same text and options.
BAR("nvrtc_compile_ratio_small", "ratio", at_most(1.1), nvrtc_compile_ratio_small);

/// The same for TileLang's GEMM, whose headers are compiled in advance from the third build on.
BAR("nvrtc_compile_ratio_gemm", "ratio", at_most(1.1), nvrtc_compile_ratio_gemm, {.missing = missing_headers});

/// A fresh process to its first result out of a warm cache / a program that loads the cubin and launches.
BAR("process_start_ratio", "ratio", at_most(1.3), process_start_ratio, {.missing = missing_device});

}  // namespace
}  // namespace kmux::bench
