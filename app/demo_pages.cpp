#include "demo_pages.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "cumulo/allocate.hpp"
#include "cumulo/compact.hpp"
#include "cumulo/scan.hpp"
#include "formats/file.hpp"
#include "options.hpp"

namespace cumulo::app {
namespace {

constexpr std::uint32_t days = 256;
constexpr std::uint32_t common_subgroup_width = 32;

using Words = std::vector<std::uint32_t>;

Result<Row> upload(Device& device, Words values, std::string_view label) {
  auto buffer = device.upload(std::as_bytes(std::span{values}), label);
  if (!buffer) return std::unexpected{std::move(buffer.error())};
  return Row{std::move(values), std::move(*buffer)};
}

Result<Row> scan_row(Device& device, const Row& in, ScanKind kind, Algorithm algorithm,
                     std::optional<std::uint64_t> broken) {
  const std::uint64_t n = in.values.size();
  auto prepared = prepare_scan(device, {.n = n, .kind = kind, .algorithm = algorithm});
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  auto out = upload(device, Words(n), "scanned");
  if (!out) return out;
  if (auto ran = prepared->run(in.buffer, out->buffer); !ran) {
    return std::unexpected{std::move(ran.error())};
  }
  const auto read = [&] {
    return device.read(out->buffer, 0, std::as_writable_bytes(std::span{out->values}));
  };
  if (auto ok = read(); !ok) return std::unexpected{std::move(ok.error())};
  if (broken && *broken < n) {
    std::uint32_t& word = out->values[*broken];
    word = word == 0 ? 1 : 0;
    auto ok = device.write(out->buffer, *broken * sizeof word, std::as_bytes(std::span{&word, 1}));
    if (!ok) return std::unexpected{std::move(ok.error())};
  }
  return out;
}

// The teaching form where there are workgroups; the CPU backend has none.
Algorithm page_algorithm(const Device& device) {
  return device.info().backend == Backend::webgpu ? Algorithm::hillis_steele : Algorithm::automatic;
}

// As the picture says it.
picture::SalesFacts facts_of(const Device& device, const SalesPage& page) {
  if (device.info().backend == Backend::cpu) {
    return {.scan = "the CPU backend's " + page.algorithm + " scan", .counts = page.counts};
  }
  const bool hillis_steele = page.algorithm == name(Algorithm::hillis_steele);
  return {.scan = hillis_steele ? "Hillis-Steele" : page.algorithm, .counts = page.counts};
}

// The device's traits; where its subgroup width is not known, those of a common one.
Traits traits_to_count_for(const Device& device) {
  Traits traits = device.traits();
  if (traits.subgroups && traits.subgroup_width != 0) return traits;
  traits.subgroups = true;
  traits.subgroup_min_size = traits.subgroup_max_size = common_subgroup_width;
  traits.subgroup_width = common_subgroup_width;
  return traits;
}

Result<std::vector<Contender>> make_contenders(const Traits& traits) {
  std::vector<Contender> contenders{{"loop", {.steps = days - 1, .additions = days - 1}}};
  for (const Algorithm algorithm :
       {Algorithm::hillis_steele, Algorithm::blelloch, Algorithm::subgroup}) {
    auto plan = plan_scan({.n = days, .algorithm = algorithm}, traits);
    if (!plan) return std::unexpected{std::move(plan.error())};
    contenders.push_back({std::string(name(algorithm)), plan->counts.value_or(Counts{})});
  }
  return contenders;
}

// Every kept item where its slot says.
Words by_slots(const CompactionPage& page) {
  Words items(static_cast<std::size_t>(std::ranges::count(page.keep.values, 1U)));
  for (std::size_t i = 0; i < page.values.values.size(); ++i) {
    const std::uint32_t slot = page.slots.values[i];
    if (page.keep.values[i] == 1 && slot < items.size()) items[slot] = page.values.values[i];
  }
  return items;
}

// Where compact() and allocate() do not say what the scans say.
std::optional<picture::Difference> calls_differ(const CompactionPage& page) {
  const auto compare = [](std::string_view what, const Words& expected, const Words& found) {
    if (expected.size() == found.size()) return picture::first_difference(what, expected, found);
    return std::optional{picture::Difference{"number " + std::string(what), 0,
                                             static_cast<std::uint32_t>(expected.size()),
                                             static_cast<std::uint32_t>(found.size())}};
  };
  if (auto packed = compare("packed", by_slots(page), page.packed)) return packed;
  Words offsets = page.exclusive.values;
  offsets.push_back(page.inclusive.values.back());
  return compare("allocated", offsets, page.offsets);
}

Result<void> paint(Device& device, Result<picture::Scene> scene,
                   std::span<const picture::ArrayBuffer> buffers, const std::string& path) {
  if (!scene) return std::unexpected{std::move(scene.error())};
  auto file = PendingFile::create(path);
  if (!file) return std::unexpected{std::move(file.error())};
  const std::string& beside = file->temporary_path();
  Result<void> written;
  if (device.info().backend == Backend::webgpu && path.ends_with(".png")) {
    auto image = picture::paint_on_gpu(device, *scene, buffers);
    if (!image) return std::unexpected{std::move(image.error())};
    written = picture::write_picture(*image, beside);
  } else {
    written = picture::write_picture(*scene, beside);
  }
  return written ? file->commit() : written;
}

}  // namespace

Result<SalesPage> make_sales_page(Device& device, std::optional<std::uint64_t> broken) {
  Words days_sales(days);
  for (std::uint32_t day = 0; day < days; ++day) days_sales[day] = 7 * day % 5;
  auto sales = upload(device, std::move(days_sales), "sales");
  if (!sales) return std::unexpected{std::move(sales.error())};
  const Algorithm algorithm = page_algorithm(device);
  auto timed = scan(device, ScanKind::inclusive, std::span<const std::uint32_t>{sales->values},
                    {.algorithm = algorithm}, {.timed_runs = timed_runs});
  if (!timed) return std::unexpected{std::move(timed.error())};
  auto totals = scan_row(device, *sales, ScanKind::inclusive, algorithm, broken);
  if (!totals) return std::unexpected{std::move(totals.error())};
  const Traits traits = traits_to_count_for(device);
  auto contenders = make_contenders(traits);
  if (!contenders) return std::unexpected{std::move(contenders.error())};
  auto difference = picture::first_difference(
      "total", picture::running_sum(sales->values, ScanKind::inclusive), totals->values);
  return SalesPage{.sales = std::move(*sales),
                   .totals = std::move(*totals),
                   .algorithm = timed->report.algorithm,
                   .counts = timed->report.counts,
                   .timing = timed->report.timing,
                   .contenders = std::move(*contenders),
                   .subgroup_width = traits.subgroup_width,
                   .difference = std::move(difference)};
}

Result<CompactionPage> make_compaction_page(Device& device, std::optional<std::uint64_t> broken) {
  auto values = upload(device, {3, 1, 4, 1, 5, 9, 2, 6}, "values");
  if (!values) return std::unexpected{std::move(values.error())};
  auto keep = upload(device, {1, 0, 1, 1, 0, 1, 0, 1}, "keep");
  if (!keep) return std::unexpected{std::move(keep.error())};
  const Algorithm algorithm = page_algorithm(device);
  auto inclusive = scan_row(device, *values, ScanKind::inclusive, algorithm, std::nullopt);
  if (!inclusive) return std::unexpected{std::move(inclusive.error())};
  auto exclusive = scan_row(device, *values, ScanKind::exclusive, algorithm, broken);
  if (!exclusive) return std::unexpected{std::move(exclusive.error())};
  auto slots = scan_row(device, *keep, ScanKind::exclusive, algorithm, std::nullopt);
  if (!slots) return std::unexpected{std::move(slots.error())};

  CompactionPage page{.values = std::move(*values),
                      .keep = std::move(*keep),
                      .inclusive = std::move(*inclusive),
                      .exclusive = std::move(*exclusive),
                      .slots = std::move(*slots),
                      .packed = {},
                      .offsets = {},
                      .difference = std::nullopt};
  const auto compare = [&](std::string_view what, const Row& in, const Row& out, ScanKind kind) {
    if (page.difference) return;
    page.difference =
        picture::first_difference(what, picture::running_sum(in.values, kind), out.values);
  };
  compare("inclusive", page.values, page.inclusive, ScanKind::inclusive);
  compare("exclusive", page.values, page.exclusive, ScanKind::exclusive);
  compare("slot", page.keep, page.slots, ScanKind::exclusive);
  const auto words = [](const Row& row) { return std::span<const std::uint32_t>{row.values}; };
  auto packed = compact(device, words(page.values), words(page.keep));
  if (!packed) return std::unexpected{std::move(packed.error())};
  page.packed = std::move(*packed);
  auto allocated = allocate(device, words(page.values));
  if (!allocated) return std::unexpected{std::move(allocated.error())};
  page.offsets = std::move(allocated->offsets);
  if (!page.difference) page.difference = calls_differ(page);
  return page;
}

Result<void> draw_page(Device& device, const SalesPage& page, const std::string& path) {
  const picture::ArrayBuffer buffers[] = {{.array = "sales", .buffer = page.sales.buffer},
                                          {.array = "totals", .buffer = page.totals.buffer}};
  return paint(device,
               picture::sales_scene(page.sales.values, page.totals.values, facts_of(device, page)),
               buffers, path);
}

Result<void> draw_page(Device& device, const CompactionPage& page, const std::string& path) {
  const picture::ArrayBuffer buffers[] = {{.array = "values", .buffer = page.values.buffer},
                                          {.array = "exclusive", .buffer = page.exclusive.buffer},
                                          {.array = "keep", .buffer = page.keep.buffer},
                                          {.array = "slots", .buffer = page.slots.buffer}};
  return paint(device,
               picture::compaction_scene({.values = page.values.values,
                                          .keep = page.keep.values,
                                          .inclusive = page.inclusive.values,
                                          .exclusive = page.exclusive.values,
                                          .slots = page.slots.values}),
               buffers, path);
}

}  // namespace cumulo::app
