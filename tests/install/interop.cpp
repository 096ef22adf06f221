// The CPU backend has no WebGPU handles; a program can ask.
#include <cumulo/webgpu.hpp>

int main() {
  const cumulo::Device cpu = cumulo::Device::cpu();
  return cumulo::native_device(cpu) == nullptr && cumulo::native_queue(cpu) == nullptr ? 0 : 1;
}
