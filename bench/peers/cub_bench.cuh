// What the programs around CUB share: copies to compare with, poison, the check of every result,
// and the timing of all cases of a size, interleaved, behind copies that keep the clock up.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUB: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(4);
}

// ---- kernels

// PER vectors an invocation, a block's width apart; INVERTED poisons.
template <int PER, bool INVERTED>
__global__ void copy_vectors(const uint4* from, uint4* to, std::size_t vectors) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x * PER + threadIdx.x;
  uint4 v[PER];
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const std::size_t i = first + static_cast<std::size_t>(k) * blockDim.x;
    if (i < vectors) v[k] = from[i];
  }
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const std::size_t i = first + static_cast<std::size_t>(k) * blockDim.x;
    if (INVERTED) v[k] = make_uint4(~v[k].x, ~v[k].y, ~v[k].z, ~v[k].w);
    if (i < vectors) to[i] = v[k];
  }
}

template <int PER, bool INVERTED = false>
void launch_copy(const void* from, void* to, std::size_t bytes, int threads) {
  const std::size_t vectors = (bytes + 15) / 16;
  const std::size_t tile = static_cast<std::size_t>(threads) * PER;
  copy_vectors<PER, INVERTED><<<static_cast<unsigned>((vectors + tile - 1) / tile), threads>>>(
      static_cast<const uint4*>(from), static_cast<uint4*>(to), vectors);
}

__global__ void do_nothing() {}

struct Verdict {
  unsigned long long wrong;
  unsigned long long compared;
};

template <class T>
__global__ void compare(const T* expected, const T* found, std::size_t n, Verdict* verdict) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long wrong = 0;
  unsigned long long compared = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    wrong += expected[i] != found[i];
    ++compared;
  }
  if (wrong != 0) atomicAdd(&verdict->wrong, wrong);
  atomicAdd(&verdict->compared, compared);
}

template <class T>
struct Memory {
  explicit Memory(std::size_t n) {
    check(cudaMalloc(&data, (n * sizeof(T) + 15) / 16 * 16), "cudaMalloc");
  }
  ~Memory() { cudaFree(data); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  T* data = nullptr;
};

// ---- measuring

struct Case {
  std::string name;
  std::string role;
  std::string kind;  // "" where there is none
  std::function<cudaError_t()> launch;
  std::function<void(Verdict*)> compare = {};  // none where there is no result
  std::size_t results = 0;                     // compared after each run
  std::size_t bytes = 0;
  std::vector<float> times = {};
  std::string failure = {};
};

constexpr int warming_rounds = 2;
constexpr std::size_t heat_bytes = std::size_t{256} << 20;
constexpr int heat_copies = 12;
constexpr double heat_seconds = 0.5;

class Timer {
 public:
  Timer() : heat_from_(heat_bytes), heat_to_(heat_bytes) {
    check(cudaMemset(heat_from_.data, 0, heat_bytes), "cudaMemset");
  }

  void warm_up() {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
           heat_seconds) {
      heat();
      check(cudaDeviceSynchronize(), "heating");
    }
  }

  // poison overwrites the output that the cases share.
  void run(std::vector<Case>& cases, int runs, const std::function<void()>& poison) {
    const std::size_t all = cases.size() * static_cast<std::size_t>(runs + warming_rounds);
    std::vector<cudaEvent_t> events(2 * all);
    for (cudaEvent_t& event : events) check(cudaEventCreate(&event), "cudaEventCreate");
    Memory<Verdict> verdicts(cases.size());
    check(cudaMemset(verdicts.data, 0, cases.size() * sizeof(Verdict)), "cudaMemset");
    warm_up();
    std::size_t at = 0;
    for (int round = 0; round < runs + warming_rounds; ++round) {
      heat();
      for (std::size_t c = 0; c < cases.size(); ++c, ++at) {
        poison();
        check(cudaEventRecord(events[2 * at]), "cudaEventRecord");
        const cudaError_t status = cases[c].launch();
        check(cudaEventRecord(events[2 * at + 1]), "cudaEventRecord");
        if (status != cudaSuccess) cases[c].failure = cudaGetErrorString(status);
        if (cases[c].compare) cases[c].compare(verdicts.data + c);
      }
    }
    check(cudaDeviceSynchronize(), "the timed runs");
    at = warming_rounds * cases.size();
    for (int round = 0; round < runs; ++round) {
      for (Case& c : cases) {
        float ms = 0;
        check(cudaEventElapsedTime(&ms, events[2 * at], events[2 * at + 1]), "elapsed time");
        c.times.push_back(ms);
        ++at;
      }
    }
    for (cudaEvent_t event : events) cudaEventDestroy(event);
    judge(cases, verdicts.data, static_cast<std::size_t>(runs + warming_rounds));
  }

 private:
  void heat() {
    for (int i = 0; i < heat_copies; ++i) {
      launch_copy<4>(heat_from_.data, heat_to_.data, heat_bytes, 256);
    }
  }

  static void judge(std::vector<Case>& cases, const Verdict* on_device, std::size_t rounds) {
    std::vector<Verdict> verdicts(cases.size());
    check(cudaMemcpy(verdicts.data(), on_device, cases.size() * sizeof(Verdict),
                     cudaMemcpyDeviceToHost),
          "reading the verdicts");
    for (std::size_t c = 0; c < cases.size(); ++c) {
      if (!cases[c].compare || !cases[c].failure.empty()) continue;
      if (verdicts[c].wrong != 0) cases[c].failure = "its result is wrong";
      if (verdicts[c].compared != rounds * cases[c].results) {
        cases[c].failure = "its results could not all be checked";
      }
    }
  }

  Memory<char> heat_from_;
  Memory<char> heat_to_;
};

template <class T>
void add_copies(std::vector<Case>& cases, const T* in, T* out, std::size_t n) {
  const std::size_t bytes = n * sizeof(T);
  const auto compare_copy = [=](Verdict* v) { compare<<<2048, 256>>>(in, out, n, v); };
  for (const int threads : {128, 256, 512}) {
    for (const int per : {1, 2, 4, 8}) {
      const auto launch = [=]() -> cudaError_t {
        switch (per) {
          case 1: launch_copy<1>(in, out, bytes, threads); break;
          case 2: launch_copy<2>(in, out, bytes, threads); break;
          case 4: launch_copy<4>(in, out, bytes, threads); break;
          default: launch_copy<8>(in, out, bytes, threads);
        }
        return cudaGetLastError();
      };
      cases.push_back(
          {"CUDA copy, vec4 x " + std::to_string(per) + " by " + std::to_string(threads), "copy",
           "", launch, compare_copy, n, 2 * bytes});
    }
  }
}

// Scratch large enough for every call below.
struct Scratch {
  void* data;
  std::size_t bytes;
};

// ---- results

template <class... Values>
std::string format(const char* text, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, text, values...);
  return buffer;
}

double median(std::vector<float> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

constexpr double impossible_gb_per_s = 20'000;

void refuse_impossible(Case& c) {
  if (c.failure.empty() && c.bytes > 0 &&
      !(static_cast<double>(c.bytes) / median(c.times) / 1e6 <= impossible_gb_per_s)) {
    c.failure = "it would have moved more bytes a second than any memory can";
  }
}

}  // namespace
