#include "redis_connection.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <hiredis/hiredis.h>

#include "cache/disk/file_descriptor.h"
#include "remote_tier.h"

namespace kmux {
namespace {

using Clock = TransferDeadline::Clock;
using Kind = RedisReply::Kind;

constexpr std::size_t kMaxReplyBytes = kMaxRemoteBytes + 4096;  // a value and its framing
constexpr std::size_t kMaxRefusalBytes = 200;                    // the part of a refusal that is logged

Error failed(const std::string& why) { return make_error(ErrorCode::kUnavailable, why); }

/// Blocks until the socket is ready for `events`, or has failed.
Status wait_for(int socket, short events, Clock::time_point end) {
  pollfd waiting{socket, events, 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    const int ready = left <= 0 ? 0 : ::poll(&waiting, 1, static_cast<int>(left));
    if (ready > 0) return Ok{};
    if (ready == 0) return failed("it did not answer in time").with(kTimeOutNote, "");
    if (errno != EINTR) return failed(errno_text(errno));
  }
}

/// Makes the server's text safe for a log: no control characters, limited length.
std::string for_a_log(std::string_view text) {
  std::string line(text.substr(0, kMaxRefusalBytes));
  std::ranges::replace_if(line, [](unsigned char c) { return std::isprint(c) == 0; }, '?');
  return line;
}

/// Returns the first word of a refusal if it is an error kind of Redis. The rest might contain the password.
std::string kind_of_refusal(const std::string& text) {
  const std::string word = text.substr(0, text.find(' '));
  const bool is_kind = !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isupper(c) != 0; });
  return is_kind ? ", \"" + word + "\"" : "";
}

// hiredis calls these functions for the replies that it reads. Its own would allocate any number of elements that a
// server claims.
void* make_reply(RedisReply reply) { return new RedisReply(std::move(reply)); }
void* make_text(const redisReadTask* task, char* bytes, std::size_t size) {
  if (task->type == REDIS_REPLY_ERROR) return make_reply({Kind::kRefusal, for_a_log({bytes, size})});
  return make_reply({Kind::kText, {bytes, size}});
}
void* refuse_list(const redisReadTask*, int) { return nullptr; }
void* make_integer(const redisReadTask*, long long value) { return make_reply({Kind::kInteger, {}, value}); }
void* make_nil(const redisReadTask*) { return make_reply({}); }
void free_reply(void* reply) { delete static_cast<RedisReply*>(reply); }

redisReplyObjectFunctions reply_functions = {make_text, refuse_list, make_integer, make_nil, free_reply};

/// Returns a socket that hiredis has begun to connect. Its own calls to wait, write and read are unsuitable: a write to
/// a dead server raises SIGPIPE, and a server that sends a byte now and then never times out.
Result<Descriptor> start_to_connect(const RemoteAddress& address) {
  redisContext* context = address.socket.empty() ? ::redisConnectNonBlock(address.host.c_str(), address.port)
                                                 : ::redisConnectUnixNonBlock(address.socket.c_str());
  if (context == nullptr) return failed("out of memory");
  if (context->err != 0) {
    Error error = failed(context->errstr);
    ::redisFree(context);
    return error;
  }
  Descriptor socket(::redisFreeKeepFd(context));
  ::fcntl(socket.get(), F_SETFD, FD_CLOEXEC);
  return socket;
}

Status finish_connecting(int socket, Clock::time_point end) {
  KMUX_TRY(wait_for(socket, POLLOUT, end));
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  return error == 0 ? Status(Ok{}) : failed(errno_text(error));
}

/// Returns the command in Redis's protocol.
Result<std::string> formatted(const std::vector<std::string_view>& words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* bytes = nullptr;
  const int size = ::redisFormatCommandArgv(&bytes, static_cast<int>(words.size()), texts.data(), sizes.data());
  if (size < 0) return failed("out of memory");
  std::string command(bytes, static_cast<std::size_t>(size));
  ::redisFreeCommand(bytes);
  return command;
}

}  // namespace

void RedisConnection::FreeReader::operator()(redisReader* reader) const { ::redisReaderFree(reader); }

