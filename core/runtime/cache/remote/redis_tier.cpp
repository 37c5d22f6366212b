#include "redis_tier.h"

#include <unistd.h>
#include <utility>

namespace kmux {
namespace {

using Kind = RedisReply::Kind;

constexpr std::size_t kMaxIdle = 8;

// A lease is a name with a time-out; its value identifies the holder. Scripts make check and update atomic.
constexpr std::string_view kLease = R"(
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
return 0)";
constexpr std::string_view kRelease = R"(
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0)";

std::string value_name(const std::string& name) { return "kmux:1:" + name; }
std::string lease_name(const std::string& name) { return "kmux:1:" + name + ":lease"; }

/// Returns the reply if it is of `kind`, else an error.
Result<RedisReply> expect(Result<RedisReply> reply, Kind kind) {
  if (!reply || reply->kind == kind) return reply;
  if (reply->kind == Kind::kRefusal) return make_error(ErrorCode::kUnsupported, "it refuses, \"" + reply->text + "\"");
  return make_error(ErrorCode::kUnavailable, "its reply has the wrong type");
}

}  // namespace

RedisTier::RedisTier(Options options) : options_(std::move(options)), process_(::getpid()) {}

Result<std::optional<std::string>> RedisTier::get(const std::string& name) {
  Result<RedisReply> reply = ask({"GET", value_name(name)});
  if (reply && reply->kind == Kind::kNil) return std::optional<std::string>();
  KMUX_ASSIGN(RedisReply value, expect(std::move(reply), Kind::kText));
  return std::optional(std::move(value.text));
}

Status RedisTier::put(const std::string& name, const std::string& value) {
  KMUX_TRY(expect(ask({"SET", value_name(name), value, "EX", std::to_string(options_.keep.count())}), Kind::kText));
  return Ok{};
}

Result<bool> RedisTier::lease(const std::string& name, const std::string& holder, std::chrono::milliseconds time) {
  const std::string milliseconds = std::to_string(time.count());
  KMUX_ASSIGN(const RedisReply reply,
              expect(ask({"EVAL", kLease, "1", lease_name(name), holder, milliseconds}), Kind::kInteger));
  return reply.integer == 1;
}

Status RedisTier::release(const std::string& name, const std::string& holder) {
  KMUX_TRY(expect(ask({"EVAL", kRelease, "1", lease_name(name), holder}), Kind::kInteger));
  return Ok{};
}

Result<std::int64_t> RedisTier::count_names() {
  KMUX_ASSIGN(const RedisReply reply, expect(ask({"DBSIZE"}), Kind::kInteger));
  return std::int64_t{reply.integer};
}

/// Bytes received on any connection distinguish a slow server from a dead one.
Result<RedisReply> RedisTier::ask(const Words& words) {
  const auto began = RedisConnection::Clock::now();
  Result<RedisReply> reply = ask_idle(words);
  const bool is_slow = !reply && reply.error().note(kTimeOutNote) && heard_.load(std::memory_order_relaxed) >= began;
  if (is_slow) return std::move(reply).error().with(kSlowStoreNote, "");
  return reply;
}

/// A restarted server has closed the idle connections, which is not a failure. So each command may be sent twice.
Result<RedisReply> RedisTier::ask_idle(const Words& words) {
  std::optional<RedisConnection> connection = take_idle();
  if (!connection) return ask_anew(words);
  Result<RedisReply> reply = connection->ask(words, options_.timeout);
  if (!reply) return connection->was_closed() ? ask_anew(words) : std::move(reply);
  keep_idle(*std::move(connection));
  return reply;
}

Result<RedisReply> RedisTier::ask_anew(const Words& words) {
  KMUX_ASSIGN(RedisConnection connection, RedisConnection::open(options_.address, options_.timeout, &heard_));
  KMUX_ASSIGN(RedisReply reply, connection.ask(words, options_.timeout));
  keep_idle(std::move(connection));
  return reply;
}

std::optional<RedisConnection> RedisTier::take_idle() {
  if (is_forked()) return std::nullopt;
  const std::lock_guard guard(mutex_);
  if (idle_.empty()) return std::nullopt;
  RedisConnection connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void RedisTier::keep_idle(RedisConnection connection) {
  if (is_forked()) return;
  const std::lock_guard guard(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(connection));
}

/// Returns true in a forked child, which must not use the parent's connections or mutex: a thread of the parent may
/// hold it.
bool RedisTier::is_forked() const { return process_ != ::getpid(); }

}  // namespace kmux
