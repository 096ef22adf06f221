// Pictures of scans: scenes to choose from, and the painters that turn a scene into pixels or
// files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/type.hpp"
#include "picture/scene.hpp"
#include "picture/scenes.hpp"

namespace cumulo::picture {

// Opaque pixels, row by row from the top, 4 bytes each: red, green, blue, 255.
struct Image {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> rgba;
};

// bad_argument where a scene is of no size or too large, or a formula reads past its array.
Result<void> validate(const Scene& scene);

// Draws on the CPU, from the scene's own arrays.
Result<Image> paint(const Scene& scene);

// The device's memory that holds an array of the scene: as many elements as the scene's, of type
// u32, i32 or f32.
struct ArrayBuffer {
  std::string_view array;  // the name in the scene
  const Buffer& buffer;
  std::uint64_t offset = 0;  // in elements
  Type type = Type::u32;
};

// Draws the boxes by one instanced draw on the device, straight from the buffers; the scene's own
// array values are not looked at. Lines and labels come over it on the CPU. Waits for the device.
// bad_argument unless every array of the scene has one buffer of the right size; unsupported on
// the CPU backend and for 64-bit types; validation, out_of_memory, device_lost, stalled.
Result<Image> paint_on_gpu(Device& device, const Scene& scene,
                           std::span<const ArrayBuffer> buffers);

// Writes .png, .svg or .pdf, as the extension says; nothing is left behind on failure, and what was
// at `path` before stays until the new file is whole. bad_argument for another extension; file.
Result<void> write_picture(const Scene& scene, const std::filesystem::path& path);
Result<void> write_picture(const Image& image, const std::filesystem::path& path);  // .png only

// bad_argument unless the extension is one that write_picture(scene) takes.
Result<void> check_picture_path(const std::filesystem::path& path);

}  // namespace cumulo::picture
