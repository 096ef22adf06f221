#include "formats/pending_names.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "formats/file.hpp"

namespace cumulo::app {
namespace {

constexpr std::size_t slots = 8;
constexpr std::size_t longest_path = 4096;

struct Slot {
  std::atomic<bool> taken = false;
  std::array<char, longest_path> path{};
};

constexpr std::array interrupts{SIGINT, SIGTERM, SIGHUP};

// A signal handler can reach nothing but what is static.
std::array<Slot, slots> pending;
pthread_t main_thread;

void remove_pending_and_end(int signal_number) {
  // Any thread may be interrupted, and only the main one knows when to wait.
  if (pthread_equal(pthread_self(), main_thread) == 0) {
    pthread_kill(main_thread, signal_number);
    return;
  }
  for (const Slot& slot : pending) {
    if (slot.taken.load()) unlink(slot.path.data());
  }
  std::signal(signal_number, SIG_DFL);
  raise(signal_number);
}

}  // namespace

int remember_pending(const std::string& path) {
  if (path.size() >= longest_path) return -1;
  for (std::size_t i = 0; i < slots; ++i) {
    if (pending[i].taken.load()) continue;
    std::memcpy(pending[i].path.data(), path.c_str(), path.size() + 1);
    pending[i].taken.store(true);
    return static_cast<int>(i);
  }
  return -1;
}

void forget_pending(int slot) {
  if (slot >= 0) pending[static_cast<std::size_t>(slot)].taken.store(false);
}

HeldInterrupts::HeldInterrupts() {
  sigset_t held;
  sigemptyset(&held);
  for (const int number : interrupts) sigaddset(&held, number);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldInterrupts::~HeldInterrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void install_signal_handlers() {
  main_thread = pthread_self();
  for (const int number : interrupts) {
    // A signal the parent has switched off (nohup) stays off.
    struct sigaction old{};
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    struct sigaction action{};
    action.sa_handler = remove_pending_and_end;
    sigaction(number, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file beyond the limit that the user has set.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace cumulo::app
