// The kmux command: parses the command line, runs one command, prints its report.

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <unistd.h>

#include "kmux/environment.h"
#include "kmux/log.h"
#include "kmux/plugin/printable.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/signal_blocked.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/version.h"

#include "command.h"
#include "style.h"

namespace kmux::cli {

std::span<const Command> commands() {
  static const Command all[] = {kPluginsCommand,  kDevicesCommand, kResolveCommand, kCompileCommand, kRunCommand,
                                kNewCommand,      kShowCommand,    kFormatCommand,  kPackCommand,    kExportCommand,
                                kLauncherCommand, kSourceCommand,  kCacheCommand,   kTuneCommand,    kTraceCommand,
                                kReplayCommand,   kBenchCommand};
  return all;
}

namespace {

bool are_whole = false;
auto& given_words = *new std::vector<std::string>;  // of the command line, behind "kmux"

}  // namespace

std::string command_line() {
  std::vector<std::string> words = {"kmux"};
  words.insert(words.end(), given_words.begin(), given_words.end());
  return to_string(kmux::Command{.argv = std::move(words)});
}

void show_whole_errors() { are_whole = true; }

std::string error_report(const Error& error, const std::string& subject) {
  if (const auto text = error.note("text")) return printable(*text) + "\n";
  const bool is_whole = are_whole || Environment::from_process().verbose;
  std::string report = "kmux: error: " + subject;
  report += is_whole ? error.explain() : error.brief("--verbose shows them");
  if (!report.ends_with('\n')) report += '\n';
  return printable(report);
}

Json to_json(const Error& error) {
  Json::Array notes;
  for (const Note& note : error.notes) notes.emplace_back(Json::Object{{"kind", note.kind}, {"text", note.text}});
  return Json::Object{
      {"code", std::string(to_string(error.code))}, {"message", error.message}, {"notes", std::move(notes)}};
}

namespace {

Json in_utf8(const Json& json) {
  if (const std::string* const text = json.as_string()) return as_utf8(*text);
  if (const Json::Array* const array = json.as_array()) {
    Json::Array items;
    items.reserve(array->size());
    for (const Json& item : *array) items.push_back(in_utf8(item));
    return items;
  }
  if (const Json::Object* const object = json.as_object()) {
    Json::Object members;
    for (const auto& [key, value] : *object) members.emplace(as_utf8(key), in_utf8(value));
    return members;
  }
  return json;
}

}  // namespace

std::string document_text(const Json& json, int indent) { return dump(in_utf8(json), indent); }

namespace {

constexpr std::string_view kExitCodes = R"(Exit codes:
  0  success                       4  no backend can do it on this machine
  1  a check found a difference    5  the compiler refused the sources
  2  wrong command line            6  the kernel or the device failed
  3  bad program, tensor, file     7  a bug in kmux or in a plugin
     (a missing one, too), value 130  interrupted
)";

/// A command in a separate program with separate options, installed beside this one or in the build tree.
struct ExternalCommand {
  std::string_view name;
  std::string_view summary;
  std::array<std::string_view, 2> places;  // relative to the folder of this command
  bool is_python = false;
};

constexpr ExternalCommand kExternalCommands[] = {
    {"conformance", "test the plugin of a backend", {"kmux-conformance", "../tests/kmux-conformance"}},
    {"new-plugin",
     "begin a backend of your own",
     {"../share/kmux/new_plugin.py", "../../../tools/new_plugin.py"},
     true},
};

/// Handled by Python in the wheel's command, before this program is run.
constexpr std::string_view kPythonCommand = "fleet";

void print_help(std::ostream& out) {
  out << "kmux " << version()
      << ": runs compute kernels through the backend that fits\n\nusage: kmux COMMAND [options]\n\n";
  for (const Command& command : commands()) {
    out << "  " << command.name << std::string(13 - command.name.size(), ' ') << command.summary << "\n";
  }
  for (const ExternalCommand& command : kExternalCommands) {
    out << "  " << command.name << std::string(13 - command.name.size(), ' ') << command.summary << "\n";
  }
  out << "  " << kPythonCommand << "        compile, tune and benchmark on many machines (Python: kmux[ray])\n";
  out << "\nkmux COMMAND --help has more. --json prints one JSON document; --verbose logs to stderr.\n\n" << kExitCodes;
}

void print_help(const Command& command, const po::options_description& options, std::ostream& out) {
  out << "kmux " << command.name << ": " << command.summary << "\n\nusage: kmux " << command.usage << "\n\n"
      << options << "\nexamples:\n"
      << command.examples << "\n"
      << kExitCodes;
}

int fail(const Error& error, ExitCode code, bool json) {
  if (json) std::cout << document_text(Json::Object{{"error", to_json(error)}}) << "\n";
  std::cerr << error_report(error);
  return code;
}

int fail_usage(const std::string& message, bool json = false) {
  return fail(make_error(ErrorCode::kInvalidArgument, message), kUsage, json);
}

po::options_description options_of(const Command& command) {
  po::options_description options("options");
  command.describe(options);
  auto add = options.add_options();
  if (options.find_nothrow("json", false) == nullptr) add("json", "print one JSON document on stdout");
  add("verbose,v", "log to stderr what is done and why, and show errors whole");
  add("help,h", "print this");
  return options;
}

/// Parses the command line after the command's name.
///
/// Errors: Boost's exceptions.
po::variables_map parse(const Command& command, const po::options_description& options,
                        const std::vector<std::string>& words) {
  po::options_description all;
  all.add(options);
  po::positional_options_description positional;
  for (const std::string& word : command.words) {
    const bool repeats = command.repeats_last && word == command.words.back();
    all.add_options()(word.c_str(), repeats ? static_cast<po::value_semantic*>(po::value<std::vector<std::string>>())
                                            : po::value<std::string>());
    positional.add(word.c_str(), repeats ? -1 : 1);
  }
  po::variables_map arguments;
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::store(po::command_line_parser(words).options(all).positional(positional).style(style).run(), arguments);
  po::notify(arguments);
  return arguments;
}

std::string near_option(const po::options_description& options, const std::string& word) {
  std::vector<std::string> known;
  for (const auto& option : options.options()) known.push_back("--" + option->long_name());
  return did_you_mean(word.starts_with("--") ? word : "--" + word, known);
}

int print(const Result<Report>& report, bool json) {
  const SignalBlocked blocked(SIGXFSZ);
  if (!report) return fail(report.error(), exit_code(report.error().code), json);
  if (!report->notice.empty()) std::cerr << "kmux: note: " << printable(report->notice) << "\n";
  if (json) {
    std::cout << document_text(report->json) << "\n";
  } else {
    const bool is_raw = report->is_file && isatty(STDOUT_FILENO) == 0;
    std::cout << (is_raw ? report->text : for_terminal(report->text));
  }
  std::cout.flush();
  if (std::cout) return report->code;
  const char* const why =
      "stdout cannot be written (no space, a limit on the size of files, or a closed pipe). Write it to another place, "
      "or raise the limit: ulimit -f.";
  return fail(make_error(ErrorCode::kUnavailable, why), kNotHere, false);
}

int run(const Command& command, const std::vector<std::string>& words) {
  const po::options_description options = options_of(command);
  const bool is_flag = options.find("json", false).semantic()->max_tokens() == 0;  // else a command's own option
  const bool json = is_flag && std::find(words.begin(), words.end(), "--json") != words.end();
  const std::string advice = " Try `kmux " + std::string(command.name) + " --help`.";
  po::variables_map arguments;
  try {
    arguments = parse(command, options, words);
  } catch (const po::unknown_option& error) {
    return fail_usage(std::string(error.what()) + "." + near_option(options, error.get_option_name()) + advice, json);
  } catch (const po::too_many_positional_options_error&) {
    return fail_usage("there are more words than kmux " + std::string(command.name) + " takes (kmux " +
                          std::string(command.usage) + ")." + advice,
                      json);
  } catch (const po::error& error) {
    return fail_usage(std::string(error.what()) + "." + advice, json);
  }
  if (arguments.count("help") != 0) return print_help(command, options, std::cout), kSuccess;
  const bool has_instead = !command.instead.empty() && arguments.count(std::string(command.instead)) != 0;
  if (!command.words.empty() && arguments.count(command.words.front()) == 0 && !has_instead) {
    return fail_usage("no " + command.words.front() + " is given (kmux " + std::string(command.usage) + ")." + advice,
                      json);
  }
  if (command.check != nullptr) {
    if (const Status complete = command.check(arguments); !complete) return fail(complete.error(), kUsage, json);
  }
  if (arguments.count("verbose") != 0) set_log_sink(LogLevel::kDebug, stderr_log_sink());
  if (arguments.count("verbose") != 0) show_whole_errors();
  return print(command.run(arguments), json);
}

/// Executes that program; returns only on failure.
int become(const ExternalCommand& external, const char* self, const std::vector<std::string>& words) {
  const std::filesystem::path own = own_program(self);
  for (const std::string_view place : external.places) {
    const std::filesystem::path file = (own.parent_path() / place).lexically_normal();
    std::error_code error;
    if (own.empty() || !std::filesystem::exists(file, error)) continue;
    std::vector<std::string> command = {file.string()};
    if (external.is_python) command.insert(command.begin(), "python3");
    command.insert(command.end(), words.begin(), words.end());
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    return fail(make_error(ErrorCode::kUnavailable,
                           "cannot start \"" + command[0] + "\" (" + std::strerror(errno) + "). Install it."),
                kNotHere, false);
  }
  return fail(make_error(ErrorCode::kUnavailable,
                         "kmux " + std::string(external.name) + " is not here (\"" + std::string(external.places[0]) +
                             "\" does not lie beside this command). Install the package of kmux."),
              kNotHere, false);
}

int fail_without_python() {
  return fail(make_error(ErrorCode::kUnavailable,
                         "kmux fleet is a command of the Python package (this is the program alone). Run `python -m "
                         "kmux.fleet`, or the kmux that `pip install 'kmux[ray]'` brings."),
              kNotHere, false);
}

int unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  for (const ExternalCommand& command : kExternalCommands) names.emplace_back(command.name);
  names.emplace_back(kPythonCommand);
  const auto near = nearest(word, names);
  return fail_usage("no command \"" + word + "\"." + (near ? " Did you mean \"" + *near + "\"?" : "") +
                    " `kmux --help` lists the commands.");
}

int main(const char* self, const std::vector<std::string>& words) {
  given_words = words;
  if (words.empty()) return print_help(std::cerr), kUsage;
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") return print_help(std::cout), kSuccess;
  if (words[0] == "--version") return std::cout << "kmux " << version() << "\n", kSuccess;
  for (const Command& command : commands()) {
    if (command.name == words[0]) return run(command, {words.begin() + 1, words.end()});
  }
  for (const ExternalCommand& command : kExternalCommands) {
    if (command.name == words[0]) return become(command, self, {words.begin() + 1, words.end()});
  }
  return words[0] == kPythonCommand ? fail_without_python() : unknown_command(words[0]);
}

}  // namespace
}  // namespace kmux::cli

int main(int argc, char** argv) {
  try {
    return kmux::cli::main(argv[0], {argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    std::cerr << "kmux: error: out of memory (what was given takes more than this machine has left). Free some.\n";
    return kmux::cli::kNotHere;
  } catch (const std::exception& error) {
    std::cerr << "kmux: error: " << kmux::printable(error.what()) << " (unexpected). Please report this.\n";
    return kmux::cli::kBug;
  }
}
