#include "plan/spine.hpp"

namespace cumulo::plan {
namespace {

constexpr std::uint32_t ticket_bits = 17;
static_assert(32 - ticket_bits == 15, "the tags of 16 bits count the runs above the tickets");
// Looks at one descriptor before a run is given up: some seconds. Where workgroups are run by
// ordinary threads, others may have the processor for long.
constexpr std::uint32_t spins = 1U << 22;
constexpr std::uint32_t patient_spins = 1U << 26;

}  // namespace

void add_spine_values(Values& values, const Traits& traits, std::uint32_t withhold,
                      const SpineLayout& layout, SpineWord word) {
  values.insert({{"WITHHOLD", withhold},
                 {"ORDERED", traits.ordered_workgroups ? 1 : 0},
                 {"WIDE_SPINE", word == SpineWord::u64 ? 1 : 0},
                 {"TICKET_BITS", ticket_bits},
                 {"TICKET_MASK", (1 << ticket_bits) - 1},
                 {"FIRST_BLOCK", layout.first_block},
                 {"FIRST_GROUP", layout.first_group},
                 {"FIRST_TILE", layout.first_tile},
                 {"LINE", spine::line},
                 {"SPINS", traits.forward_progress ? spins : patient_spins}});
}

std::uint32_t add_spine(Plan& plan, const SpineLayout& layout, std::uint64_t tiles, SpineWord word,
                        std::uint32_t tag_bits) {
  const auto buffer = static_cast<std::uint32_t>(plan.buffers.size());
  plan.buffers.push_back(
      {"spine", (layout.first_tile + tiles * spine::line) * 4, BufferRole::scratch});
  plan.status = PlanStatus{buffer, word == SpineWord::u64 ? 8U : 4U};  // its word 1
  plan.renewal = PlanRenewal{buffer, runs_of_tag(tag_bits)};
  return buffer;
}

}  // namespace cumulo::plan
