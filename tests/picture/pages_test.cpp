// The two pages: both painters against each other, against the places that the pages are defined
// by, and against small stored references.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "picture/picture.hpp"
#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

using picture::Image;
using picture::Scene;

struct Page {
  std::string name;
  Scene scene;
  std::vector<std::vector<std::uint32_t>> arrays;  // in the scene's order
};

std::vector<std::uint32_t> scanned(Device& device, ScanKind kind,
                                   const std::vector<std::uint32_t>& values) {
  return value_of(scan<std::uint32_t>(device, kind, values)).values;
}

// As Hillis and Steele's scan of 256 elements has them.
picture::SalesFacts facts() {
  return {.scan = "Hillis-Steele", .counts = Counts{.steps = 8, .additions = 1793, .barriers = 16}};
}

Page sales_page(Device& device) {
  std::vector<std::uint32_t> sales(256);
  for (std::uint32_t day = 0; day < 256; ++day) sales[day] = 7 * day % 5;
  const auto totals = scanned(device, ScanKind::inclusive, sales);
  return {"sales", value_of(picture::sales_scene(sales, totals, facts())), {sales, totals}};
}

Page compaction_page(Device& device) {
  const std::vector<std::uint32_t> values{3, 1, 4, 1, 5, 9, 2, 6};
  const std::vector<std::uint32_t> keep{1, 0, 1, 1, 0, 1, 0, 1};
  const auto inclusive = scanned(device, ScanKind::inclusive, values);
  const auto exclusive = scanned(device, ScanKind::exclusive, values);
  const auto slots = scanned(device, ScanKind::exclusive, keep);
  Page page{"compaction",
            value_of(picture::compaction_scene({values, keep, inclusive, exclusive, slots})),
            {}};
  for (const picture::Array& array : page.scene.arrays) {
    page.arrays.push_back(array.name == "values"      ? values
                          : array.name == "exclusive" ? exclusive
                          : array.name == "keep"      ? keep
                                                      : slots);
  }
  return page;
}

struct Rgb {
  int red, green, blue;
};

Rgb pixel(const Image& image, std::uint32_t x, std::uint32_t y) {
  const std::uint8_t* p = &image.rgba[4 * (y * image.width + x)];
  return {p[0], p[1], p[2]};
}

int distance(Rgb a, Rgb b) {
  return std::max(
      {std::abs(a.red - b.red), std::abs(a.green - b.green), std::abs(a.blue - b.blue)});
}

constexpr Rgb paper{247, 245, 237};
constexpr Rgb orange{217, 140, 38};
constexpr Rgb blue{20, 102, 191};
constexpr Rgb light_blue{89, 153, 230};
constexpr Rgb green{41, 143, 77};
constexpr Rgb grey{217, 214, 207};

// The picture without its labels, so that fonts do not matter.
Scene without_text(Scene scene) {
  scene.labels.clear();
  return scene;
}

class PageTest : public DeviceTest {};
CUMULO_ON_EVERY_DEVICE(PageTest);
class GpuPageTest : public DeviceTest {};
CUMULO_ON_EVERY_GPU(GpuPageTest);

TEST_P(PageTest, SalesBarsStandWhereTheyMust) {
  const Page page = sales_page(device());
  ASSERT_EQ(page.scene.width, 600U);
  ASSERT_EQ(page.scene.height, 330U);
  const Image image = value_of(picture::paint(without_text(page.scene)));
  EXPECT_LE(distance(pixel(image, 5, 5), paper), 2);
  for (const std::uint32_t day : {2U, 17U, 100U, 255U}) {
    // Clip space to pixels: the middle of a bar, just inside and outside its top.
    const double left = -0.95 + day * 1.9 / 256;
    const auto x = static_cast<std::uint32_t>((left + 0.0034 + 1) * 300);
    const double total = page.arrays[1][day];
    const double top = (1 - (-0.6 + 1.1 * total / 520)) * 165;
    EXPECT_LE(distance(pixel(image, x, static_cast<std::uint32_t>(top) + 2), blue), 40) << day;
    EXPECT_LE(distance(pixel(image, x, static_cast<std::uint32_t>(top) - 2), paper), 3) << day;
    const double sold = page.arrays[0][day];
    const double sale_top = (1 - (-0.9 + 0.05 * sold)) * 165;
    if (sold > 0) {
      EXPECT_LE(distance(pixel(image, x, static_cast<std::uint32_t>(sale_top) + 2), orange), 40);
    }
    EXPECT_LE(distance(pixel(image, x, static_cast<std::uint32_t>(sale_top) - 2), paper), 3);
  }
}

