// How the caller's buffers lie, as values.
#include "plan/caller.hpp"

#include <gtest/gtest.h>

#include <array>

namespace cumulo::test {
namespace {

constexpr std::uint64_t n = 100;
const Limits limits{};  // offsets that can be bound are multiples of 256
const std::array<char, 2> buffers{};

Result<Arrangement> arranged(const CallerPlace& in, const CallerPlace& out) {
  const PlanFamily family = plans_of(ScanDescription{.n = n});
  return arrange(family.slots, std::array{in, out}, limits, family.can_be_in_place);
}

TEST(Arrange, BindsFromTheLastOffsetThatCanBe) {
  const auto found = arranged({&buffers[0], 0, 4096}, {&buffers[1], 300, 4096});
  ASSERT_TRUE(found) << describe(found.error());
  EXPECT_EQ(found->bound_offsets, (std::vector<std::uint64_t>{0, 256}));
  EXPECT_EQ(found->layout.aliasing, Aliasing::none);
  EXPECT_EQ(found->layout.misalignment(0), 0U);
  EXPECT_EQ(found->layout.misalignment(1), 11U);
}

TEST(Arrange, KnowsWhetherTheLastVectorIsWhole) {
  const ScanDescription odd{.n = 101};
  const PlanFamily family = plans_of(odd);
  const std::array places{CallerPlace{&buffers[0], 0, 404}, CallerPlace{&buffers[1], 0, 416}};
  const auto found = arrange(family.slots, places, limits, true);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->layout.is_padded(0));
  EXPECT_TRUE(found->layout.is_padded(1));
}

TEST(Arrange, TellsOneBufferFromTwo) {
  const auto place = [](std::uint64_t offset) { return CallerPlace{&buffers[0], offset, 4096}; };
  EXPECT_EQ(arranged(place(512), place(512))->layout.aliasing, Aliasing::in_place);
  EXPECT_EQ(arranged(place(0), place(512))->layout.aliasing, Aliasing::same_buffer);
  EXPECT_EQ(arranged(place(512), place(0))->layout.aliasing, Aliasing::same_buffer);
}

TEST(Arrange, RefusesWhatCannotBe) {
  const auto place = [](std::uint64_t offset) { return CallerPlace{&buffers[0], offset, 4096}; };
  const auto message = [](const Result<Arrangement>& found) {
    return found ? std::string("nothing said") : found.error().message;
  };
  EXPECT_NE(message(arranged(place(0), place(100))).find("overlap in one buffer"),
            std::string::npos);
  EXPECT_NE(message(arranged(place(0), place(404))).find("lie so close in one buffer"),
            std::string::npos);
  EXPECT_NE(message(arranged(place(2), place(512))).find("no multiple of its elements' 4"),
            std::string::npos);
}

TEST(PlanFamily, NamesTheBuffersOfEveryPrimitive) {
  const auto names = [](const PlanFamily& family) {
    std::string text;
    for (const CallerSlot& slot : family.slots) {
      text += slot.what + (slot.is_written ? "! " : " ");
    }
    return text;
  };
  EXPECT_EQ(names(plans_of(ScanDescription{.n = n}, true)), "input output! count ");
  EXPECT_EQ(names(plans_of(ReduceDescription{.n = n})), "input output! ");
  EXPECT_EQ(names(plans_of(SelectionDescription{
                .n = n, .arrays = {{}}, .flags = FlagType::u8, .indices = true})),
            "input flags output! indices! counts! ");
  EXPECT_EQ(names(plans_of(AllocateDescription{.n = n, .capacity_on_device = true}, true)),
            "counts offsets! report! capacity count ");
  EXPECT_EQ(names(plans_of(ExpandDescription{.n = n, .capacity = 5})),
            "counts values output! report! ");
  EXPECT_EQ(names(plans_of(ArgumentsDescription{.forms = {{}}})), "count arguments! ");
}

TEST(PlanFamily, PlansWithTheCallersBuffersInTheirOrder) {
  const PlanFamily family =
      plans_of(ExpandDescription{.n = n, .capacity = 5, .arguments = {{}}}, true);
  const auto made = family.plan({}, {}, 0);
  ASSERT_TRUE(made) << describe(made.error());
  ASSERT_EQ(made->external.size(), family.slots.size());
  for (std::size_t k = 0; k < family.slots.size(); ++k) {
    const PlanBuffer& buffer = made->plan.buffers[made->external[k]];
    EXPECT_GE(buffer.bytes, family.slots[k].elements * family.slots[k].element_bytes);
    EXPECT_EQ(buffer.role == BufferRole::output, family.slots[k].is_written) << buffer.name;
  }
}

}  // namespace
}  // namespace cumulo::test
