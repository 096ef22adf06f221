// Drawing with Cairo and Pango, for whoever needs only a part of a picture.
#pragma once

#include <string>

#include "cumulo/error.hpp"
#include "picture/picture.hpp"
#include "picture/scene.hpp"

namespace cumulo::picture {

// Draws the scene's lines and labels over the image.
Result<void> add_overlay(Image& image, const Scene& scene);

// The bytes of a file.
Result<std::string> to_svg(const Scene& scene);
Result<std::string> to_pdf(const Scene& scene);

}  // namespace cumulo::picture
