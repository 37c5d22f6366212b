#include "random_order.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "kmux/tensor.h"

#include "graph_capture.h"

namespace kmux::order {
namespace {

constexpr int kSteps = 60;
constexpr std::size_t kMaxItems = 8;
constexpr std::array<std::int64_t, 3> kSizes = {16, 64, 200};

// A tensor whose elements all have one value, and the streams (by index) that may have work on it.
struct Item {
  Tensor tensor;
  float value = 0;
  std::vector<int> streams;
};

class RandomOrder {
 public:
  RandomOrder(FakeCuda& fake, const OrderKernels& kernels, std::uint64_t seed)
      : fake_(fake), kernels_(kernels), device_(kernels.fill.device()), random_(seed) {
    streams_.emplace_back();  // the default stream
    for (int i = 0; i < 3; ++i) streams_.push_back(Stream::create(device_).value());
    foreign_ = Stream::create(device_).value();
  }

  std::string run() {
    for (int step = 0; step < kSteps && problem_.empty(); ++step) step_once();
    end_foreign_capture();
    while (!items_.empty() && problem_.empty()) check(items_.size() - 1), items_.pop_back();
    items_.clear();
    for (const Stream& stream : streams_) synchronize(stream);
    synchronize(foreign_);
    if (problem_.empty()) problem_ = fake_.misuse();
    return problem_;
  }

 private:
  using Action = void (RandomOrder::*)();

  void step_once() {
    static constexpr std::array<Action, 20> kActions = {&RandomOrder::make,        &RandomOrder::make,
                                                        &RandomOrder::make,        &RandomOrder::make,
                                                        &RandomOrder::add,         &RandomOrder::add,
                                                        &RandomOrder::add,         &RandomOrder::overwrite,
                                                        &RandomOrder::overwrite,   &RandomOrder::overwrite,
                                                        &RandomOrder::drop,        &RandomOrder::drop,
                                                        &RandomOrder::drop,        &RandomOrder::drop,
                                                        &RandomOrder::check_one,   &RandomOrder::replace_stream,
                                                        &RandomOrder::round_trip,  &RandomOrder::foreign_capture,
                                                        &RandomOrder::own_capture, &RandomOrder::copy_in};
    (this->*kActions[below(kActions.size())])();
  }

  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  int any_stream() { return static_cast<int>(below(streams_.size())); }
  float any_value() { return static_cast<float>(below(1000)); }
  std::int64_t any_size() { return kSizes[below(kSizes.size())]; }
  StreamRef stream(int index) const { return streams_[static_cast<std::size_t>(index)]; }
  Item* any_item() { return items_.empty() ? nullptr : &items_[below(items_.size())]; }

  void fail(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }
  template <class T>
  bool took(const Result<T>& result, const char* what) {
    if (!result) fail(std::string(what) + ": " + result.error().explain());
    return result.ok();
  }
  void synchronize(const Stream& stream) {
    if (stream.handle() == nullptr)
      took(device_.synchronize(), "synchronize");
    else
      took(stream.synchronize(), "synchronize");
  }

  // Makes stream `index` wait for all accesses of the item, as an application must.
  void order(Item& item, int index) {
    for (const int other : item.streams) {
      if (other == index) continue;
      const auto event = Event::create(device_);
      if (!took(event, "event")) return;
      took(event->record(stream(other)), "record");
      took(Stream::borrow(device_, stream(index).handle).wait(*event), "wait");
    }
    item.streams = {index};
  }
  // As `order` for an access that reads: other streams may continue reading.
  void order_read(Item& item, int index) {
    std::vector<int> before = item.streams;
    order(item, index);
    item.streams = std::move(before);
    if (std::ranges::find(item.streams, index) == item.streams.end()) item.streams.push_back(index);
  }

  void add_item(Item item) {
    if (items_.size() == kMaxItems) items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(below(kMaxItems)));
    items_.push_back(std::move(item));
  }

  void make() {
    const int on = any_stream();
    const float value = any_value();
    const std::int64_t size = any_size();
    // No tensor determines the extent, so the caller allocates the memory.
    auto tensor = Tensor::empty({size}, dtype::kFloat32, device_, stream(on));
    if (!took(tensor, "empty")) return;
    if (took(kernels_.fill.launch({*tensor, value}, stream(on)), "fill")) add_item({*std::move(tensor), value, {on}});
  }

  const Kernel& any_sum() {
    const Kernel* const kernels[] = {&kernels_.add, &kernels_.through, &kernels_.graph};
    return *kernels[below(3)];
  }

  void add() {
    Item* const item = any_item();
    if (item == nullptr) return;
    const int on = any_stream();
    const float value = any_value();
    order_read(*item, on);
    const std::array<Arg, 2> inputs{Arg(item->tensor), Arg(value)};
    const auto outputs = any_sum().call(inputs, stream(on));
    if (took(outputs, "add")) add_item({(*outputs)[0], item->value + value, {on}});
  }

