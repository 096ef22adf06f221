#include "cpu/predicate.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "cpu/block_program.hpp"

namespace cumulo::cpu {
namespace {

Carrier carrier_of(Type type) {
  switch (type) {
    case Type::u32: return Carrier::u32;
    case Type::i32: return Carrier::i32;
    case Type::f32: return Carrier::f32;
    case Type::u64: return Carrier::u64;
    case Type::i64: return Carrier::i64;
    case Type::f16:  // which no predicate reads
    case Type::f64: break;
  }
  return Carrier::f64;
}

template <class T>
void fill(std::byte* to, T value) {
  for (std::size_t k = 0; k < block_values; ++k) std::memcpy(to + k * sizeof(T), &value, sizeof(T));
}

void fill_constant(std::byte* to, Carrier carrier, const predicate::Step& step) {
  switch (carrier) {
    case Carrier::truth: return fill(to, static_cast<std::uint8_t>(step.truth));
    case Carrier::u32: return fill(to, static_cast<std::uint32_t>(step.integer));
    case Carrier::i32: return fill(to, static_cast<std::int32_t>(step.integer));
    case Carrier::u64: return fill(to, static_cast<std::uint64_t>(step.integer));
    case Carrier::i64: return fill(to, static_cast<std::int64_t>(step.integer));
    case Carrier::wide: return fill(to, step.integer);
    case Carrier::f32: return fill(to, static_cast<float>(step.real));
    case Carrier::f64: return fill(to, step.real);
  }
}

// A program with a number of its own, by which a thread knows its memory again.
class Evaluator {
 public:
  Evaluator(const predicate::Program& program, std::span<const PredicateColumn> columns)
      : program_(make(program, columns)) {
    static std::atomic<std::uint64_t> next{1};
    number_ = next.fetch_add(1, std::memory_order_relaxed);
    for (const BlockPlace& place : program_.places) {
      offsets_.push_back(bytes_);
      bytes_ += block_values * bytes_of(place.carrier);
    }
  }

  void decide(const std::byte* const* columns, std::uint64_t first, std::uint32_t count,
              std::uint8_t* keep) const {
    // Two predicates of one call do not take each other's.
    thread_local std::array<Memory, 4> memories;
    Memory& memory = memories[number_ % memories.size()];
    if (memory.owner != number_) prepare(memory);
    for (std::uint32_t done = 0; done < count; done += block_values) {
      const std::size_t values = std::min<std::size_t>(block_values, count - done);
      decide_block(memory, columns, first, done, values);
      std::memcpy(keep + done, memory.places[program_.result], values);
    }
  }

 private:
  struct Memory {
    std::uint64_t owner = 0;
    std::vector<std::byte> bytes;
    std::vector<const std::byte*> places;
  };

  static BlockProgram make(const predicate::Program& program,
                           std::span<const PredicateColumn> columns) {
    std::vector<Carrier> carriers;
    for (const PredicateColumn& column : columns) carriers.push_back(carrier_of(column.type));
    return block_program(program, carriers);
  }

  void prepare(Memory& memory) const {
    memory.owner = 0;
    memory.bytes.assign(bytes_, std::byte{0});
    memory.places.clear();
    for (std::size_t k = 0; k < program_.places.size(); ++k) {
      const BlockPlace& place = program_.places[k];
      std::byte* const here = memory.bytes.data() + offsets_[k];
      if (place.source == BlockPlace::Source::constant) {
        fill_constant(here, place.carrier, place.value);
      }
      memory.places.push_back(here);
    }
    memory.owner = number_;
  }

  void decide_block(Memory& memory, const std::byte* const* columns, std::uint64_t first,
                    std::uint32_t done, std::size_t values) const {
    for (std::size_t k = 0; k < program_.places.size(); ++k) {
      const BlockPlace& place = program_.places[k];
      std::byte* const own = memory.bytes.data() + offsets_[k];
      if (place.source == BlockPlace::Source::index) {
        fill_index(own, first + done);
      } else if (place.source == BlockPlace::Source::column) {
        const std::size_t bytes = bytes_of(place.carrier);
        const std::byte* const from = columns[place.column] + done * bytes;
        // A whole block is read where it lies.
        memory.places[k] = values == block_values ? from : own;
        if (values < block_values) std::memcpy(own, from, values * bytes);
      }
    }
    for (const BlockStep& step : program_.steps) {
      step.loop(memory.places[step.a], memory.places[step.b],
                memory.bytes.data() + offsets_[step.out]);
    }
  }

  static void fill_index(std::byte* to, std::uint64_t first) {
    for (std::uint64_t k = 0; k < block_values; ++k) {
      const std::uint64_t index = first + k;
      std::memcpy(to + k * sizeof index, &index, sizeof index);
    }
  }

  BlockProgram program_;
  std::uint64_t number_ = 0;
  std::vector<std::size_t> offsets_;
  std::size_t bytes_ = 0;
};

}  // namespace

Predicate::Function predicate_function(const predicate::Program& program,
                                       std::span<const PredicateColumn> columns) {
  auto evaluator = std::make_shared<const Evaluator>(program, columns);
  return [evaluator = std::move(evaluator)](const std::byte* const* arrays, std::uint64_t first,
                                            std::uint32_t count, std::uint8_t* keep) {
    evaluator->decide(arrays, first, count, keep);
  };
}

}  // namespace cumulo::cpu
