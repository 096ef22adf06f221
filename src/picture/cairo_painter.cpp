#include "picture/cairo_painter.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numbers>

#include "picture/instances.hpp"

namespace cumulo::picture {
namespace {

struct Release {
  void operator()(cairo_t* canvas) const { cairo_destroy(canvas); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
  void operator()(PangoLayout* layout) const { g_object_unref(layout); }
  void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
};
using Canvas = std::unique_ptr<cairo_t, Release>;
using Surface = std::unique_ptr<cairo_surface_t, Release>;

Error cairo_error(cairo_status_t status) {
  const bool memory = status == CAIRO_STATUS_NO_MEMORY;
  return {memory ? ErrorKind::out_of_memory : ErrorKind::file,
          std::string{"drawing the picture failed: "} + cairo_status_to_string(status)};
}

// Far outside the picture nothing is seen, and Cairo's coordinates end at 2^23.
double near_picture(double pixel, double size) { return std::clamp(pixel, -64.0, size + 64.0); }

void add_path(cairo_t* canvas, const Rectangle& box, double radius) {
  const double r = std::min({radius, (box.x1 - box.x0) / 2, (box.y1 - box.y0) / 2});
  if (r <= 0) {
    cairo_rectangle(canvas, box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
    return;
  }
  constexpr double quarter = std::numbers::pi / 2;
  cairo_new_sub_path(canvas);
  cairo_arc(canvas, box.x1 - r, box.y0 + r, r, -quarter, 0);
  cairo_arc(canvas, box.x1 - r, box.y1 - r, r, 0, quarter);
  cairo_arc(canvas, box.x0 + r, box.y1 - r, r, quarter, 2 * quarter);
  cairo_arc(canvas, box.x0 + r, box.y0 + r, r, 2 * quarter, 3 * quarter);
  cairo_close_path(canvas);
}

void set_colour(cairo_t* canvas, const Colour& colour) {
  cairo_set_source_rgb(canvas, colour.red, colour.green, colour.blue);
}

void draw_boxes(cairo_t* canvas, const Scene& scene) {
  set_colour(canvas, scene.background);
  cairo_paint(canvas);
  for (const Boxes& boxes : scene.layers) {
    for_each_box(scene, boxes, [&](Rectangle box, const Colour& colour) {
      box = {near_picture(box.x0, scene.width), near_picture(box.y0, scene.height),
             near_picture(box.x1, scene.width), near_picture(box.y1, scene.height)};
      set_colour(canvas, colour);
      // One fill a box: neighbours that share a pixel blend as the GPU blends them.
      add_path(canvas, box, boxes.radius);
      cairo_fill(canvas);
    });
  }
}

// Glyphs as designed, unhinted, unrounded and grey: text looks and measures the same on every
// display, and its width grows evenly with its size.
void set_font_options(PangoLayout* layout) {
  const std::unique_ptr<cairo_font_options_t, Release> options{cairo_font_options_create()};
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  PangoContext* context = pango_layout_get_context(layout);
  pango_cairo_context_set_font_options(context, options.get());
  pango_context_set_round_glyph_positions(context, FALSE);
}

void draw_line(cairo_t* canvas, const Line& line) {
  set_colour(canvas, line.colour);
  cairo_set_line_width(canvas, line.width);
  cairo_set_line_join(canvas, CAIRO_LINE_JOIN_ROUND);
  for (const Point& point : line.points) cairo_line_to(canvas, point.x, point.y);
  cairo_stroke(canvas);
  if (line.marker <= 0) return;
  for (const Point& point : line.points) {
    cairo_arc(canvas, point.x, point.y, line.marker, 0, 2 * std::numbers::pi);
    cairo_fill(canvas);
  }
}

void draw_label(cairo_t* canvas, const Label& label) {
  const std::unique_ptr<PangoLayout, Release> layout{pango_cairo_create_layout(canvas)};
  set_font_options(layout.get());
  const std::unique_ptr<PangoFontDescription, Release> font{pango_font_description_new()};
  pango_font_description_set_family_static(font.get(), label.family == Family::mono
                                                           ? "DejaVu Sans Mono,monospace"
                                                           : "DejaVu Sans,sans-serif");
  pango_font_description_set_weight(
      font.get(), label.weight == Weight::bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
  pango_layout_set_text(layout.get(), label.text.data(), static_cast<int>(label.text.size()));

  const auto width_at = [&](double size) {
    pango_font_description_set_absolute_size(font.get(), size * PANGO_SCALE);
    pango_layout_set_font_description(layout.get(), font.get());
    PangoRectangle extents;
    pango_layout_get_extents(layout.get(), nullptr, &extents);
    return extents.width / static_cast<double>(PANGO_SCALE);
  };
  double width = width_at(label.size);
  if (label.room > 0 && width > label.room) width = width_at(label.size * label.room / width);
  const double shift = label.align == Align::left     ? 0
                       : label.align == Align::centre ? width / 2
                                                      : width;
  const double ascent = pango_layout_get_baseline(layout.get()) / static_cast<double>(PANGO_SCALE);
  set_colour(canvas, label.colour);
  cairo_move_to(canvas, label.x - shift, label.baseline - ascent);
  pango_cairo_show_layout(canvas, layout.get());
}

// What stands over the boxes.
void draw_overlay(cairo_t* canvas, const Scene& scene) {
  for (const Line& line : scene.lines) draw_line(canvas, line);
  for (const Label& label : scene.labels) draw_label(canvas, label);
}

void draw_scene(cairo_t* canvas, const Scene& scene) {
  draw_boxes(canvas, scene);
  draw_overlay(canvas, scene);
}

// Draws on a new image surface, over `below` where that is not empty, and returns its pixels.
template <class Draw>
Result<Image> draw_on_pixels(std::uint32_t width, std::uint32_t height,
                             std::span<const std::uint8_t> below, Draw&& draw) {
  const Surface surface{cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                                   static_cast<int>(height))};
  if (const auto status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS) {
    return std::unexpected{cairo_error(status)};
  }
  // A pixel of Cairo is a 32-bit word 0x..RRGGBB, whatever the byte order of the machine.
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
  const auto word_at = [&](std::size_t x, std::size_t y) {
    return cairo_image_surface_get_data(surface.get()) + y * stride + x * 4;
  };
  if (!below.empty()) {
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const std::uint8_t* pixel = &below[(y * width + x) * 4];
        const std::uint32_t word = pixel[0] << 16 | pixel[1] << 8 | pixel[2];
        std::memcpy(word_at(x, y), &word, 4);
      }
    }
    cairo_surface_mark_dirty(surface.get());
  }
  const Canvas canvas{cairo_create(surface.get())};
  draw(canvas.get());
  if (const auto status = cairo_status(canvas.get()); status != CAIRO_STATUS_SUCCESS) {
    return std::unexpected{cairo_error(status)};
  }
  cairo_surface_flush(surface.get());
  Image image{width, height, std::vector<std::uint8_t>(std::size_t{width} * height * 4)};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      std::uint32_t word = 0;
      std::memcpy(&word, word_at(x, y), 4);
      std::uint8_t* pixel = &image.rgba[(y * width + x) * 4];
      pixel[0] = static_cast<std::uint8_t>(word >> 16);
      pixel[1] = static_cast<std::uint8_t>(word >> 8);
      pixel[2] = static_cast<std::uint8_t>(word);
      pixel[3] = 255;
    }
  }
  return image;
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

template <class Prepare>
Result<std::string> to_document(const Scene& scene,
                                decltype(cairo_svg_surface_create_for_stream)* create,
                                Prepare&& prepare) {
  if (auto valid = validate(scene); !valid) return std::unexpected{std::move(valid.error())};
  std::string bytes;
  {
    const Surface surface{create(append, &bytes, scene.width, scene.height)};
    prepare(surface.get());
    const Canvas canvas{cairo_create(surface.get())};
    draw_scene(canvas.get(), scene);
    cairo_surface_finish(surface.get());
    for (const auto status : {cairo_status(canvas.get()), cairo_surface_status(surface.get())}) {
      if (status != CAIRO_STATUS_SUCCESS) return std::unexpected{cairo_error(status)};
    }
  }
  return bytes;
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

}  // namespace

Result<Image> paint(const Scene& scene) {
  if (auto valid = validate(scene); !valid) return std::unexpected{std::move(valid.error())};
  return draw_on_pixels(scene.width, scene.height, {},
                        [&](cairo_t* canvas) { draw_scene(canvas, scene); });
}

Result<void> add_overlay(Image& image, const Scene& scene) {
  auto drawn = draw_on_pixels(image.width, image.height, image.rgba,
                              [&](cairo_t* canvas) { draw_overlay(canvas, scene); });
  if (!drawn) return std::unexpected{std::move(drawn.error())};
  image = std::move(*drawn);
  return {};
}

Result<std::string> to_svg(const Scene& scene) {
  auto svg = to_document(scene, cairo_svg_surface_create_for_stream, [](cairo_surface_t* surface) {
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
  });
  if (!svg) return svg;
  // Cairo writes outlines; who cannot see them, and who searches, reads the title and the labels.
  const std::size_t root = svg->find("<svg");
  const std::size_t root_end = svg->find('>', root);
  if (root == std::string::npos || root_end == std::string::npos) {
    return std::unexpected{Error{ErrorKind::file, "drawing the picture failed: Cairo gave no SVG"}};
  }
  std::string words = "\n<title>" + escape_xml(scene.title) + "</title>\n<desc>";
  for (const Label& label : scene.labels) words += escape_xml(label.text) + "\n";
  svg->insert(root_end + 1, words + "</desc>");
  return svg;
}

Result<std::string> to_pdf(const Scene& scene) {
  return to_document(scene, cairo_pdf_surface_create_for_stream, [&](cairo_surface_t* surface) {
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, scene.title.c_str());
  });
}

}  // namespace cumulo::picture
