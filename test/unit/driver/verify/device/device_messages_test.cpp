// What goes to a worker process and back arrives as it was; what is cut short is seen to be.
#include "verify/device/device_connection.h"
#include "verify/device/device_messages.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lanewise::driver {
namespace {

// Gives every field a value of its own.
class Filler {
public:
  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>)
      value = true;
    else if constexpr (std::is_enum_v<T>)
      value = T(1);
    else if constexpr (std::is_arithmetic_v<T>)
      value = T(++last_);
    else
      visitFields(value, [this](auto&... fields) { (fill(fields), ...); });
  }
  void fill(std::string& text) { text = "text " + std::to_string(++last_); }
  template <class T, size_t N>
  void fill(std::array<T, N>& values) {
    for (T& value : values) fill(value);
  }
  template <class T>
  void fill(std::optional<T>& value) {
    fill(value.emplace());
  }
  template <class T>
  void fill(std::vector<T>& values) {
    for (size_t i = 0; i < 2; ++i) fill(values.emplace_back());
  }
  template <class V>
  void fill(std::map<uint32_t, V>& values) {
    for (size_t i = 0; i < 2; ++i) fill(values[uint32_t(++last_)]);
  }
  template <class T, class U>
  void fill(std::pair<T, U>& pair) {
    fill(pair.first);
    fill(pair.second);
  }

private:
  unsigned last_ = 0;
};

template <class T>
T filled() {
  T value{};
  Filler().fill(value);
  return value;
}

template <class T>
std::string written(const T& value) {
  MessageWriter writer;
  writer.put(value);
  return writer.head();
}

template <class T>
class DeviceMessages : public testing::Test {};

// All that requests and answers are made of.
using Messages =
    testing::Types<RunnerOptions, DeviceInfo, std::vector<DeviceInfo>, std::vector<ResourceShape>,
                   Program, std::vector<BufferInputHead>, RunStatus,
                   std::vector<PipelineStatistics>, std::vector<std::string>, std::vector<uint64_t>,
                   double, bool, DeviceCall>;
TYPED_TEST_SUITE(DeviceMessages, Messages);

TYPED_TEST(DeviceMessages, ComeBackAsTheyWere) {
  for (const TypeParam& value : {filled<TypeParam>(), TypeParam{}}) {
    const std::string bytes = written(value);
    MessageReader reader(bytes);
    const TypeParam read = reader.template get<TypeParam>();
    EXPECT_TRUE(reader.isAtEnd());
    EXPECT_EQ(written(read), bytes);
  }
  EXPECT_NE(written(filled<TypeParam>()), written(TypeParam{}));
}

TYPED_TEST(DeviceMessages, CutShortAreNotWhole) {
  const std::string bytes = written(filled<TypeParam>());
  for (size_t size = 0; size < bytes.size(); ++size) {
    MessageReader reader(std::string_view(bytes).substr(0, size));
    (void)reader.template get<TypeParam>();
    EXPECT_FALSE(reader.isWhole()) << size << " of " << bytes.size() << " bytes";
  }
  const std::string more = bytes + "x";
  MessageReader longer(more);
  (void)longer.template get<TypeParam>();
  EXPECT_TRUE(longer.isWhole());
  EXPECT_FALSE(longer.isAtEnd());
}

TEST(DeviceMessageParts, ProgramKeepsItsFields) {
  const Program program = filled<Program>();
  const std::string bytes = written(program);
  const Program read = MessageReader(bytes).get<Program>();
  ASSERT_EQ(read.shaders.size(), 2u);
  EXPECT_EQ(read.shaders[1].name, program.shaders[1].name);
  EXPECT_EQ(read.shaders[1].words, program.shaders[1].words);
  EXPECT_EQ(read.shaders[1].specConstants, program.shaders[1].specConstants);
  EXPECT_EQ(read.shaders[1].reflection.sharedBytes, program.shaders[1].reflection.sharedBytes);
  ASSERT_EQ(read.dispatches.size(), 2u);
  EXPECT_EQ(read.dispatches[1].pushConstants, program.dispatches[1].pushConstants);
  EXPECT_EQ(read.dispatches[1].indirect, program.dispatches[1].indirect);
  EXPECT_EQ(read.submitEvery, program.submitEvery);
}

