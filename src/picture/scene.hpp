// A scene: boxes defined by formulas over arrays, lines, labels. A plain value; two painters draw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cumulo::picture {

struct Colour {
  double red = 0;  // 0 to 1, not linear: what the file holds
  double green = 0;
  double blue = 0;
  bool operator==(const Colour&) const = default;
};

// Values that boxes are drawn from. The GPU painter replaces them by a buffer of the same length.
struct Array {
  std::string name;
  std::vector<double> values;
};

// At most so many arrays in a scene: what every WebGPU device can bind beside the layer table.
inline constexpr std::size_t max_arrays = 4;

inline constexpr std::uint32_t no_array = ~std::uint32_t{0};

// constant + per_item * i + per_copy * k + per_value * array[i] for copy k of item i.
struct Formula {
  double constant = 0;
  double per_item = 0;
  double per_copy = 0;
  double per_value = 0;
  std::uint32_t array = no_array;
};

// From data space to pixels, y downward: pixel = offset + scale * data.
struct Frame {
  double x_offset = 0;
  double x_scale = 1;
  double y_offset = 0;
  double y_scale = 1;
};

// WebGPU's clip space over a picture of this size.
constexpr Frame clip_space(std::uint32_t width, std::uint32_t height) {
  return {width / 2.0, width / 2.0, height / 2.0, height / -2.0};
}

// items * copies boxes, drawn item by item. x0 and x1 are opposite edges in any order, and so are
// y0 and y1.
struct Boxes {
  std::uint32_t items = 0;
  std::uint32_t copies = 1;             // drawn for each item, k = 0, 1, ...
  std::uint32_t copy_count = no_array;  // only copies k < array[i] are drawn
  std::uint32_t filter = no_array;      // only items with array[i] != 0 are drawn ...
  bool filter_inverted = false;         // ... or only those with array[i] == 0
  Frame frame = {};
  Formula x0 = {};
  Formula x1 = {};
  Formula y0 = {};
  Formula y1 = {};
  double radius = 0;  // of the corners, in pixels
  Colour colour = {};
  std::optional<Colour> odd_colour = std::nullopt;  // of every second item
};

enum class Family : std::uint8_t { sans, mono };
enum class Weight : std::uint8_t { regular, bold };
enum class Align : std::uint8_t { left, centre, right };

struct Label {
  double x = 0;         // pixels: the left end, the centre or the right end
  double baseline = 0;  // pixels from the top
  double size = 12;     // pixels
  Colour colour = {};
  std::string text;
  Weight weight = Weight::regular;
  Family family = Family::sans;
  Align align = Align::left;
  double room = 0;  // text wider than so many pixels is drawn smaller; 0: any width
};

struct Point {
  double x = 0;  // pixels
  double y = 0;
};

// From point to point. Not from arrays: Cairo draws it in either painter's picture.
struct Line {
  std::vector<Point> points;
  double width = 1;   // pixels
  double marker = 0;  // radius of a dot on every point; 0: none
  Colour colour = {};
};

struct Scene {
  std::string title;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  Colour background = {};
  std::vector<Array> arrays = {};
  std::vector<Boxes> layers = {};  // later ones over earlier ones
  std::vector<Line> lines = {};    // over all layers
  std::vector<Label> labels = {};  // over all lines
};

// The four edges of a layer's boxes in pixels: the frame folded into the formulas.
struct PixelFormulas {
  Formula x0;
  Formula x1;
  Formula y0;
  Formula y1;
};
PixelFormulas pixel_formulas(const Boxes& boxes);

}  // namespace cumulo::picture
