// The names of files not yet complete, where a signal handler finds them.
#pragma once

#include <string>

namespace cumulo::app {

// The slot to forget later; -1 when all are taken (then an interrupt leaves that file).
int remember_pending(const std::string& path);
void forget_pending(int slot);

}  // namespace cumulo::app
