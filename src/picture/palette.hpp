// The colours that all scenes share.
#pragma once

#include "picture/scene.hpp"

namespace cumulo::picture::palette {

inline constexpr Colour paper{247 / 255.0, 245 / 255.0, 237 / 255.0};
inline constexpr Colour orange{0.85, 0.55, 0.15};
inline constexpr Colour pale_orange{0.95, 0.84, 0.66};
inline constexpr Colour blue{0.08, 0.40, 0.75};
inline constexpr Colour light_blue{0.35, 0.60, 0.90};
inline constexpr Colour pale_blue{0.74, 0.84, 0.93};
inline constexpr Colour green{0.16, 0.56, 0.30};
inline constexpr Colour pale_grey{0.85, 0.84, 0.81};
inline constexpr Colour white{1, 1, 1};
inline constexpr Colour grid{0.89, 0.88, 0.84};
inline constexpr Colour axis{0.55, 0.54, 0.51};

// Text.
inline constexpr Colour ink{0.13, 0.13, 0.15};
inline constexpr Colour grey{0.38, 0.38, 0.40};
inline constexpr Colour dark_blue{0.05, 0.28, 0.55};
inline constexpr Colour dark_yellow{0.58, 0.36, 0.02};
inline constexpr Colour right{0.08, 0.45, 0.20};
inline constexpr Colour wrong{0.75, 0.08, 0.08};

}  // namespace cumulo::picture::palette
