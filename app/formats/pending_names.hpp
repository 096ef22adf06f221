// The names of files not yet complete, where a signal handler finds them.
#pragma once

#include <csignal>
#include <string>

namespace cumulo::app {

// The slot to forget later; -1 when all are taken (then an interrupt leaves that file).
int remember_pending(const std::string& path);
void forget_pending(int slot);

// While it lives, an interrupt waits: a file is made and remembered as one. Of the main thread
// only.
class HeldInterrupts {
 public:
  HeldInterrupts();
  ~HeldInterrupts();
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;

 private:
  sigset_t before_;
};

}  // namespace cumulo::app
