// The two lessons on prefix sums, computed by the library calls that every user has.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/plan.hpp"
#include "picture/picture.hpp"
#include "picture/verdict.hpp"

namespace cumulo::app {

// The same numbers on the host and in the device's memory, from where the picture is drawn.
struct Row {
  std::vector<std::uint32_t> values;
  Buffer buffer;
};

// What an algorithm does for the page's number of days.
struct Contender {
  std::string name;
  Counts counts;
};

// Page A: running totals of 256 days of sales.
struct SalesPage {
  Row sales;
  Row totals;
  std::string algorithm;
  std::optional<Counts> counts;  // of that algorithm, where they are known
  std::optional<Timing> timing;
  std::vector<Contender> contenders;  // the loop first
  std::uint32_t subgroup_width = 0;   // that the subgroup scan is counted for
  std::optional<picture::Difference> difference;
};

// Page B: what a scan is for.
struct CompactionPage {
  Row values;
  Row keep;
  Row inclusive;
  Row exclusive;
  Row slots;
  std::vector<std::uint32_t> packed;   // by compact(), which is to put every item into its slot
  std::vector<std::uint32_t> offsets;  // by allocate(): the exclusive totals, and that of all
  std::optional<picture::Difference> difference;
};

// broken: the result's element that is made wrong on purpose before it is compared and drawn.
Result<SalesPage> make_sales_page(Device& device, std::optional<std::uint64_t> broken);
Result<CompactionPage> make_compaction_page(Device& device, std::optional<std::uint64_t> broken);

// On a GPU .png is drawn there, straight from the rows' buffers; else on the CPU from their values.
Result<void> draw_page(Device& device, const SalesPage& page, const std::string& path);
Result<void> draw_page(Device& device, const CompactionPage& page, const std::string& path);

}  // namespace cumulo::app
