// A progress bar on standard error; silent where that is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace cumulo::app {

class Progress {
 public:
  // total: what update() counts to; 0 where it is not known (then the bar shows the amount alone).
  Progress(std::string label, std::uint64_t total, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done);

 private:
  std::string label_;
  std::uint64_t total_;
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace cumulo::app
