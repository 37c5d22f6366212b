#include "python_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"

namespace kmux::cutedsl {
namespace {

namespace fs = std::filesystem;

// Packages with code that becomes part of the cubin, by the prefix of their metadata folders.
constexpr std::array<std::string_view, 2> kIdentified = {"nvidia_cutlass_dsl", "tilelang"};
constexpr std::string_view kMetadataEnd = ".dist-info";

bool is_executable(const std::string& program) {
  std::error_code error;
  return ::access(program.c_str(), X_OK) == 0 && !fs::is_directory(program, error);
}

std::vector<std::string> entries_of(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& entry : entries_in(folder)) names.push_back(entry.filename().string());
  return names;
}

// Adds "lib/python3.11/site-packages", "lib/python3/dist-packages" and the like of an installation; those of `version`
// ("3.11") first.
void add_packages(std::vector<std::string>& folders, const fs::path& prefix, const std::string& version) {
  const auto add = [&](const std::string& name) {
    for (const char* kind : {"site-packages", "dist-packages"}) {
      const fs::path folder = prefix / "lib" / name / kind;
      std::error_code error;
      if (!fs::is_directory(folder, error)) continue;
      if (std::ranges::find(folders, folder.string()) == folders.end()) folders.push_back(folder.string());
    }
  };
  if (!version.empty()) add("python" + version);
  for (const std::string& name : entries_of(prefix / "lib")) {
    if (name == "python3" || (version.empty() && name.starts_with("python3"))) add(name);
  }
}

// Returns "3.11" for ".../python3.11"; empty if the name has no version.
std::string version_in(const fs::path& program) {
  const std::string name = program.filename().string();
  return name.starts_with("python3.") ? name.substr(std::string_view("python").size()) : "";
}

// Returns the value of `key` in a file of "key = value" lines.
std::optional<std::string> setting_of(const fs::path& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || line.substr(0, line.find_last_not_of(' ', equals - 1) + 1) != key) continue;
    const std::size_t begin = line.find_first_not_of(' ', equals + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return std::nullopt;
}

// Returns the version in the name of a package's metadata folder: "nvidia_cutlass_dsl-4.8.1.dist-info".
std::optional<std::string> version_in(const std::string& folder, std::string_view package) {
  for (const std::string& name : entries_of(folder)) {
    if (!name.starts_with(std::string(package) + "-") || !name.ends_with(kMetadataEnd)) continue;
    const std::size_t begin = package.size() + 1;
    return name.substr(begin, name.size() - begin - kMetadataEnd.size());
  }
  return std::nullopt;
}

int number_at(std::string_view version, std::size_t field) {
  for (; field > 0 && !version.empty(); --field) {
    const std::size_t dot = version.find('.');
    version.remove_prefix(dot == std::string_view::npos ? version.size() : dot + 1);
  }
  int number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

bool is_new_enough(std::string_view version) {
  const int major = number_at(version, 0);
  return major > 4 || (major == 4 && number_at(version, 1) >= 7);
}

bool belongs_to_this_user(const fs::path& folder) {
  struct stat facts{};
  return ::stat(folder.c_str(), &facts) == 0 && facts.st_uid == ::geteuid();
}

// Follows Python's rule: a virtual environment sees the user's packages only if it sees those of the system.
bool sees_packages_of_user(const std::string& program) {
  const fs::path settings = fs::path(program).parent_path().parent_path() / "pyvenv.cfg";
  std::error_code error;
  return !fs::exists(settings, error) || setting_of(settings, "include-system-site-packages") == "true";
}

// Returns `program` with the CuTe DSL of `pip install --user`, whose folder an isolated Python does not search.
std::optional<Python> of_user(const Host& host, const std::string& program) {
  const auto base = host.option("cutedsl.user_base");
  const auto home = host.option("cutedsl.home");
  fs::path prefix = base ? fs::path(*base) : fs::path();
  if (prefix.empty() && home && !home->empty()) prefix = fs::path(*home) / ".local";
  std::error_code error;
  std::vector<std::string> folders;
  if (!prefix.empty()) add_packages(folders, prefix, version_in(fs::canonical(program, error)));
  for (const std::string& folder : folders) {
    if (auto version = version_in(folder, kIdentified[0])) return Python{program, folder, *version, true};
  }
  return std::nullopt;
}

// Returns the Python `program` with its CuTe DSL; otherwise writes a short reason to `why_not`.
std::optional<Python> with_cute_dsl(const Host& host, const std::string& program, std::string& why_not) {
  if (!is_executable(program)) return why_not = "is not a program", std::nullopt;
  for (const std::string& folder : package_folders(program)) {
    const auto version = version_in(folder, kIdentified[0]);
    if (!version) continue;
    if (is_new_enough(*version)) return Python{program, folder, *version};
    return why_not = "has " + *version, std::nullopt;
  }
  auto python = of_user(host, program);
  if (!python) return why_not = "has none", std::nullopt;
  if (!is_new_enough(python->version)) return why_not = "has " + python->version, std::nullopt;
  if (!sees_packages_of_user(program)) {
    return why_not = "is of a virtual environment, which does not see " + python->version + " of pip install --user",
           std::nullopt;
  }
  if (!belongs_to_this_user(python->packages)) {
    return why_not = "has " + python->version + " in \"" + python->packages + "\", which is another user's",
           std::nullopt;
  }
  return python;
}

std::vector<std::string> usual_programs(const Host& host) {
  std::vector<std::string> programs;
  if (const auto venv = host.option("cutedsl.venv"); venv && !venv->empty()) programs.push_back(*venv + "/bin/python3");
  if (const auto found = find_program("python3")) programs.push_back(*found);
  programs.insert(programs.end(), {"/usr/local/bin/python3", "/usr/bin/python3"});
  return programs;
}

Error no_cute_dsl(const std::string& tried) {
  return make_error(
      ErrorCode::kUnavailable,
      "no Python with CuTe DSL 4.7 or newer was found (" + tried + "). Run: pip install '" + kRequirement +
          "', in a virtual environment that is active, or set KMUX_CUTEDSL_PYTHON to a Python that has it.");
}

}  // namespace

std::vector<std::string> command_line(const Python& python, const std::string& script) {
  std::vector<std::string> words = {python.program, "-I", "-B", script};
  if (python.is_of_user) words.push_back(python.packages);
  return words;
}

// Programs are in the "bin" of an installation; those of a virtual environment link to another installation.
Command python_command(const Python& python, const std::string& script, const CompilationFolder& folder) {
  Command command = compiler_command(command_line(python, script), folder);
  command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
  command.confinement->reads.insert(command.confinement->reads.end(),
                                    {fs::path(python.program).parent_path().parent_path().string(), python.packages});
  // CuTe DSL queries the driver, which requires access to its device files.
  for (const fs::path& device : entries_in("/dev")) {
    if (device.filename().string().starts_with("nvidia")) command.confinement->writes.push_back(device.string());
  }
  return command;
}

std::vector<std::string> package_folders(const std::string& program) {
  std::vector<std::string> folders;
  std::error_code error;
  const fs::path resolved = fs::canonical(program, error);
  const std::string version = version_in(error ? fs::path(program) : resolved);
  const fs::path prefix = fs::path(program).parent_path().parent_path();
  const fs::path settings = prefix / "pyvenv.cfg";
  const bool is_venv = fs::exists(settings, error);
  if (is_venv) add_packages(folders, prefix, version);
  if (is_venv && setting_of(settings, "include-system-site-packages") != "true") return folders;
  const fs::path base = resolved.parent_path().parent_path();
  if (base == "/usr") add_packages(folders, "/usr/local", version);
  add_packages(folders, base, version);
  return folders;
}

Result<Python> find_python(const Host& host) {
  std::string tried;
  const auto named = host.option("cutedsl.python");
  const bool is_named = named && !named->empty();
  for (const std::string& program : is_named ? std::vector{absolute_path(*named).string()} : usual_programs(host)) {
    std::string why_not;
    if (auto python = with_cute_dsl(host, program, why_not)) return *std::move(python);
    tried.append(tried.empty() ? "\"" : ", \"").append(program).append("\" ").append(why_not);
  }
  return no_cute_dsl(tried);
}

Json identify(const Python& python) {
  Json::Array packages;
  for (const std::string& name : entries_of(python.packages)) {
    const auto begins = [&](std::string_view package) { return name.starts_with(package); };
    if (!name.ends_with(kMetadataEnd) || std::ranges::none_of(kIdentified, begins)) continue;
    packages.push_back(identify_file((fs::path(python.packages) / name / "RECORD").string()));
  }
  return Json::Object{
      {"cute_dsl", python.version}, {"program", identify_compiler(python.program)}, {"packages", std::move(packages)}};
}

}  // namespace kmux::cutedsl

