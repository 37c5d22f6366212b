#pragma once

#include <cstdint>
#include <mutex>
#include <sys/types.h>
#include <vector>

#include "redis_connection.h"
#include "remote_address.h"
#include "remote_tier.h"

namespace kmux {

/// A remote tier in a Redis server, which other fleets and programs may share: every name begins with `kmux:1:`.
///
/// Connections are reused. A forked child opens its own.
class RedisTier final : public RemoteTier {
 public:
  struct Options {
    RemoteAddress address;
    std::chrono::seconds keep{30 * 24 * 3600};  // lifetime of a value after `put`
    std::chrono::milliseconds timeout{500};     // to connect, and for each command, see TransferDeadline
  };
  explicit RedisTier(Options options);

  Result<std::optional<std::string>> get(const std::string& name) override;
  Status put(const std::string& name, const std::string& value) override;
  Result<bool> lease(const std::string& name, const std::string& holder, std::chrono::milliseconds time) override;
  Status release(const std::string& name, const std::string& holder) override;

  /// Returns the number of names in its database, including those of other clients.
  ///
  /// Errors: as RemoteTier.
  Result<std::int64_t> count_names();

 private:
  using Words = std::vector<std::string_view>;
  Result<RedisReply> ask(const Words& words);
  Result<RedisReply> ask_idle(const Words& words);
  Result<RedisReply> ask_anew(const Words& words);
  std::optional<RedisConnection> take_idle();
  void keep_idle(RedisConnection connection);
  bool is_forked() const;

  Options options_;
  pid_t process_;
  RedisConnection::LastHeard heard_{};
  std::mutex mutex_;
  std::vector<RedisConnection> idle_;
};

}  // namespace kmux
