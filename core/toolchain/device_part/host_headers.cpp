#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "kmux/plugin/device_part.h"
#include "kmux/plugin/file_io.h"

namespace kmux {
namespace {

// Separated by blanks. Entries that end in a slash are folders.
constexpr std::string_view kHostHeaders =
    // C++
    "any barrier bitset cctype cerrno cfenv charconv chrono clocale codecvt condition_variable coroutine csetjmp "
    "csignal cstdarg "
    "ctime cuchar cwchar cwctype deque exception execution expected filesystem format forward_list fstream future "
    "iomanip ios "
    "iosfwd iostream istream latch list locale map memory memory_resource mutex ostream print queue random ranges "
    "regex "
    "scoped_allocator semaphore set shared_mutex source_location spanstream sstream stack stdexcept stop_token "
    "streambuf string "
    "string_view syncstream system_error thread typeindex typeinfo unordered_map unordered_set valarray vector version "
    // C, operating systems
    "conio.h ctype.h direct.h dirent.h dlfcn.h emmintrin.h errno.h fcntl.h fenv.h getopt.h immintrin.h io.h libgen.h "
    "locale.h "
    "malloc.h memory.h mpi.h omp.h process.h pthread.h sched.h setjmp.h signal.h stdarg.h strings.h sys/io.h "
    "sys/ioctl.h "
    "sys/mman.h sys/param.h sys/resource.h sys/socket.h sys/stat.h sys/time.h sys/timeb.h sys/utsname.h sys/wait.h "
    "termios.h "
    "time.h tmmintrin.h unistd.h windows.h Windows.h wchar.h x86intrin.h xmmintrin.h bits/stdc++.h "
    // CUDA libraries called by the host, and headers that CUDA's samples ship
    "cublas.h cublasLt.h cublasXt.h cublas_api.h cublas_v2.h cudaGL.h cudaProfiler.h cuda_egl_interop.h "
    "cuda_gl_interop.h "
    "cuda_profiler_api.h cudnn.h cufft.h cufftXt.h cufftw.h curand.h cusolverDn.h cusolverMg.h cusolverRf.h "
    "cusolverSp.h "
    "cusolver_common.h cusparse.h cusparse_v2.h cutensor.h cutil.h cutil_inline.h driver_functions.h "
    "drvapi_error_string.h "
    "helper_cuda.h helper_cuda_drvapi.h helper_cusolver.h helper_functions.h helper_gl.h helper_image.h "
    "helper_multiprocess.h "
    "helper_string.h helper_timer.h nccl.h npp.h nvToolsExt.h nvToolsExtCuda.h nvjpeg.h nvml.h nvrtc.h nvtx3/ "
    "sdkHelper.h "
    "shrUtils.h "
    // their HIP equivalents
    "hipblas.h hipblas/ hipfft.h hipfft/ hiprand/hiprand.h hipsolver/ hipsparse/ rccl/ rocblas.h rocblas/ "
    // others
    "GL/ GLFW/ SDL/ SDL2/ THC/ boost/ benchmark/ fmt/ gflags/ glog/ gmock/ gtest/ opencv/ opencv2/ pybind11/ spdlog/ ";

// Headers that a device may use, with the names that it then mentions.
struct MentionedHeader {
  std::string_view name;
  std::string_view words;
};
constexpr std::array<MentionedHeader, 11> kMentionedHeaders = {{
    {"ATen/", "at"},
    {"Eigen/", "Eigen"},
    {"atomic", "atomic atomic_ref atomic_flag"},
    {"c10/", "c10"},
    {"complex", "complex"},
    {"cub/", "cub"},
    {"optional", "optional nullopt make_optional"},
    {"thrust/", "thrust"},
    {"torch/", "torch"},
    {"tuple", "tuple make_tuple tie get apply forward_as_tuple ignore tuple_cat tuple_element tuple_size"},
    {"variant", "variant visit get_if holds_alternative monostate"},
}};

// Headers that host libraries include, selected by a part of the names used. A library that includes another comes
// first.
struct HeaderWithin {
  std::string_view library;  // prefix of the name of its header
  std::string_view header;
  std::string_view part;
};
constexpr std::array<HeaderWithin, 12> kHeadersWithin = {{
    {"cublas", "cuda_bf16.h", "bfloat16"},
    {"cublas", "cuda_fp16.h", "half"},
    {"ATen/", "cuda_bf16.h", "bfloat16"},
    {"ATen/", "cuda_fp16.h", "half"},
    {"c10/", "cuda_bf16.h", "bfloat16"},
    {"c10/", "cuda_fp16.h", "half"},
    {"torch/", "cuda_bf16.h", "bfloat16"},
    {"torch/", "cuda_fp16.h", "half"},
    {"cublas", "cuComplex.h", "Complex"},
    {"cufft", "cuComplex.h", "Complex"},
    {"cusolver", "cuComplex.h", "Complex"},
    {"cusparse", "cuComplex.h", "Complex"},
}};

bool is_named(std::string_view header, std::string_view entry) {
  return entry.ends_with('/') ? header.starts_with(entry) : header == entry;
}

bool is_listed(std::string_view header) {
  for (std::string_view rest = kHostHeaders; !rest.empty();) {
    const std::size_t end = rest.find(' ');
    if (is_named(header, rest.substr(0, end))) return true;
    rest.remove_prefix(end + 1);
  }
  return false;
}

namespace fs = std::filesystem;

// Adds /usr/include/c++/12.
void add_cpp_folders(std::vector<fs::path>& folders) {
  std::ranges::move(entries_in("/usr/include/c++"), std::back_inserter(folders));
}

std::vector<fs::path> host_folders() {
  std::vector<fs::path> folders = {"/usr/local/include", "/usr/include"};
  std::error_code error;
  for (const char* machine : {"/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu"}) {
    if (fs::exists(machine, error)) folders.emplace_back(machine);
  }
  add_cpp_folders(folders);
  return folders;
}

// Headers of C and of compilers that device code may include as well.
constexpr std::array<std::string_view, 23> kForBoth = {
    "alloca.h",  "assert.h", "complex.h", "ctype.h", "errno.h",  "fenv.h",   "float.h",    "inttypes.h",
    "iso646.h",  "limits.h", "malloc.h",  "math.h",  "memory.h", "stdarg.h", "stdalign.h", "stdatomic.h",
    "stdbool.h", "stddef.h", "stdint.h",  "stdio.h", "stdlib.h", "string.h", "tgmath.h"};

// Returns true for C or C++ library headers: no extension ("vector"), Linux ("sys/wait.h"), or in one of the lists.
bool is_of_standard_library(std::string_view header) {
  constexpr std::array<std::string_view, 4> kFolders = {"bits/", "gnu/", "linux/", "sys/"};
  return header.find_first_of("./") == std::string_view::npos || header.ends_with("intrin.h") || is_listed(header) ||
         std::ranges::find(kForBoth, header) != kForBoth.end() ||
         std::ranges::any_of(kFolders, [&](std::string_view folder) { return header.starts_with(folder); });
}

}  // namespace

std::string advice_for_missing_header(std::string_view header) {
  if (is_of_standard_library(header)) {
    return " Sources for GPUs have kmux's own headers, which docs/cpu-backend.md lists, and those of the program, none "
           "of the machine's. Leave it out, or give the program a header of that name.";
  }
  return "";
}

std::string host_folder_of(std::string_view header) {
  std::error_code error;
  for (const fs::path& folder : host_folders()) {
    if (fs::exists(folder / header, error)) return folder.string();
  }
  return "";
}

std::string_view header_within(std::string_view host_header, const std::set<std::string_view>& words) {
  const auto found = std::ranges::find_if(kHeadersWithin, [&](const HeaderWithin& one) {
    const auto has_part = [&](std::string_view word) { return word.find(one.part) != word.npos; };
    return host_header.starts_with(one.library) && std::ranges::any_of(words, has_part);
  });
  return found == kHeadersWithin.end() ? "" : found->header;
}

std::optional<std::string_view> words_of_host_header(std::string_view header) {
  if (is_listed(header)) return "";
  const auto found =
      std::ranges::find_if(kMentionedHeaders, [&](const MentionedHeader& one) { return is_named(header, one.name); });
  return found == kMentionedHeaders.end() ? std::nullopt : std::optional(found->words);
}

}  // namespace kmux
