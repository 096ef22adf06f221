// The strip that stands for any number of elements, over the row that comes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "picture/scene.hpp"

namespace cumulo::picture {

// Elements share slots of the strip where there are more of them than pixels.
std::size_t density_slots(std::size_t elements);

struct Density {
  std::string title;
  std::string facts;    // below the title
  std::string caption;  // over the row
  // A bar a slot, up to `all` of the strip's height, and of that `green`; 0 to 1.
  std::vector<double> all;
  std::vector<double> green;
  // Parts of the row, one after the other, each a share of the slots' width.
  struct Part {
    double share;
    Colour colour;
  };
  std::vector<Part> row;
};

// 960 x 260 pixels, from the arrays "all" and "green".
Scene density_scene(Density data);

}  // namespace cumulo::picture
