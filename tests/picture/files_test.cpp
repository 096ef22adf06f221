// Pictures as files, and what the painters refuse.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "picture/picture.hpp"
#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

namespace fs = std::filesystem;
using picture::Label;
using picture::Scene;

Scene small_scene() {
  return {
      .title = "Bars & <labels>",
      .width = 200,
      .height = 80,
      .background = {1, 1, 1},
      .arrays = {{"heights", {1, 2, 3}}},
      .layers = {{.items = 3,
                  .x0 = {.constant = 10, .per_item = 20},
                  .x1 = {.constant = 24, .per_item = 20},
                  .y0 = {.constant = 70},
                  .y1 = {.constant = 70, .per_value = -10, .array = 0},
                  .colour = {0.2, 0.4, 0.6}}},
      .labels = {{.x = 90, .baseline = 30, .text = "one label"},
                 {.x = 90, .baseline = 50, .text = "a < b & c", .weight = picture::Weight::bold},
                 {.x = 90, .baseline = 70, .text = "0 1 2", .family = picture::Family::mono}}};
}

// A folder of its own for a test, gone afterwards.
class FilesTest : public testing::Test {
 protected:
  FilesTest() : folder_{fs::path{testing::TempDir()} / "cumulo_picture_files"} {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FilesTest() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}));
  }

  fs::path folder_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::string without_blanks(const std::string& text) {
  std::string kept;
  for (const char c : text) {
    if (c != ' ') kept += c;
  }
  return kept;
}

// Every element that is opened is closed, in order.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = xml.find('<', at)) != std::string::npos) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    at = end;
    if (tag.empty()) return false;
    if (tag[0] == '?' || tag.back() == '/') continue;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else {
      if (!std::isalpha(static_cast<unsigned char>(tag[0]))) return false;
      open.push_back(tag.substr(0, tag.find_first_of(" \n")));
    }
  }
  return open.empty();
}

std::string inflated(const std::string& bytes, std::size_t from) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  std::string text(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + from));
  stream.avail_in = static_cast<uInt>(bytes.size() - from);
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int status = inflate(&stream, Z_FINISH);
  text.resize(status == Z_STREAM_END ? stream.total_out : 0);
  inflateEnd(&stream);
  return text;
}

// The file and what is in its streams: from version 1.18 on Cairo packs its objects into some.
std::string text_of_pdf(const std::string& pdf) {
  std::string text = pdf;
  for (std::size_t at = pdf.find("stream\n"); at != std::string::npos;
       at = pdf.find("stream\n", at + 1)) {
    text += inflated(pdf, at + 7);
  }
  return text;
}

// What the strings of all content streams say, one after the other: "[(he)-1(llo)]TJ" is hello.
std::string words_of_pdf(const std::string& pdf) {
  std::string words;
  for (std::size_t at = pdf.find("stream\n"); at != std::string::npos;
       at = pdf.find("stream\n", at + 1)) {
    const std::string text = inflated(pdf, at + 7);
    if (text.find("TJ") == std::string::npos && text.find("Tj") == std::string::npos) continue;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (in_string && text[i] == '\\') {
        words += text[++i];
      } else if (text[i] == (in_string ? ')' : '(')) {
        in_string = !in_string;
      } else if (in_string) {
        words += text[i];
      }
    }
  }
  return words;
}

TEST_F(FilesTest, SvgIsWellFormedAndHoldsTheLabels) {
  const Scene scene = small_scene();
  value_of(picture::write_picture(scene, folder_ / "a.svg"));
  const std::string svg = content(folder_ / "a.svg");
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_NE(svg.find("viewBox=\"0 0 200 80\""), std::string::npos);
  EXPECT_NE(svg.find("<title>Bars &amp; &lt;labels&gt;</title>"), std::string::npos);
  EXPECT_NE(svg.find("one label\na &lt; b &amp; c\n0 1 2"), std::string::npos);
  // Drawn too: a glyph is used for each character that is no blank.
  EXPECT_GE(count(svg, "<use "), 8U + 5U + 3U);
}

TEST_F(FilesTest, PdfHoldsOnePageOfTheSizeAndTheLabels) {
  const Scene scene = small_scene();
  value_of(picture::write_picture(scene, folder_ / "a.pdf"));
  const std::string pdf = content(folder_ / "a.pdf");
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_NE(pdf.find("%%EOF", pdf.size() - 8), std::string::npos);
  EXPECT_EQ(count(text_of_pdf(pdf), "/Type /Page "), 1U);
  EXPECT_NE(text_of_pdf(pdf).find("/MediaBox [ 0 0 200 80 ]"), std::string::npos);
  const std::string words = without_blanks(words_of_pdf(pdf));
  for (const Label& label : scene.labels) {
    EXPECT_NE(words.find(without_blanks(label.text)), std::string::npos)
        << label.text << " in " << words;
  }
}

TEST_F(FilesTest, ReplacesAWholeFileAndLeavesNothingBeside) {
  std::ofstream{folder_ / "a.png"} << "old";
  value_of(picture::write_picture(small_scene(), folder_ / "a.png"));
  EXPECT_TRUE(content(folder_ / "a.png").starts_with("\x89PNG"));
  value_of(picture::write_picture(value_of(picture::paint(small_scene())), folder_ / "b.PNG"));
  EXPECT_EQ(content(folder_ / "a.png"), content(folder_ / "b.PNG"));
  EXPECT_EQ(files(), 2U);
}

