#include <png.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <random>
#include <system_error>

#include <fmt/format.h>

#include "picture/cairo_painter.hpp"
#include "picture/picture.hpp"

namespace cumulo::picture {
namespace {

namespace fs = std::filesystem;

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return extension;
}

Error refused(const fs::path& path, std::string_view what) {
  return {ErrorKind::bad_argument, fmt::format("'{}': {}", path.string(), what)};
}

Result<std::string> to_png(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = image.width;
  header.height = image.height;
  header.format = PNG_FORMAT_RGB;  // opaque: three bytes a pixel are enough
  std::string rgb;
  rgb.reserve(image.rgba.size() / 4 * 3);
  for (std::size_t i = 0; i + 3 < image.rgba.size(); i += 4) {
    rgb.append(reinterpret_cast<const char*>(&image.rgba[i]), 3);
  }
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(header), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, rgb.data(), 0, nullptr) == 0) {
    return std::unexpected{
        Error{ErrorKind::file, fmt::format("encoding the picture failed: {}", header.message)}};
  }
  bytes.resize(size);
  return bytes;
}

Result<std::string> encode(const Scene& scene, std::string_view extension) {
  if (extension == ".svg") return to_svg(scene);
  if (extension == ".pdf") return to_pdf(scene);
  auto image = paint(scene);
  if (!image) return std::unexpected{std::move(image.error())};
  return to_png(*image);
}

// A name of our own beside `path`, so that the rename stays on one file system.
fs::path temporary_beside(const fs::path& path) {
  std::random_device random;
  fs::path beside = path;
  // No longer than a name may be where the picture's own is as long as that.
  constexpr std::size_t longest = 200;
  beside.replace_filename(
      fmt::format(".{}.{:08x}.part", path.filename().string().substr(0, longest), random()));
  return beside;
}

// Writes beside, then renames: `path` holds the old file or the whole new one.
Result<void> write_whole(const fs::path& path, const std::string& bytes) {
  const auto fail = [&](const std::string& why) {
    return std::unexpected{
        Error{ErrorKind::file, fmt::format("cannot write '{}': {}", path.string(), why)}};
  };
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  std::error_code code;
  if (!fs::is_directory(folder, code))
    return fail(fmt::format("there is no folder '{}'", folder.string()));
  if (fs::is_directory(path, code)) return fail("it is a folder");
  const fs::path beside = temporary_beside(path);
  bool written = false;
  {
    std::ofstream file{beside, std::ios::binary};
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    written = !file.fail();
  }
  if (!written) {
    fs::remove(beside, code);
    return fail("the folder takes no new file, or the disk is full");
  }
  fs::rename(beside, path, code);
  if (code) {
    const std::string why = code.message();
    fs::remove(beside, code);
    return fail(why);
  }
  return {};
}

}  // namespace

Result<void> check_picture_path(const fs::path& path) {
  const std::string extension = extension_of(path);
  if (extension == ".png" || extension == ".svg" || extension == ".pdf") return {};
  return std::unexpected{refused(path, "a picture is written as .png, .svg or .pdf")};
}

Result<void> write_picture(const Scene& scene, const fs::path& path) {
  if (auto checked = check_picture_path(path); !checked) return checked;
  auto bytes = encode(scene, extension_of(path));
  if (!bytes) return std::unexpected{std::move(bytes.error())};
  return write_whole(path, *bytes);
}

Result<void> write_picture(const Image& image, const fs::path& path) {
  if (extension_of(path) != ".png") {
    return std::unexpected{
        refused(path, "pixels are written as .png; .svg and .pdf need the scene")};
  }
  auto bytes = to_png(image);
  if (!bytes) return std::unexpected{std::move(bytes.error())};
  return write_whole(path, *bytes);
}

}  // namespace cumulo::picture