namespace kmux {

extern const std::string_view cutedsl_serve_script;  // python/serve.py

namespace cutedsl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kServeScript = "kmux_serve.py";
constexpr int kLookIntervalMs = 50;
constexpr int kSocket = 3;  // of the server

// Starts `command` with `socket` as descriptor 3, in a new process group. Returns the process id, or -1. The output
// goes to the file `log`: modules write to stdout when they are imported.
pid_t start_server(const Command& command, const Descriptor& socket, const std::string& log) {
  Spawn spawn(Spawn::Group::kOfItsOwn);
  spawn.work_in(command.working_directory);
  spawn.confine(*command.confinement);
  spawn.redirect(socket, kSocket);
  spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  spawn.open(STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  spawn.duplicate(STDOUT_FILENO, STDERR_FILENO);
  pid_t process = -1;
  return spawn.start(&process, command.argv[0], command.argv, environment_of(command)) == 0 ? process : -1;
}

}  // namespace

PythonServer::~PythonServer() { end(); }

Result<std::optional<int>> PythonServer::compile(const Python& python, const std::string& arch,
                                                 const std::string& folder, std::chrono::seconds timeout) {
  const std::lock_guard locked(mutex_);
  // Packages may be reinstalled meanwhile: a server whose imports no longer match the build's key is restarted.
  std::string serves = dump(identify(python));
  serves.append(" ").append(arch);
  if (serves_ != serves) end();
  if (process_ < 0 && !start(python, arch)) return std::optional<int>();
  serves_ = std::move(serves);
  if (ask(folder)) return answer(timeout);
  end();
  return std::optional<int>();
}

bool PythonServer::start(const Python& python, const std::string& arch) {
  auto folder = CompilationFolder::create("kmux-cutedsl-server");
  int ends[2] = {-1, -1};
  const auto script = folder ? folder->write_own(kServeScript, cutedsl_serve_script) : folder.error();
  if (!script) return false;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  socket_ = Descriptor(ends[0]);
  // Must be above the redirected descriptors: an application may have closed its standard three.
  const Descriptor low(ends[1]);
  const Descriptor theirs(fcntl(low.get(), F_DUPFD_CLOEXEC, kSocket + 1));
  if (!theirs.is_open()) return false;
  Command command = python_command(python, *script, *folder);
  std::error_code error;
  command.confinement->writes.push_back(fs::temp_directory_path(error).string());  // folders of later compilations
  command.environment["CUTE_DSL_ARCH"] = arch;  // if it is unset, CuTe DSL silently uses the newest
  process_ = start_server(command, theirs, folder->own() + "/server.log");
  folder_.emplace(*std::move(folder));
  return process_ > 0;
}

bool PythonServer::ask(const std::string& folder) const {
  const std::string line = folder + "\n";
  return send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
}

Result<std::optional<int>> PythonServer::answer(std::chrono::seconds timeout) {
  const auto deadline = Clock::now() + timeout;
  for (std::string line;;) {
    pollfd reply{socket_.get(), POLLIN, 0};
    ::poll(&reply, 1, kLookIntervalMs);
    if (host_.stopping()) {
      end();
      return make_error(ErrorCode::kCancelled, "Python was killed (its work is not wanted any more). Compile again.");
    }
    if (Clock::now() >= deadline) {
      end();
      return make_error(ErrorCode::kTimedOut, "Python did not end within " + std::to_string(timeout.count()) +
                                                  " s and was killed. Set option timeout_s, or find out what it "
                                                  "waits for.");
    }
    if (reply.revents == 0) continue;
    char byte = '\0';
    const ssize_t count = recv(socket_.get(), &byte, 1, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return end(), std::optional<int>();  // the server died
    if (byte != '\n') {
      line.push_back(byte);
      continue;
    }
    int code = 1;
    std::from_chars(line.data(), line.data() + line.size(), code);
    return std::optional(code);
  }
}

void PythonServer::end() {
  socket_.close();
  if (process_ > 0) {
    ::kill(-process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
  serves_.clear();
  folder_.reset();
}

}  // namespace cutedsl
}  // namespace kmux