// A count that promises more than there is must not be believed: it would take all memory.
TEST(DeviceMessageParts, HugeCountsAreNotWhole) {
  const std::string bytes = written(~uint64_t(0));
  MessageReader texts(bytes), words(bytes), numbers(bytes);
  EXPECT_TRUE(texts.get<std::string>().empty());
  EXPECT_TRUE(words.get<Words>().empty());
  EXPECT_TRUE(numbers.get<std::vector<uint64_t>>().empty());
  EXPECT_FALSE(texts.isWhole() || words.isWhole() || numbers.isWhole());
}

TEST(DeviceMessageParts, InputsPointIntoTheBulk) {
  const std::vector<uint8_t> first{1, 2, 3}, third{4};
  const std::vector<BufferInput> inputs{{first, {}}, {{}, uint8_t(9)}, {third, {}}};
  MessageWriter writer;
  writer.putInputs(inputs);
  std::vector<uint8_t> bulk;
  for (std::span<const uint8_t> part : writer.bulk())
    bulk.insert(bulk.end(), part.begin(), part.end());
  ASSERT_EQ(bulk.size(), 4u);

  MessageReader reader(writer.head(), bulk);
  const std::vector<BufferInput> read = reader.getInputs();
  EXPECT_TRUE(reader.isAtEnd());
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].bytes.data(), bulk.data());
  EXPECT_EQ(read[0].bytes.size(), 3u);
  EXPECT_EQ(read[1].fill, uint8_t(9));
  EXPECT_EQ(read[2].bytes[0], 4);

  MessageReader cut(writer.head(), std::span(bulk).first(3));
  (void)cut.getInputs();
  EXPECT_FALSE(cut.isWhole());
}

class Connection : public testing::Test {
protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    other_ = Descriptor(ends[1]);
    using Clock = DeviceConnection::Clock;
    connection_.emplace(Descriptor(ends[0]), [](Clock::time_point moved) {
      return std::chrono::ceil<std::chrono::milliseconds>(moved + std::chrono::milliseconds(200) -
                                                          Clock::now());
    });
  }
  void sendRaw(const std::vector<uint64_t>& numbers) {
    const size_t bytes = numbers.size() * sizeof numbers[0];
    ASSERT_EQ(::send(other_.get(), numbers.data(), bytes, 0), ssize_t(bytes));
  }
  bool receive() { return connection_->receive(head_, bulkBytes_); }

  Descriptor other_;
  std::optional<DeviceConnection> connection_;
  std::string head_;
  uint64_t bulkBytes_ = 0;
};

using Fault = DeviceConnection::Fault;

TEST_F(Connection, CarriesHeadAndBulk) {
  const std::vector<uint8_t> bulk{5, 6, 7};
  MessageWriter message;
  message.put(uint32_t(42));
  message.putBulk(bulk);
  message.putBulk({});
  DeviceConnection other(std::move(other_));
  ASSERT_TRUE(other.send(message));
  ASSERT_TRUE(receive());
  EXPECT_EQ(head_, message.head());
  ASSERT_EQ(bulkBytes_, bulk.size());
  std::vector<uint8_t> received(bulk.size());
  ASSERT_TRUE(connection_->receive(received));
  EXPECT_EQ(received, bulk);
}

TEST_F(Connection, EndsWithTheOtherSide) {
  other_ = Descriptor();
  EXPECT_FALSE(receive());
  EXPECT_EQ(connection_->fault(), Fault::Ended);
  MessageWriter message;
  EXPECT_FALSE(connection_->send(message)); // and no SIGPIPE
}

TEST_F(Connection, EndsWithinAMessage) {
  sendRaw({16, 0, 1}); // half of the head
  other_ = Descriptor();
  EXPECT_FALSE(receive());
  EXPECT_EQ(connection_->fault(), Fault::Ended);
}

TEST_F(Connection, TellsNonsenseFromLength) {
  sendRaw({~uint64_t(0), 0});
  EXPECT_FALSE(receive());
  EXPECT_EQ(connection_->fault(), Fault::InvalidLength);
}

TEST_F(Connection, GivesUpWaiting) {
  sendRaw({16, 0, 1});
  EXPECT_FALSE(receive());
  EXPECT_EQ(connection_->fault(), Fault::Overdue);
}

TEST_F(Connection, GivesUpSendingToWhoDoesNotRead) {
  const std::vector<uint8_t> bulk(size_t(16) << 20);
  MessageWriter message;
  message.putBulk(bulk);
  EXPECT_FALSE(connection_->send(message));
  EXPECT_EQ(connection_->fault(), Fault::Overdue);
}

} // namespace
} // namespace lanewise::driver
