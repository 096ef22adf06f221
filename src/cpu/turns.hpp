// Workers that pass in the order of their blocks. A worker whose turn is not near sleeps, so that
// the one before it has the processor; it waits only for blocks of lower numbers, which other
// workers are at.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cumulo::cpu {

class Turns {
 public:
  // Waits until it is the block's turn. False where a worker gave up: then it never will be.
  bool wait_for(std::size_t block) {
    const auto mine = static_cast<std::uint32_t>(block);
    std::uint32_t turn = turn_.load(std::memory_order_acquire);
    for (std::size_t looks = 0; turn != mine && turn != nobodys; ++looks) {
      if (looks >= 256) turn_.wait(turn, std::memory_order_acquire);
      turn = turn_.load(std::memory_order_acquire);
    }
    return turn == mine;
  }

  // Ends the block's turn.
  void pass(std::size_t block) {
    auto mine = static_cast<std::uint32_t>(block);
    turn_.compare_exchange_strong(mine, mine + 1, std::memory_order_release,
                                  std::memory_order_relaxed);
    turn_.notify_all();
  }

  // Lives as long as a worker is at its blocks; one that leaves by an exception frees the others.
  class Worker {
   public:
    explicit Worker(Turns& turns) : turns_(turns) {}
    ~Worker() {
      if (!done_) turns_.give_up();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void done() { done_ = true; }

   private:
    Turns& turns_;
    bool done_ = false;
  };

 private:
  // More blocks than a memory holds.
  static constexpr std::uint32_t nobodys = ~std::uint32_t{0};

  void give_up() {
    turn_.store(nobodys, std::memory_order_release);
    turn_.notify_all();
  }

  alignas(64) std::atomic<std::uint32_t> turn_{0};
};

}  // namespace cumulo::cpu
