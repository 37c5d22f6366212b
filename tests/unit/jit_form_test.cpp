#include "kmux/jit_form.h"

#include <array>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::ElementsAreArray;

/// A tensor whose description the test may change.
struct Described {
  std::array<std::int64_t, 2> shape{2, 3};
  std::array<std::int64_t, 2> strides{3, 1};
  DLTensor tensor{.data = nullptr,
                  .device = {kDLCPU, 0},
                  .ndim = 2,
                  .dtype = {kDLFloat, 32, 1},
                  .shape = shape.data(),
                  .strides = strides.data(),
                  .byte_offset = 0};
};

std::vector<std::uint64_t> words_of(const std::vector<Arg>& tensors) {
  CallForm form;
  form.add(tensors);
  return {form.words().begin(), form.words().end()};
}
std::vector<std::uint64_t> words_of(const DLTensor& tensor) { return words_of(std::vector<Arg>{&tensor}); }

/// Returns the words of a tensor after `change`.
template <class Change>
std::vector<std::uint64_t> changed(const Change& change) {
  Described described;
  change(described);
  return words_of(described.tensor);
}

TEST(JitFormTest, IgnoresTensorMemory) {
  const Described first;
  Described other;
  float value = 0;
  other.tensor.data = &value;
  other.tensor.byte_offset = 64;
  EXPECT_EQ(words_of(first.tensor), words_of(other.tensor));
}

TEST(JitFormTest, DistinguishesTensorProperties) {
  const auto none = [](Described&) {};
  const std::set<std::vector<std::uint64_t>> forms{
      changed(none),
      changed([](Described& d) { d.shape[0] = 4; }),
      changed([](Described& d) { d.shape[1] = 4; }),
      changed([](Described& d) { d.strides[0] = 4; }),
      changed([](Described& d) { d.tensor.strides = nullptr; }),
      changed([](Described& d) { d.tensor.ndim = 1; }),
      changed([](Described& d) { d.tensor.ndim = 0; }),
      changed([](Described& d) { d.tensor.dtype.code = kDLInt; }),
      changed([](Described& d) { d.tensor.dtype.bits = 16; }),
      changed([](Described& d) { d.tensor.dtype.lanes = 4; }),
      changed([](Described& d) { d.tensor.device.device_type = kDLCUDA; }),
      changed([](Described& d) { d.tensor.device.device_id = 1; }),
      words_of({Arg(nullptr)}),
      words_of(std::vector<Arg>{}),
      words_of({Arg(nullptr), Arg(nullptr)}),
  };
  EXPECT_EQ(forms.size(), 15U);
}

TEST(JitFormTest, DistinguishesReadOnlyTensor) {
  float value = 0;
  std::int64_t extent = 1;
  DLManagedTensorVersioned managed{};
  managed.version = {1, 1};
  managed.dl_tensor = {&value, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &extent, nullptr, 0};
  const Tensor writable = Tensor::from_dlpack(&managed).value();
  managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  const Tensor read_only = Tensor::from_dlpack(&managed).value();
  EXPECT_NE(words_of({Arg(writable)}), words_of({Arg(read_only)}));
}

TEST(JitFormTest, DistinguishesTexts) {
  const auto of = [](std::vector<std::string> texts) {
    CallForm form;
    for (const std::string& text : texts) form.add(std::string_view(text));
    return std::vector<std::uint64_t>(form.words().begin(), form.words().end());
  };
  const std::set<std::vector<std::uint64_t>> forms{of({}),           of({""}),         of({"", ""}),
                                                   of({"a"}),        of({"ab"}),       of({"a", "b"}),
                                                   of({"b", "a"}),   of({"12345678"}), of({std::string("a\0", 2)}),
                                                   of({"123456789"})};
  EXPECT_EQ(forms.size(), 10U);
}

TEST(JitFormTest, GrowsBeyondStackStorage) {
  CallForm form;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t word = 0; word < 3 * CallForm::kOnStack; ++word) {
    form.add(word);
    expected.push_back(word);
    ASSERT_THAT(form.words(), ElementsAreArray(expected));
  }
}

TEST(JitFormTest, HashesEveryWordAndPosition) {
  std::set<std::uint64_t> hashes;
  std::size_t forms = 0;
  for (std::size_t size = 0; size < 20; ++size) {
    for (std::size_t bit = 0; bit < 64 * size; bit += 7) {
      CallForm form;
      for (std::size_t i = 0; i < size; ++i) form.add(bit / 64 == i ? std::uint64_t{1} << bit % 64 : 0);
      hashes.insert(form.hash());
      ++forms;
    }
  }
  EXPECT_EQ(hashes.size(), forms);
  CallForm one, same;
  one.add(std::uint64_t{7});
  same.add(std::uint64_t{7});
  EXPECT_EQ(one.hash(), same.hash());
}

}  // namespace
}  // namespace kmux