TEST_P(PageTest, CompactionBoxesStandWhereTheyMust) {
  const Page page = compaction_page(device());
  ASSERT_EQ(page.scene.height, 360U);
  const Image image = value_of(picture::paint(without_text(page.scene)));
  const std::vector<int> values{3, 1, 4, 1, 5, 9, 2, 6};
  const std::vector<int> keep{1, 0, 1, 1, 0, 1, 0, 1};
  int before = 0;
  for (int i = 0; i < 8; ++i) {
    const auto x = static_cast<std::uint32_t>(54 + 34 * i);
    for (int k = 0; k < values[i]; ++k) {
      const auto y = static_cast<std::uint32_t>(196 - 5 * (before + k + 1) + 2);
      EXPECT_LE(distance(pixel(image, x, y), i % 2 == 0 ? light_blue : blue), 3) << i << " " << k;
    }
    EXPECT_LE(distance(pixel(image, x, static_cast<std::uint32_t>(196 - 5 * before + 1)), paper),
              3);
    before += values[i];
    EXPECT_LE(distance(pixel(image, x, 265), keep[i] == 1 ? green : grey), 3) << i;
    EXPECT_LE(distance(pixel(image, x, 321), i < 5 ? green : paper), 3) << i;
  }
  EXPECT_LE(distance(pixel(image, 40, 262), paper), 60);  // the corner is round
}

// Boxes drawn by the device from its own buffers; nothing of the results is read back between.
Image painted_on(Device& device, const Page& page) {
  std::vector<Buffer> buffers;
  std::vector<picture::ArrayBuffer> bound;
  for (const auto& array : page.arrays) {
    buffers.push_back(value_of(device.upload(std::as_bytes(std::span{array}))));
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    bound.push_back({page.scene.arrays[i].name, buffers[i]});
  }
  return value_of(picture::paint_on_gpu(device, page.scene, bound));
}

int worst_difference(Device& device, const Page& page) {
  const Image by_cairo = value_of(picture::paint(page.scene));
  const Image by_gpu = painted_on(device, page);
  if (by_cairo.rgba.size() != by_gpu.rgba.size()) return 256;
  int worst = 0;
  for (std::uint32_t y = 0; y < by_cairo.height; ++y) {
    for (std::uint32_t x = 0; x < by_cairo.width; ++x) {
      worst = std::max(worst, distance(pixel(by_cairo, x, y), pixel(by_gpu, x, y)));
    }
  }
  return worst;
}

// Of every pixel, in steps of 1/255. Straight edges differ by rounding alone: both painters compute
// the area of a pixel that is covered. Of round corners Cairo samples that area.
constexpr int straight_tolerance = 3;
constexpr int corner_tolerance = 16;

TEST_P(GpuPageTest, PaintersAgreeOnSales) {
  Page page = sales_page(device());
  page.scene.labels.clear();
  EXPECT_LE(worst_difference(device(), page), straight_tolerance);
}

TEST_P(GpuPageTest, PaintersAgreeOnCompaction) {
  Page page = compaction_page(device());
  page.scene.labels.clear();
  EXPECT_LE(worst_difference(device(), page), corner_tolerance);
  for (picture::Boxes& layer : page.scene.layers) layer.radius = 0;
  EXPECT_LE(worst_difference(device(), page), straight_tolerance);
}

TEST_P(GpuPageTest, PaintersAgreeWithText) {
  const Page page = compaction_page(device());
  EXPECT_LE(worst_difference(device(), page), corner_tolerance);
}

// The device's buffer is what is drawn, not the scene's copy of it.
TEST_P(GpuPageTest, DrawsTheBufferItself) {
  Page page = sales_page(device());
  page.scene.labels.clear();
  page.arrays[1][200] = 0;
  const Image image = painted_on(device(), page);
  const auto x = static_cast<std::uint32_t>((-0.95 + 200 * 1.9 / 256 + 0.0034 + 1) * 300);
  EXPECT_LE(distance(pixel(image, x, 200), paper), 60);
}

// Means of 6 x 6 pixels.
std::vector<int> shrunk(const Image& image) {
  std::vector<int> small;
  for (std::uint32_t y = 0; y + 6 <= image.height; y += 6) {
    for (std::uint32_t x = 0; x + 6 <= image.width; x += 6) {
      int sums[3] = {0, 0, 0};
      for (std::uint32_t k = 0; k < 36; ++k) {
        const Rgb p = pixel(image, x + k % 6, y + k / 6);
        sums[0] += p.red;
        sums[1] += p.green;
        sums[2] += p.blue;
      }
      for (const int sum : sums) small.push_back(sum / 36);
    }
  }
  return small;
}