TEST_F(FilesTest, RefusalsSayWhatIsPossible) {
  const auto other = picture::write_picture(small_scene(), folder_ / "a.jpeg");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::bad_argument);
  for (const char* known : {".png", ".svg", ".pdf"}) {
    EXPECT_NE(other.error().message.find(known), std::string::npos);
  }
  const auto pixels =
      picture::write_picture(value_of(picture::paint(small_scene())), folder_ / "a.svg");
  ASSERT_FALSE(pixels);
  EXPECT_EQ(pixels.error().kind, ErrorKind::bad_argument);
  const auto nowhere = picture::write_picture(small_scene(), folder_ / "none" / "a.png");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, ErrorKind::file);
  fs::create_directory(folder_ / "folder.png");
  const auto folder = picture::write_picture(small_scene(), folder_ / "folder.png");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::file);
  EXPECT_EQ(files(), 1U);
}

TEST_F(FilesTest, AFolderInThePlaceOfTheFileTakesNoPart) {
  // The rename fails last: a folder that is not empty cannot be replaced.
  fs::create_directories(folder_ / "full.svg" / "inside");
  EXPECT_FALSE(picture::write_picture(small_scene(), folder_ / "full.svg"));
  EXPECT_TRUE(fs::exists(folder_ / "full.svg" / "inside"));
  EXPECT_EQ(files(), 1U);
}

ErrorKind refused_kind(const Scene& scene) {
  const auto image = picture::paint(scene);
  EXPECT_FALSE(image);
  return image ? ErrorKind::stalled : image.error().kind;
}

TEST(Scenes, ThatCannotBeDrawnAreRefused) {
  Scene empty = small_scene();
  empty.width = 0;
  EXPECT_EQ(refused_kind(empty), ErrorKind::bad_argument);
  Scene large = small_scene();
  large.height = 100'000;
  EXPECT_EQ(refused_kind(large), ErrorKind::bad_argument);
  Scene past = small_scene();
  past.layers[0].items = 4;
  EXPECT_EQ(refused_kind(past), ErrorKind::bad_argument);
  Scene unknown = small_scene();
  unknown.layers[0].filter = 1;
  EXPECT_EQ(refused_kind(unknown), ErrorKind::bad_argument);
}

TEST(Scenes, ThatContradictThemselvesAreRefused) {
  const std::vector<std::uint32_t> two{1, 2};
  const std::vector<std::uint32_t> three{1, 2, 3};
  const std::vector<std::uint32_t> nine(9, 1);
  EXPECT_FALSE(picture::sales_scene(two, three, {}));
  EXPECT_FALSE(picture::compaction_scene({two, two, three, two, two}));
  EXPECT_FALSE(picture::compaction_scene({nine, nine, nine, nine, nine}));
  EXPECT_FALSE(picture::compaction_scene({two, two, two, two, two}));  // 2 is no flag
  const auto bytes = std::as_bytes(std::span{two});
  EXPECT_FALSE(picture::running_totals_scene({.description = {.n = 2}, .values = bytes}));
}

class GpuPainterTest : public DeviceTest {};
CUMULO_ON_EVERY_GPU(GpuPainterTest);

TEST_P(GpuPainterTest, DrawsEveryTypeAtAnyOffset) {
  const std::vector<std::uint32_t> words{9, 9, 9, 1, 2, 3};
  const std::vector<std::int32_t> signed_words{9, 1, 2, 3};
  const std::vector<float> floats(100, 9.0F);
  std::vector<float> late = floats;
  late.insert(late.end(), {1, 2, 3});
  Scene scene = small_scene();
  const auto expected = value_of(picture::paint(scene)).rgba;
  const auto painted = [&]<class T>(const std::vector<T>& values, Type type) {
    const Buffer buffer = value_of(device().upload(std::as_bytes(std::span{values})));
    const picture::ArrayBuffer bound{"heights", buffer, values.size() - 3, type};
    return value_of(picture::paint_on_gpu(device(), scene, {&bound, 1})).rgba;
  };
  EXPECT_EQ(painted(words, Type::u32), expected);
  EXPECT_EQ(painted(signed_words, Type::i32), expected);
  EXPECT_EQ(painted(late, Type::f32), expected);
}

TEST_P(GpuPainterTest, DrawsASceneOfNothing) {
  Scene scene = small_scene();
  scene.arrays.clear();
  scene.layers.clear();
  EXPECT_EQ(value_of(picture::paint_on_gpu(device(), scene, {})).rgba,
            value_of(picture::paint(scene)).rgba);
}

TEST_P(GpuPainterTest, RefusesBuffersThatDoNotFit) {
  const Scene scene = small_scene();
  const Buffer buffer = value_of(device().allocate(12));
  const auto kind = [&](std::span<const picture::ArrayBuffer> buffers) {
    const auto image = picture::paint_on_gpu(device(), scene, buffers);
    EXPECT_FALSE(image);
    return image ? ErrorKind::stalled : image.error().kind;
  };
  const picture::ArrayBuffer right{"heights", buffer};
  const picture::ArrayBuffer unknown{"widths", buffer};
  const picture::ArrayBuffer past{"heights", buffer, 1};
  const picture::ArrayBuffer wide{"heights", buffer, 0, Type::f64};
  const picture::ArrayBuffer twice[] = {right, right};
  EXPECT_EQ(kind({}), ErrorKind::bad_argument);
  EXPECT_EQ(kind({&unknown, 1}), ErrorKind::bad_argument);
  EXPECT_EQ(kind({&past, 1}), ErrorKind::bad_argument);
  EXPECT_EQ(kind({&wide, 1}), ErrorKind::unsupported);
  EXPECT_EQ(kind(twice), ErrorKind::bad_argument);
  Device cpu = Device::cpu();
  const auto on_cpu = picture::paint_on_gpu(cpu, scene, {&right, 1});
  ASSERT_FALSE(on_cpu);
  EXPECT_EQ(on_cpu.error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace cumulo::test