RedisConnection::RedisConnection(Descriptor socket, LastHeard* heard)
    : socket_(std::move(socket)), reader_(::redisReaderCreateWithFunctions(&reply_functions)), heard_(heard) {}

Result<RedisConnection> RedisConnection::open(const RemoteAddress& address, std::chrono::milliseconds timeout,
                                              LastHeard* heard) {
  KMUX_ASSIGN(Descriptor socket, start_to_connect(address));
  TransferDeadline deadline(timeout, Clock::now());
  KMUX_TRY(finish_connecting(socket.get(), deadline.end()));
  RedisConnection connection(std::move(socket), heard);
  if (connection.reader_ == nullptr) return failed("out of memory");
  KMUX_TRY(connection.introduce(address, deadline));
  return connection;
}

Status RedisConnection::introduce(const RemoteAddress& address, TransferDeadline& deadline) {
  const auto expect_ok = [&](const std::vector<std::string_view>& words, const std::string& what) -> Status {
    KMUX_ASSIGN(const RedisReply reply, ask_until(words, deadline));
    if (reply.kind == Kind::kText) return Ok{};
    return failed("it refuses " + what + kind_of_refusal(reply.text));
  };
  if (!address.password.empty()) {
    std::vector<std::string_view> words = {"AUTH"};
    if (!address.user.empty()) words.emplace_back(address.user);
    words.emplace_back(address.password);
    KMUX_TRY(expect_ok(words, "the user or the password"));
  }
  if (address.database == 0) return Ok{};
  return expect_ok({"SELECT", std::to_string(address.database)}, "the database");
}

Result<RedisReply> RedisConnection::ask(const std::vector<std::string_view>& words, std::chrono::milliseconds timeout) {
  TransferDeadline deadline(timeout, Clock::now());
  return ask_until(words, deadline);
}

Result<RedisReply> RedisConnection::ask_until(const std::vector<std::string_view>& words, TransferDeadline& deadline) {
  KMUX_ASSIGN(const std::string command, formatted(words));
  KMUX_TRY(send(command, deadline));
  deadline.wait_for_reply();  // much of it may still be in buffers on its way to the server
  return receive(deadline);
}

Status RedisConnection::send(std::string_view bytes, TransferDeadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      deadline.moved(static_cast<std::size_t>(sent), Clock::now());
    } else if (errno == EAGAIN) {
      KMUX_TRY(wait_for(socket_.get(), POLLOUT, deadline.end()));
    } else if (errno != EINTR) {
      return hung_up(errno);
    }
  }
  return Ok{};
}

Result<RedisReply> RedisConnection::receive(TransferDeadline& deadline) {
  for (;;) {
    void* found = nullptr;
    if (::redisReaderGetReply(reader_.get(), &found) != REDIS_OK) return failed("the answer is not a Redis reply");
    if (found != nullptr) {
      const std::unique_ptr<RedisReply> reply(static_cast<RedisReply*>(found));
      // Otherwise the next command would take the remaining bytes as its reply.
      if (reader_->pos != reader_->len) return failed("it sent more than one reply");
      return std::move(*reply);
    }
    if (reader_->len > kMaxReplyBytes) return failed("its reply is too large");
    KMUX_TRY(receive_some(deadline));
  }
}

Status RedisConnection::receive_some(TransferDeadline& deadline) {
  std::array<char, 64 * 1024> bytes;
  for (;;) {
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got == 0) return hung_up(ECONNRESET);
    if (got > 0) {
      const Clock::time_point now = Clock::now();
      deadline.moved(static_cast<std::size_t>(got), now);
      if (heard_ != nullptr) heard_->store(now, std::memory_order_relaxed);
      const int fed = ::redisReaderFeed(reader_.get(), bytes.data(), static_cast<std::size_t>(got));
      return fed == REDIS_OK ? Status(Ok{}) : failed("out of memory");
    }
    if (errno == EAGAIN) {
      KMUX_TRY(wait_for(socket_.get(), POLLIN, deadline.end()));
    } else if (errno != EINTR) {
      return hung_up(errno);
    }
  }
}

Error RedisConnection::hung_up(int error) {
  was_closed_ = true;
  return failed(errno_text(error));
}

}  // namespace kmux
