// SPDX-License-Identifier: Apache-2.0
#include "allowed_flags.h"

#include <algorithm>
#include <span>

#include "kmux/plugin/compiler_flags.h"

namespace kmux::cpu {
namespace {

using Words = std::span<const std::string_view>;

// Flags -fNAME, each with its opposite -fno-NAME.
constexpr std::string_view kSwitches[] = {
    // Arithmetic.
    "approx-func", "associative-math", "cx-fortran-rules", "cx-limited-range", "fast-math", "finite-math-only",
    "fp-int-builtin-inexact", "honor-infinities", "honor-nans", "math-errno", "reciprocal-math", "rounding-math",
    "signaling-nans", "signed-zeros", "single-precision-constant", "trapping-math", "unsafe-math-optimizations",
    "wrapv", "wrapv-pointer",
    // Assumptions and passes of the optimizer.
    "builtin", "delete-null-pointer-checks", "finite-loops", "gcse", "if-conversion", "inline", "inline-functions",
    "inline-functions-called-once", "inline-small-functions", "ivopts", "jump-tables", "merge-all-constants",
    "omit-frame-pointer", "optimize-sibling-calls", "peel-loops", "prefetch-loop-arrays", "rename-registers",
    "schedule-insns", "schedule-insns2", "slp-vectorize", "split-loops", "split-wide-types", "strict-aliasing",
    "strict-enums", "strict-overflow", "strict-return", "tree-loop-distribution", "tree-loop-im", "tree-loop-vectorize",
    "tree-pre", "tree-slp-vectorize", "tree-vectorize", "unroll-all-loops", "unroll-loops", "unswitch-loops",
    "vectorize", "web",
    // The language.
    "aligned-allocation", "aligned-new", "asm", "char8_t", "concepts", "coroutines", "cxx-exceptions", "declspec",
    "digraphs", "dollars-in-identifiers", "exceptions", "fixed-point", "freestanding", "gnu-keywords", "gnu89-inline",
    "hosted", "lax-vector-conversions", "ms-extensions", "openmp", "openmp-simd", "operator-names", "permissive",
    "rtti", "signed-bitfields", "signed-char", "sized-deallocation", "strict-vtable-pointers", "threadsafe-statics",
    "unsigned-bitfields", "unsigned-char",
    // Code layout and linkage.
    "asynchronous-unwind-tables", "common", "data-sections", "function-sections", "pic", "pie", "plt", "PIC", "PIE",
    "semantic-interposition", "stack-protector", "stack-protector-all", "stack-protector-strong",
    "unique-section-names", "unwind-tables", "visibility-inlines-hidden", "zero-initialized-in-bss"};

constexpr std::string_view kContractions[] = {"fast", "on", "off", "fast-honor-pragmas"};
constexpr std::string_view kDenormals[] = {"ieee", "preserve-sign", "positive-zero", "dynamic"};
constexpr std::string_view kModels[] = {"precise", "strict", "fast", "aggressive"};
constexpr std::string_view kTraps[] = {"ignore", "maytrap", "strict"};
constexpr std::string_view kEvaluations[] = {"source", "double", "extended"};
constexpr std::string_view kPrecisions[] = {"standard", "fast", "16", "none"};
constexpr std::string_view kComplex[] = {"full", "basic", "improved", "promoted"};
constexpr std::string_view kVisibilities[] = {"default", "hidden", "internal", "protected"};
constexpr std::string_view kInitial[] = {"uninitialized", "zero", "pattern"};
constexpr std::string_view kTlsModels[] = {"global-dynamic", "local-dynamic", "initial-exec", "local-exec"};
constexpr std::string_view kBranches[] = {"none", "branch", "return", "full"};
constexpr std::string_view kConversions[] = {"none", "integer", "all"};
constexpr std::string_view kCosts[] = {"unlimited", "dynamic", "cheap", "very-cheap"};
constexpr std::string_view kLibraries[] = {"none", "libmvec", "SVML", "SLEEF"};

constexpr ValuedFlag words(std::string_view begin, Words list) { return {begin, FlagValue::kWord, list}; }
constexpr ValuedFlag name(std::string_view begin) { return {begin, FlagValue::kName}; }

constexpr ValuedFlag kValued[] = {words("-ffp-contract=", kContractions),
                                  words("-fdenormal-fp-math=", kDenormals),
                                  words("-fdenormal-fp-math-f32=", kDenormals),
                                  words("-ffp-model=", kModels),
                                  words("-ffp-exception-behavior=", kTraps),
                                  words("-ffp-eval-method=", kEvaluations),
                                  words("-fexcess-precision=", kPrecisions),
                                  words("-fcomplex-arithmetic=", kComplex),
                                  words("-fvisibility=", kVisibilities),
                                  words("-ftrivial-auto-var-init=", kInitial),
                                  words("-ftls-model=", kTlsModels),
                                  words("-fcf-protection=", kBranches),
                                  words("-flax-vector-conversions=", kConversions),
                                  words("-fvect-cost-model=", kCosts),
                                  words("-fsimd-cost-model=", kCosts),
                                  words("-fveclib=", kLibraries),
                                  {"-falign-functions="},
                                  {"-falign-loops="},
                                  {"-fconstexpr-depth="},
                                  {"-ftemplate-depth="},
                                  {"-ferror-limit="},
                                  {"-fmax-errors="},
                                  {"-ftemplate-backtrace-limit="},
                                  {"-fconstexpr-backtrace-limit="},
                                  {"-mprefer-vector-width="},
                                  {"-mstack-alignment="},
                                  {"-mpreferred-stack-boundary="},
                                  name("-march="),
                                  name("-mcpu="),
                                  name("-mtune="),
                                  name("-mfpmath="),
                                  name("-mcmodel="),
                                  name("-mrecip="),
                                  name("-mbranch-protection="),
                                  name("-std=")};

// Instruction-set flags -mNAME, each with its opposite -mno-NAME.
constexpr std::string_view kMachine[] = {"3dnow",
                                         "3dnowa",
                                         "adx",
                                         "aes",
                                         "amx-bf16",
                                         "amx-complex",
                                         "amx-fp16",
                                         "amx-int8",
                                         "amx-tile",
                                         "avx",
                                         "avx2",
                                         "avx512bf16",
                                         "avx512bitalg",
                                         "avx512bw",
                                         "avx512cd",
                                         "avx512dq",
                                         "avx512er",
                                         "avx512f",
                                         "avx512fp16",
                                         "avx512ifma",
                                         "avx512pf",
                                         "avx512vbmi",
                                         "avx512vbmi2",
                                         "avx512vl",
                                         "avx512vnni",
                                         "avx512vp2intersect",
                                         "avx512vpopcntdq",
                                         "avxifma",
                                         "avxneconvert",
                                         "avxvnni",
                                         "avxvnniint16",
                                         "avxvnniint8",
                                         "bmi",
                                         "bmi2",
                                         "clflushopt",
                                         "clwb",
                                         "crc32",
                                         "cx16",
                                         "daz-ftz",
                                         "evex512",
                                         "f16c",
                                         "fma",
                                         "fma4",
                                         "fsgsbase",
                                         "general-regs-only",
                                         "gfni",
                                         "lwp",
                                         "lzcnt",
                                         "mmx",
                                         "movbe",
                                         "movdir64b",
                                         "movdiri",
                                         "omit-leaf-frame-pointer",
                                         "outline-atomics",
                                         "pclmul",
                                         "popcnt",
                                         "prfchw",
                                         "ptwrite",
                                         "rdpid",
                                         "rdrnd",
                                         "rdseed",
                                         "recip",
                                         "red-zone",
                                         "sahf",
                                         "serialize",
                                         "sha",
                                         "sha512",
                                         "shstk",
                                         "sm3",
                                         "sm4",
                                         "sse",
                                         "sse2",
                                         "sse3",
                                         "sse4",
                                         "sse4.1",
                                         "sse4.2",
                                         "sse4a",
                                         "ssse3",
                                         "stackrealign",
                                         "strict-align",
                                         "tbm",
                                         "unaligned-access",
                                         "vaes",
                                         "vpclmulqdq",
                                         "vzeroupper",
                                         "xop",
                                         "xsave",
                                         "xsavec",
                                         "xsaveopt",
                                         "xsaves"};

constexpr std::string_view kWhole[] = {"-w",        "-pedantic", "-pedantic-errors",
                                       "-g",        "-g0",       "-g1",
                                       "-g2",       "-g3",       "-ggdb",
                                       "-gdwarf-4", "-gdwarf-5", "-gline-tables-only",
                                       "-O",        "-O0",       "-O1",
                                       "-O2",       "-O3",       "-Os",
                                       "-Oz",       "-Og",       "-Ofast",
                                       "-W"};

// Flags with arbitrary text: a macro is text of the program, and a folder is only searched.
constexpr std::string_view kWithText[] = {"-D", "-U", "-I"};

bool has(Words list, std::string_view word) { return std::ranges::find(list, word) != list.end(); }

std::string_view without(std::string_view prefix, std::string_view text) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// Also accepts -fno-builtin-NAME, where NAME is a function of the C library.
bool is_switch(std::string_view flag) {
  constexpr std::string_view kBuiltin = "-fno-builtin-", kOfNames = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (flag.starts_with(kBuiltin)) return flag.find_first_not_of(kOfNames, kBuiltin.size()) == flag.npos;
  return flag.starts_with("-f") && has(kSwitches, without("no-", flag.substr(2)));
}

bool is_of_machine(std::string_view flag) {
  return flag.starts_with("-m") && has(kMachine, without("no-", flag.substr(2)));
}

}  // namespace

bool is_allowed_flag(std::string_view flag) {
  return FlagList{kWhole, kWithText, kValued}.contains(flag) || is_switch(flag) || is_of_machine(flag) ||
         is_warning_flag(flag);
}

}  // namespace kmux::cpu
