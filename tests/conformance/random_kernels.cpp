// random_kernels [--backend NAME] [--first SEED] [--kernels N] [--processes P] [--write FILE | --expect FILE]
//
// Runs the random kernels of random_kernel.h through a backend of the runtime and compares them with the same kernels
// in C; by default 3,000 from seed 0 on through nvrtc. --write FILE writes backend cpu's results of the C, a line "SEED
// SUM" per kernel. --expect FILE compares with such lines instead, so a machine with a GPU needs neither backend cpu
// nor Clang. P processes share the programs of a run; each takes every P-th. Exits with 1 if a kernel is wrong or
// cannot be run.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

#include "kmux/compile.h"
#include "kmux/kernel.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "random_kernel.h"

namespace kmux::cpu {
namespace {

struct Run {
  std::string backend = "nvrtc";
  unsigned first = 0;
  unsigned kernels = 3000;
  unsigned processes = 1;
  std::string write;
  std::string expect;
};

bool read_number(const std::string& text, unsigned& number) {
  return std::from_chars(text.data(), text.data() + text.size(), number).ptr == text.data() + text.size() &&
         !text.empty();
}

std::optional<Run> parse(int argc, char** argv) {
  Run run;
  const std::map<std::string, std::string*> texts = {
      {"--backend", &run.backend}, {"--write", &run.write}, {"--expect", &run.expect}};
  const std::map<std::string, unsigned*> numbers = {
      {"--first", &run.first}, {"--kernels", &run.kernels}, {"--processes", &run.processes}};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return std::nullopt;
    const auto text = texts.find(argv[i]);
    const auto number = numbers.find(argv[i]);
    if (text != texts.end()) {
      *text->second = argv[i + 1];
    } else if (number == numbers.end() || !read_number(argv[i + 1], *number->second)) {
      return std::nullopt;
    }
  }
  const bool is_sound = run.processes > 0 && (run.write.empty() || (run.expect.empty() && run.processes == 1));
  return is_sound ? std::optional(run) : std::nullopt;
}

using Numbers = std::vector<unsigned>;

// Returns the FNV-1a sum of the numbers' bytes.
std::uint64_t sum_of(const Numbers& numbers) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const unsigned number : numbers) {
    for (int shift = 0; shift < 32; shift += 8) sum = (sum ^ ((number >> shift) & 0xff)) * 0x100000001b3U;
  }
  return sum;
}

// Returns the output of each kernel of `kernels`, run as `program` by `backend`.
Result<std::vector<Numbers>> results(const RandomProgram& kernels, const Program& program, const std::string& backend,
                                     const Options& options) {
  KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
  KMUX_ASSIGN(const Kernel kernel,
              compile(*runtime, program,
                      {.execution_backend = backend, .options = options, .compile_flags = {"-w"}, .use_cache = false}));
  std::vector<Arg> args = {Arg(1)};
  std::vector<Tensor> inputs, outputs;
  for (unsigned i = 0; i < kernels.size(); ++i) {
    const Numbers x = kernels.input(i), none(kernels.threads(i), 0xa5a5a5a5U);
    KMUX_ASSIGN(const Tensor in, Tensor::from<unsigned>({std::ssize(x)}, dtype::kUInt32, x));
    KMUX_ASSIGN(const Tensor out, Tensor::from<unsigned>({std::ssize(none)}, dtype::kUInt32, none));
    KMUX_ASSIGN(inputs.emplace_back(), in.to(kernel.device()));
    KMUX_ASSIGN(outputs.emplace_back(), out.to(kernel.device()));
  }
  for (unsigned i = 0; i < kernels.size(); ++i) args.insert(args.end(), {inputs[i], outputs[i]});  // Arg refers to them
  KMUX_TRY(kernel.launch(args));
  std::vector<Numbers> all;
  for (const Tensor& output : outputs) {
    KMUX_ASSIGN(const Tensor host, output.to({}));
    all.emplace_back(host.data_as<unsigned>(), host.data_as<unsigned>() + host.element_count());
  }
  return all;
}

Result<std::vector<Numbers>> meant(const RandomProgram& kernels) {
  return results(kernels, kernels.c(), "cpu", {{"opt_level", "0"}});
}

using Sums = std::map<unsigned, std::uint64_t>;

Sums read_sums(const std::string& path) {
  Sums sums;
  std::ifstream file(path);
  unsigned seed = 0;
  for (std::uint64_t sum = 0; file >> seed >> std::hex >> sum >> std::dec;) sums[seed] = sum;
  return sums;
}

