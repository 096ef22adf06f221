#include "formats/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace cumulo::app {
namespace {

using namespace std::chrono_literals;

constexpr auto first_draw = 300ms;  // quick work shows nothing
constexpr auto redraw = 100ms;
constexpr std::size_t bar_width = 30;

}  // namespace

Progress::Progress(std::string label, std::uint64_t total, bool wanted)
    : label_(std::move(label)),
      total_(total),
      enabled_(wanted && isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + first_draw) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::uint64_t done) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + redraw;
  drawn_ = true;
  if (total_ == 0) {
    std::fputs(fmt::format("\r{} {} MB\x1b[K", label_, done / 1'000'000).c_str(), stderr);
  } else {
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const auto filled = static_cast<std::size_t>(part * static_cast<double>(bar_width));
    const std::string bar(filled, '#');
    std::fputs(
        fmt::format("\r{} [{:<{}}] {:3.0f} %\x1b[K", label_, bar, bar_width, part * 100).c_str(),
        stderr);
  }
  std::fflush(stderr);
}

}  // namespace cumulo::app
