#include "select/plan_run.hpp"

#include "cpu/select.hpp"
#include "plan/selection_plans.hpp"

namespace cumulo::test {
namespace {

using What = plan::SelectionSlot::What;

std::vector<std::byte> garbage(std::uint64_t bytes) {
  return std::vector<std::byte>(bytes, std::byte{0xA7});
}

// Elements in runs: of words that often repeat.
std::vector<std::byte> in_runs(std::uint64_t n, std::uint32_t bytes, std::uint32_t mean) {
  std::mt19937 random{static_cast<std::uint32_t>(n) + mean + bytes};
  std::vector<std::byte> all;
  std::vector<std::byte> element(bytes);
  for (std::uint64_t i = 0; i < n;) {
    element[random() % bytes] ^= static_cast<std::byte>(1 + random() % 255);
    std::uint64_t length = 1 + random() % (2 * mean);
    if (random() % 256 == 0) length += 9000;
    for (; length > 0 && i < n; --length, ++i)
      all.insert(all.end(), element.begin(), element.end());
  }
  return all;
}

}  // namespace

SelectionCase make_case(const SelectionDescription& d, const SelectionLayout& layout,
                        std::uint64_t counted_n, double kept, std::uint32_t mean_run) {
  const auto slots = plan::selection_slots(d, layout.counted);
  SelectionCase c{d, {}, {}};
  cpu::SelectArrays arrays;
  std::vector<std::uint64_t> first;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const std::uint64_t bytes = slots[k].element_bytes;
    first.push_back(k < layout.misalignments.size() ? layout.misalignments[k] * bytes : 0);
    std::vector<std::byte> all = garbage(first[k]);
    if (slots[k].what == What::array) {
      const auto values = in_runs(d.n, slots[k].element_bytes, mean_run);
      all.insert(all.end(), values.begin(), values.end());
    } else if (slots[k].what == What::flags) {
      const auto flags = flags_of(*d.flags, random_choice(d.n, kept));
      all.insert(all.end(), flags.begin(), flags.end());
      all.resize((all.size() + 3) / 4 * 4);
    } else if (slots[k].what == What::n) {
      const auto n = static_cast<std::uint32_t>(counted_n);
      const auto word = std::as_bytes(std::span{&n, 1});
      all.insert(all.end(), word.begin(), word.end());
    } else {
      const auto more = garbage((slots[k].elements + 64) * bytes);
      all.insert(all.end(), more.begin(), more.end());
    }
    c.before.push_back(std::move(all));
  }
  c.after = c.before;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    std::byte* const at = c.after[k].data() + first[k];
    switch (slots[k].what) {
      case What::array: arrays.arrays.push_back(at); break;
      case What::flags: arrays.flags = at; break;
      case What::kept: arrays.kept.push_back(at); break;
      case What::indices: arrays.indices = reinterpret_cast<std::uint32_t*>(at); break;
      case What::lengths: arrays.lengths = reinterpret_cast<std::uint32_t*>(at); break;
      case What::counts:
      case What::n: break;
    }
  }
  SelectionDescription of_these = d;
  if (layout.counted) {
    of_these.capacity = result_count(d);
    of_these.n = std::min(d.n, counted_n);
  }
  const cpu::SelectCounts counts = value_of(cpu::select(of_these, arrays));
  const std::uint32_t words[]{static_cast<std::uint32_t>(counts.count),
                              static_cast<std::uint32_t>(counts.second)};
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (slots[k].what != What::counts) continue;
    std::memcpy(c.after[k].data() + first[k], words, count_words(d) * 4);
  }
  return c;
}

testing::AssertionResult is_right(Device& device, const Plan& plan, const SelectionCase& c,
                                  int times) {
  const PlanRun run = run_selection(device, plan, c.before, times);
  const std::string what =
      primitive_name(c.d) + " of " + std::to_string(c.d.n) + " by " + plan.algorithm + ": ";
  if ((run.status & status_stalled) != 0) return testing::AssertionFailure() << what << "stalled";
  for (std::size_t k = 0; k < c.after.size(); ++k) {
    const auto at = std::ranges::mismatch(c.after[k], run.contents[k]);
    if (at.in1 == c.after[k].end()) continue;
    return testing::AssertionFailure()
           << what << plan.buffers[k].name << " differs at byte " << at.in1 - c.after[k].begin()
           << " of " << c.after[k].size();
  }
  return testing::AssertionSuccess();
}

}  // namespace cumulo::test