  void overwrite() {
    Item* const item = any_item();
    if (item == nullptr) return;
    const int on = any_stream();
    const float value = any_value();
    order(*item, on);
    if (took(kernels_.fill.launch({item->tensor, value}, stream(on)), "fill")) item->value = value;
  }

  void drop() {
    if (!items_.empty()) items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(below(items_.size())));
  }

  void check_one() {
    if (!items_.empty()) check(below(items_.size()));
  }
  void check(std::size_t index) {
    Item& item = items_[index];
    const int on = any_stream();
    order_read(item, on);
    const auto host = item.tensor.to({}, stream(on));
    if (!took(host, "copy to the host")) return;
    for (std::int64_t i = 0; i < host->element_count(); ++i) {
      const float got = host->data_as<float>()[i];
      if (got != item.value) {
        return fail("element " + std::to_string(i) + " is " + std::to_string(got) + ", not " +
                    std::to_string(item.value));
      }
    }
  }

  // Destroys a stream with pending work; later work on the default stream waits for it.
  void replace_stream() {
    const std::size_t index = 1 + below(streams_.size() - 1);
    const auto event = Event::create(device_);
    if (!took(event, "event")) return;
    took(event->record(streams_[index]), "record");
    took(Stream::borrow(device_, nullptr).wait(*event), "wait");
    for (Item& item : items_) {
      if (std::erase(item.streams, static_cast<int>(index)) != 0 &&
          std::ranges::find(item.streams, 0) == item.streams.end())
        item.streams.push_back(0);
    }
    auto made = Stream::create(device_);
    if (took(made, "stream")) streams_[index] = *std::move(made);
  }

  // Exports the tensor as DLPack, and imports it as a plain DLTensor.
  void round_trip() {
    Item* const item = any_item();
    if (item == nullptr) return;
    const int on = any_stream();
    const float value = any_value();
    order(*item, on);
    DLManagedTensorVersioned* const managed = item->tensor.to_dlpack_versioned();
    if (took(kernels_.fill.launch({&managed->dl_tensor, value}, stream(on)), "fill")) item->value = value;
    managed->deleter(managed);
  }

  void copy_in() {
    const std::vector<float> values(static_cast<std::size_t>(any_size()), any_value());
    const auto size = static_cast<std::int64_t>(values.size());
    const int on = any_stream();
    const Tensor host = Tensor::from<float>({size}, dtype::kFloat32, values).value();
    auto tensor = host.to(device_, stream(on));
    if (took(tensor, "copy to the device")) add_item({*std::move(tensor), values[0], {on}});
  }

  // Another user of the device captures a graph for a while.
  void foreign_capture() {
    if (capturing_) return end_foreign_capture();
    capture_.begin(foreign_.handle());
    capturing_ = true;
  }
  void end_foreign_capture() {
    if (!capturing_) return;
    capturing_ = false;
    if (!capture_.is_whole(foreign_.handle())) return fail("somebody's capture is spoiled");
    capture_.destroy(capture_.end(foreign_.handle()));
  }

  // Captures a graph with a temporary that is allocated and freed within it. The launcher must call `used_on` for its
  // tensors.
  void own_capture() {
    Item* const item = any_item();
    if (item == nullptr || capturing_) return;
    const int on = 1 + static_cast<int>(below(streams_.size() - 1));
    const float first = any_value();
    const float second = any_value();
    order(*item, on);
    capture_.begin(stream(on).handle);
    record_sum(item->tensor, on, first, second);
    if (!capture_.is_whole(stream(on).handle)) return fail("a capture is spoiled by what it records");
    capture_.launch(capture_.end(stream(on).handle), stream(on).handle);
    took(item->tensor.used_on(stream(on)), "used_on");
    item->value += first + second;
  }
  void record_sum(const Tensor& target, int on, float first, float second) {
    const std::array<Arg, 2> inputs{Arg(target), Arg(first)};
    const auto temporary = kernels_.add.call(inputs, stream(on));
    if (!took(temporary, "add in a capture")) return;
    took(kernels_.add.launch({(*temporary)[0], target, second}, stream(on)), "add in a capture");
  }

  FakeCuda& fake_;
  const GraphCapture capture_;
  const OrderKernels& kernels_;
  const Device device_;
  std::mt19937_64 random_;
  std::vector<Stream> streams_;
  Stream foreign_;
  bool capturing_ = false;
  std::vector<Item> items_;
  std::string problem_;
};

}  // namespace

std::string run_random_order(FakeCuda& fake, const OrderKernels& kernels, std::uint64_t seed) {
  for (const Kernel* kernel : {&kernels.fill, &kernels.add, &kernels.through, &kernels.graph}) kernel->warm().value();
  const std::size_t before = fake.live().allocations;
  fake.set_deferred(seed);
  std::string problem;
  try {
    problem = RandomOrder(fake, kernels, seed).run();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  fake.set_eager();
  const std::size_t after = fake.live().allocations;
  if (problem.empty() && after != before) problem = std::to_string(after - before) + " allocations are left";
  return problem;
}

}  // namespace kmux::order
