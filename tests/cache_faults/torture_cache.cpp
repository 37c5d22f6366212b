#include "torture_cache.h"

#include <fcntl.h>
#include <fstream>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "kmux/plugin/sha256.h"

namespace kmux {
namespace {

constexpr unsigned kSecondsUntilHung = 60;

void note_make(const std::filesystem::path& makes) {
  const int file = ::open(makes.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (::write(file, "x", 1) != 1) ::_exit(9);
  ::close(file);
}

}  // namespace

CacheOptions torture_options(const std::filesystem::path& folder) {
  CacheOptions options;
  options.folder = folder / "cache";
  options.lock_folder = folder / "locks";
  options.lock_timeout = std::chrono::seconds(50);
  return options;
}

CacheKey torture_key(int number) { return {sha256_hex(std::to_string(number)), Json::Object{{"number", number}}}; }

CacheEntry torture_entry(int number) {
  CacheEntry entry;
  entry.artifact.set("code", std::string(5000 + static_cast<std::size_t>(number), 'x') + std::to_string(number));
  entry.launcher = "launcher " + std::to_string(number);
  return entry;
}

bool is_right(const CacheEntry& entry, int number) {
  const CacheEntry wanted = torture_entry(number);
  return entry.artifact == wanted.artifact && entry.launcher == wanted.launcher && !entry.unsupported;
}

pid_t start_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::alarm(kSecondsUntilHung);
  ::_exit(body());
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<int> run_children(int count, const std::function<int(int)>& body) {
  int gate[2];
  if (::pipe(gate) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    children.push_back(start_child([&] {
      ::close(gate[1]);
      char byte = 0;
      return ::read(gate[0], &byte, 1) == 0 ? body(i) : 8;  // closing the pipe starts all children at once
    }));
  }
  ::close(gate[0]);
  ::close(gate[1]);
  std::vector<int> results;
  for (const pid_t child : children) results.push_back(wait_for(child));
  return results;
}

pid_t start_stuck_maker(const CacheOptions& options, const std::filesystem::path& sign) {
  const pid_t child = start_child([&] {
    const auto cache = ArtifactCache::open(options).value();
    (void)cache->find_or_make(torture_key(1), [&]() -> Result<CacheEntry> {
      std::ofstream(sign) << "";
      for (;;) ::pause();
    });
    return 0;
  });
  while (!std::filesystem::exists(sign)) ::usleep(1000);
  return child;
}

int use_cache(const CacheOptions& options, int number, const std::filesystem::path& makes) {
  const auto cache = ArtifactCache::open(options);
  if (!cache) return 1;
  const Result<CacheEntry> entry = (*cache)->find_or_make(torture_key(number), [&] {
    note_make(makes);
    ::usleep(20'000);  // lets others arrive during the make
    return torture_entry(number);
  });
  if (!entry) return 2;
  return is_right(*entry, number) ? 0 : 3;
}

std::size_t count_makes(const std::filesystem::path& makes) {
  std::error_code error;
  const auto size = std::filesystem::file_size(makes, error);
  return error ? 0 : static_cast<std::size_t>(size);
}

}  // namespace kmux