/// Counts of the compared kernels of a run, and of those that were wrong or could not be run.
struct Verdict {
  unsigned compared = 0;
  unsigned wrong = 0;
};

// Returns the sums that `kernels` must have: `known` with --expect, otherwise computed from the C.
Result<Sums> wanted_of(const RandomProgram& kernels, const Run& run, const Sums& known) {
  if (!run.expect.empty()) return known;
  KMUX_ASSIGN(const std::vector<Numbers> numbers, meant(kernels));
  Sums sums;
  for (unsigned i = 0; i < kernels.size(); ++i) sums[kernels.first() + i] = sum_of(numbers[i]);
  return sums;
}

Verdict failed(const RandomProgram& kernels, const Error& error) {
  std::printf("seeds %u to %u: %s\n", kernels.first(), kernels.first() + kernels.size() - 1, error.explain().c_str());
  return {kernels.size(), kernels.size()};
}

Verdict compare(const RandomProgram& kernels, const Run& run, const Sums& known) {
  const auto wanted = wanted_of(kernels, run, known);
  if (!wanted) return failed(kernels, wanted.error());
  const auto got = results(kernels, kernels.cuda(), run.backend, {});
  if (!got) return failed(kernels, got.error());
  Verdict verdict;
  for (unsigned i = 0; i < kernels.size(); ++i) {
    const unsigned seed = kernels.first() + i;
    const auto sum = wanted->find(seed);
    ++verdict.compared;
    if (sum != wanted->end() && sum->second == sum_of((*got)[i])) continue;
    ++verdict.wrong;
    std::printf("seed %u is wrong by backend %s%s:\n%s\n", seed, run.backend.c_str(),
                sum == wanted->end() ? " (nothing is expected of it)" : "", kernels.kernel(i).cuda().c_str());
  }
  return verdict;
}

// Calls `visit` with the programs of process `index`: every `run.processes`-th, beginning with it.
template <class Visit>
void for_each_program(const Run& run, unsigned index, Visit visit) {
  const unsigned end = run.first + run.kernels;
  unsigned number = 0;
  for (unsigned seed = run.first; seed < end; ++number) {
    const RandomProgram kernels = RandomProgram::from(seed, end);
    if (number % run.processes == index) visit(kernels);
    seed += kernels.size();
  }
}

int compare_share(const Run& run, const Sums& known, unsigned index) {
  Verdict all;
  for_each_program(run, index, [&](const RandomProgram& kernels) {
    const Verdict verdict = compare(kernels, run, known);
    all.compared += verdict.compared, all.wrong += verdict.wrong;
  });
  std::printf("process %u: %u kernels of seeds %u to %u through backend %s, %u wrong\n", index, all.compared, run.first,
              run.first + run.kernels - 1, run.backend.c_str(), all.wrong);
  std::fflush(stdout);
  return all.wrong == 0 ? 0 : 1;
}

int write_all(const Run& run) {
  std::ofstream file(run.write);
  int status = 0;
  for_each_program(run, 0, [&](const RandomProgram& kernels) {
    const auto numbers = meant(kernels);
    if (!numbers) return void(failed(kernels, numbers.error()).wrong), void(status = 1);
    for (unsigned i = 0; i < kernels.size(); ++i) {
      file << kernels.first() + i << ' ' << std::hex << sum_of((*numbers)[i]) << std::dec << '\n';
    }
  });
  return file.flush() ? status : 1;
}

// Each process opens its own runtime, because drivers do not survive a fork.
int compare_in_processes(const Run& run) {
  const Sums known = run.expect.empty() ? Sums() : read_sums(run.expect);
  if (run.processes == 1) return compare_share(run, known, 0);
  for (unsigned i = 0; i < run.processes; ++i) {
    const pid_t child = fork();
    if (child < 0) return std::perror("fork"), 1;
    if (child == 0) _exit(compare_share(run, known, i));
  }
  int status = 0, all = 0;
  while (wait(&status) > 0) all |= WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  std::printf("%u kernels from seed %u on through backend %s in %u processes: %s\n", run.kernels, run.first,
              run.backend.c_str(), run.processes, all == 0 ? "all right" : "some wrong");
  return all;
}

}  // namespace
}  // namespace kmux::cpu

int main(int argc, char** argv) {
  const auto run = kmux::cpu::parse(argc, argv);
  if (!run) {
    std::fputs(
        "usage: random_kernels [--backend NAME] [--first SEED] [--kernels N] [--processes P]\n"
        "                      [--write FILE | --expect FILE]\n",
        stderr);
    return 2;
  }
  return run->write.empty() ? kmux::cpu::compare_in_processes(*run) : kmux::cpu::write_all(*run);
}