// With CUMULO_WRITE_REFERENCES set the references are written anew instead.
TEST(Pages, LookAsStored) {
  Device cpu = Device::cpu();
  for (const Page& page : {sales_page(cpu), compaction_page(cpu)}) {
    const std::vector<int> found = shrunk(value_of(picture::paint(without_text(page.scene))));
    const std::string path = std::string(CUMULO_REFERENCES) + "/" + page.name + ".txt";
    if (std::getenv("CUMULO_WRITE_REFERENCES") != nullptr) {
      std::ofstream file(path);
      for (std::size_t i = 0; i < found.size(); ++i)
        file << found[i] << (i % 60 == 59 ? '\n' : ' ');
      continue;
    }
    std::ifstream file(path);
    std::size_t differing = 0;
    for (const int value : found) {
      int stored = -1;
      ASSERT_TRUE(file >> stored) << path;
      differing += std::abs(stored - value) > 4 ? 1 : 0;
    }
    EXPECT_EQ(differing, 0U) << page.name;
  }
}

std::string written(const Scene& scene, const std::string& extension) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("cumulo_page." + extension);
  value_of(picture::write_picture(scene, path));
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

TEST(Pages, AllFormatsAreWritten) {
  Device cpu = Device::cpu();
  const Page page = compaction_page(cpu);
  EXPECT_TRUE(written(page.scene, "png").starts_with("\x89PNG"));
  EXPECT_TRUE(written(page.scene, "pdf").starts_with("%PDF"));
  const std::string svg = written(page.scene, "svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_FALSE(picture::write_picture(page.scene, "page.gif").has_value());
}

TEST(Pages, AWrongTotalTurnsTheVerdictRed) {
  std::vector<std::uint32_t> sales(256);
  for (std::uint32_t day = 0; day < 256; ++day) sales[day] = 7 * day % 5;
  Device cpu = Device::cpu();
  auto totals = scanned(cpu, ScanKind::inclusive, sales);
  const auto verdict = [](const Scene& scene) {
    for (const picture::Label& label : scene.labels) {
      if (label.x == 320 && label.baseline == 44) return label;
    }
    return picture::Label{};
  };
  const auto right = verdict(value_of(picture::sales_scene(sales, totals, facts())));
  EXPECT_GT(right.colour.green, right.colour.red);
  totals[77] += 1;
  const auto wrong = verdict(value_of(picture::sales_scene(sales, totals, facts())));
  EXPECT_GT(wrong.colour.red, 2 * wrong.colour.green);
  EXPECT_NE(wrong.text.find("77"), std::string::npos) << wrong.text;
}

std::string texts_of(const Scene& scene) {
  std::string texts;
  for (const picture::Label& label : scene.labels) texts += label.text + "\n";
  return texts;
}

TEST(Pages, TheSalesSayWhatScanItWas) {
  const std::vector<std::uint32_t> sales{1, 2, 3}, totals{1, 3, 6};
  const auto texts = [&](const picture::SalesFacts& facts) {
    return texts_of(value_of(picture::sales_scene(sales, totals, facts)));
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  Device cpu = Device::cpu();
  const std::string page = texts_of(sales_page(cpu).scene);
  EXPECT_TRUE(has(page, "256 days of sales, 8 steps, two barriers each; total 510")) << page;
  EXPECT_TRUE(has(page, "\nHillis-Steele: 1793 additions (n log2 n)")) << page;

  const std::string other = texts({.scan = "Blelloch", .counts = Counts{4, 4, 6}});
  EXPECT_TRUE(has(other, "3 days of sales, 4 steps, 6 barriers; total 6")) << other;
  EXPECT_TRUE(has(other, "\nBlelloch: 4 additions;")) << other;

  const std::string unknown = texts({.scan = "the CPU backend's blocked scan", .counts = {}});
  EXPECT_TRUE(has(unknown, "3 days of sales by the CPU backend's blocked scan; total 6"));
  EXPECT_FALSE(has(unknown, "steps")) << unknown;
  EXPECT_TRUE(has(unknown, "Additions by a loop: 2; Hillis-Steele: 3 (n log2 n)")) << unknown;
}

}  // namespace
}  // namespace cumulo::test
