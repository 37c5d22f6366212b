#include "redis_server.h"

#include <chrono>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "kmux/plugin/descriptor.h"

namespace kmux {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);

/// A port that was free a moment ago.
int free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const bytes = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), bytes, size) != 0 || ::getsockname(socket.get(), bytes, &size) != 0) {
    throw std::runtime_error("no free port");
  }
  return ntohs(address.sin_port);
}

/// Debian's package redis-tools has the server under the name of one of its tools; it goes by what it is called.
[[noreturn]] void become_server(std::vector<std::string> words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  words.insert(words.begin(), "redis-server");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(KMUX_TEST_REDIS_SERVER, arguments.data());
  ::_exit(127);
}

}  // namespace

RedisServer::RedisServer(std::vector<std::string> options) : options_(std::move(options)), port_(free_port()) {
  start();
}

RedisServer::~RedisServer() { kill(); }

RemoteAddress RedisServer::address() const { return {.host = "127.0.0.1", .port = static_cast<std::uint16_t>(port_)}; }

RemoteAddress RedisServer::socket_address() const { return {.socket = (temp_.path() / "redis.sock").string()}; }

void RedisServer::start() {
  std::vector<std::string> words = {"--port",       std::to_string(port_),   "--bind",    "127.0.0.1",
                                    "--unixsocket", socket_address().socket, "--save",    "",
                                    "--dir",        temp_.path().string(),   "--logfile", "log"};
  words.insert(words.end(), options_.begin(), options_.end());
  process_ = ::fork();
  if (process_ == 0) become_server(std::move(words));
  wait_until_ready();
}

/// An error of a user who is not known, too, is an answer.
void RedisServer::wait_until_ready() const {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    auto connection = RedisConnection::open(socket_address(), std::chrono::seconds(1));
    if (connection && connection->ask({"PING"}, std::chrono::seconds(1))) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::ostringstream log;
  log << std::ifstream(temp_.path() / "log").rdbuf();
  throw std::runtime_error("redis-server does not start: " + log.str());
}

void RedisServer::kill() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = 0;
}

void RedisServer::pause() const {
  ::kill(process_, SIGSTOP);
  ::waitpid(process_, nullptr, WUNTRACED);
}

void RedisServer::resume() const { ::kill(process_, SIGCONT); }

RedisReply RedisServer::ask(const std::vector<std::string_view>& words) const {
  RedisConnection connection = RedisConnection::open(socket_address(), kPatience).value();
  return connection.ask(words, kPatience).value();
}

}  // namespace kmux
