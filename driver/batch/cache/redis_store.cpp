#include "batch/cache/store.h"

#include <cerrno>
#include <charconv>
#include <fmt/format.h>
#include <initializer_list>
#include <vector>
#if LANEWISE_HAS_REDIS
#include <hiredis/hiredis.h>
#endif

namespace lanewise::driver {

namespace {

constexpr std::string_view kHostScheme = "redis://";
constexpr std::string_view kSocketScheme = "unix://";

Error badAddress(std::string_view text, std::string_view why) {
  return {fmt::format("--cache={}: {}; it is redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE] or "
                      "unix://[[USER:]PASSWORD@]/SOCKET[?db=DATABASE]",
                      text, why),
          {},
          0,
          {}};
}

bool parseNumber(std::string_view text, int most, int& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= most;
}

/// "%40" for '@' and the like.
std::string decodePercent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
            text.data() + i + 3) {
      out += char(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Takes "USER:PASSWORD@", ":PASSWORD@" or "PASSWORD@" off the front.
void takeUser(std::string_view& rest, RedisAddress& address) {
  const size_t at = rest.substr(0, rest.find('/')).rfind('@');
  if (at == std::string_view::npos) return;
  std::string_view user = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  const size_t colon = user.find(':');
  if (colon != std::string_view::npos) {
    address.user = decodePercent(user.substr(0, colon));
    user.remove_prefix(colon + 1);
  }
  address.password = decodePercent(user);
}

} // namespace

bool isRedisAddress(std::string_view text) {
  return text.starts_with(kHostScheme) || text.starts_with(kSocketScheme);
}

Result<RedisAddress> parseRedisAddress(std::string_view text) {
  constexpr int kMostDatabases = 1 << 20;
  RedisAddress address;
  std::string_view rest = text;
  const bool isSocket = text.starts_with(kSocketScheme);
  rest.remove_prefix(isSocket ? kSocketScheme.size() : kHostScheme.size());
  takeUser(rest, address);
  if (isSocket) {
    const size_t query = rest.find("?db=");
    if (query != std::string_view::npos) {
      if (!parseNumber(rest.substr(query + 4), kMostDatabases, address.database))
        return badAddress(text, "the database is not a number");
      rest = rest.substr(0, query);
    }
    if (!rest.starts_with('/')) return badAddress(text, "the socket's path must begin with '/'");
    address.socket = rest;
    return address;
  }
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    if (!database.empty() && !parseNumber(database, kMostDatabases, address.database))
      return badAddress(text, "the database is not a number");
    rest = rest.substr(0, slash);
  }
  // "[::1]:6379": the colons between brackets are the address's own.
  const size_t bracket = rest.find(']');
  const size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    if (!parseNumber(rest.substr(colon + 1), 65535, address.port) || address.port == 0)
      return badAddress(text, "the port must be a number from 1 to 65535");
    rest = rest.substr(0, colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  if (rest.empty()) return badAddress(text, "there is no host");
  address.host = rest;
  return address;
}

#if LANEWISE_HAS_REDIS

bool hasRedis() {
  return true;
}

namespace {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

struct FreeContext {
  void operator()(redisContext* context) const { redisFree(context); }
};

class RedisStore : public Store {
public:
  explicit RedisStore(RedisAddress address) : address_(std::move(address)) {}

  std::optional<std::string> get(const Digest& key) override {
    const std::string name = nameOf(key);
    Reply reply = call({"GET", name});
    // A value of another type is an error reply, a missing one nil: both are misses.
    if (!reply || reply->type != REDIS_REPLY_STRING) return {};
    return std::string(reply->str, reply->len);
  }

  void put(const Digest& key, std::string_view bytes) override {
    const std::string name = nameOf(key);
    Reply reply = call({"SET", name, bytes});
    // A full server that may not evict, one that only reads.
    if (reply && reply->type == REDIS_REPLY_ERROR)
      fail(fmt::format("refuses to store: {}", reply->str));
  }

private:
  static constexpr const char* kSilent = "does not answer";

  static std::string nameOf(const Digest& key) { return "lanewise:" + hexOf(key); }

  void fail(std::string_view why) {
    const std::string where = address_.host.empty()
                                  ? address_.socket
                                  : fmt::format("{}:{}", address_.host, address_.port);
    report(fmt::format("Redis server {} {}", where, why));
  }

  /// Null when the server cannot be asked.
  Reply call(std::initializer_list<std::string_view> words) {
    // The connection may have broken since the last call: a second attempt is worth it, once.
    std::string why;
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!connect()) return {};
      if (Reply reply = send(words)) return reply;
      const bool isSlow = hasTimedOut();
      why = isSlow ? kSilent : fmt::format("is gone: {}", context_->errstr);
      context_.reset();
      if (isSlow) break; // and would take as long again
    }
    fail(why);
    isGivenUp_ = true;
    return {};
  }

  bool hasTimedOut() const { return context_->err == REDIS_ERR_IO && errno == EAGAIN; }

  Reply send(std::initializer_list<std::string_view> words) {
    std::vector<const char*> data;
    std::vector<size_t> sizes;
    for (std::string_view word : words) {
      data.push_back(word.data());
      sizes.push_back(word.size());
    }
    return Reply(static_cast<redisReply*>(
        redisCommandArgv(context_.get(), int(words.size()), data.data(), sizes.data())));
  }

  bool connect() {
    if (context_) return true;
    if (isGivenUp_) return false;
    constexpr timeval kPatience{2, 0};
    context_.reset(address_.host.empty()
                       ? redisConnectUnixWithTimeout(address_.socket.c_str(), kPatience)
                       : redisConnectWithTimeout(address_.host.c_str(), address_.port, kPatience));
    if (!context_ || context_->err)
      return giveUp(refusal(context_ ? context_->errstr : "out of memory"));
    if (redisSetTimeout(context_.get(), kPatience) != REDIS_OK)
      return giveUp(refusal(context_->errstr));
    if (!address_.password.empty()) {
      const bool hasUser = !address_.user.empty();
      Reply reply = hasUser ? send({"AUTH", address_.user, address_.password})
                            : send({"AUTH", address_.password});
      if (!isDone(reply)) return false;
    }
    if (address_.database != 0)
      if (Reply reply = send({"SELECT", std::to_string(address_.database)}); !isDone(reply))
        return false;
    // A server that wants a password says so here, before anything depends on it.
    if (Reply reply = send({"PING"}); !isDone(reply)) return false;
    return true;
  }

  bool isDone(const Reply& reply) {
    if (!reply) return hasTimedOut() ? giveUp(kSilent) : giveUp(refusal(context_->errstr));
    if (reply->type == REDIS_REPLY_ERROR) return giveUp(refusal(reply->str));
    return true;
  }

  static std::string refusal(std::string_view why) {
    return fmt::format("cannot be used: {}", why);
  }

  bool giveUp(std::string_view why) {
    fail(why);
    context_.reset();
    isGivenUp_ = true;
    return false;
  }

  RedisAddress address_;
  std::unique_ptr<redisContext, FreeContext> context_;
  bool isGivenUp_ = false;
};

} // namespace

std::unique_ptr<Store> openRedisStore(const RedisAddress& address) {
  return std::make_unique<RedisStore>(address);
}

#else

bool hasRedis() {
  return false;
}

std::unique_ptr<Store> openRedisStore(const RedisAddress&) {
  return {};
}

#endif

} // namespace lanewise::driver
