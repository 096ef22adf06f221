// The user's own operators: those of the library, and some that only a right order gets right.
#include <array>
#include <bit>

#include "check.hpp"

namespace cumulo::test {
namespace {

// A monoid, and the same said plainly for the reference.
template <class T>
struct Sample {
  Monoid monoid;
  T identity;
  T (*combine)(const T& older, const T& newer);
  T (*value)(std::uint64_t bits);  // a random element
};

float near_one(std::uint64_t bits) {
  return 1.0F + static_cast<float>(bits % 2001) / 65536 - 0.015F;
}
float small(std::uint64_t bits) { return static_cast<float>(bits % 4001) / 1024 - 1.95F; }

Sample<Affine> affine() {
  return {affine_monoid(),
          {1, 0},
          [](const Affine& older, const Affine& newer) {
            return Affine{older.a * newer.a, newer.a * older.b + newer.b};
          },
          [](std::uint64_t bits) { return Affine{near_one(bits), small(bits >> 20)}; }};
}

Sample<Matrix2x2> matrix() {
  return {matrix_monoid(),
          {{1, 0, 0, 1}},
          [](const Matrix2x2& older, const Matrix2x2& newer) {
            Matrix2x2 product{};
            for (std::size_t r = 0; r < 2; ++r) {
              for (std::size_t c = 0; c < 2; ++c) {
                product.rows[2 * r + c] =
                    older.rows[2 * r] * newer.rows[c] + older.rows[2 * r + 1] * newer.rows[2 + c];
              }
            }
            return product;
          },
          [](std::uint64_t bits) {
            // Turns by some angle: products stay in range.
            const float angle = small(bits);
            return Matrix2x2{{std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)}};
          }};
}

struct Word {
  std::uint32_t value;
  bool operator==(const Word&) const = default;
};

Sample<Word> last_nonzero() {
  return {last_nonzero_monoid(),
          {0},
          [](const Word& older, const Word& newer) { return newer.value != 0 ? newer : older; },
          [](std::uint64_t bits) {
            return Word{bits % 37 == 0 ? static_cast<std::uint32_t>(bits >> 32) : 0};
          }};
}

// 12 bytes, of three types: such elements begin at few of the offsets that a device lets one bind.
struct Statistics {
  std::uint32_t count;
  std::int32_t least;
  float sum;
  bool operator==(const Statistics&) const = default;
};

Statistics joined(const Statistics& older, const Statistics& newer) {
  return {older.count + newer.count, std::min(older.least, newer.least), older.sum + newer.sum};
}

Sample<Statistics> statistics() {
  const Statistics identity{0, INT32_MAX, 0};
  return {{.name = "statistics",
           .fields = {{"count", Type::u32}, {"least", Type::i32}, {"sum", Type::f32}},
           .wgsl = "return Element(older.count + newer.count, min(older.least, newer.least),\n"
                   "               older.sum + newer.sum);",
           .identity = bytes_of(identity),
           .commutative = true,
           .combine = combine_function<Statistics>(joined)},
          identity,
          joined,
          [](std::uint64_t bits) {
            return Statistics{1, static_cast<std::int32_t>(bits >> 32), small(bits)};
          }};
}

// 20 bytes: permutations of five things, one after the other.
using Permutation = std::array<std::int32_t, 5>;

Permutation composed(const Permutation& older, const Permutation& newer) {
  Permutation both{};
  for (std::size_t i = 0; i < 5; ++i) both[i] = newer[static_cast<std::size_t>(older[i])];
  return both;
}

Sample<Permutation> permutations() {
  Monoid monoid{.name = "permutations",
                .fields = {},
                .wgsl =
                    "let p = array<i32, 5>(newer.p0, newer.p1, newer.p2, newer.p3, newer.p4);\n"
                    "var both = p;\n"
                    "let o = array<i32, 5>(older.p0, older.p1, older.p2, older.p3, older.p4);\n"
                    "var start = o;\n"
                    "var turn = p;\n"
                    "for (var i = 0; i < 5; i++) { both[i] = turn[start[i]]; }\n"
                    "return Element(both[0], both[1], both[2], both[3], both[4]);",
                .identity = bytes_of(Permutation{0, 1, 2, 3, 4}),
                .combine = combine_function<Permutation>(composed)};
  for (int i = 0; i < 5; ++i) monoid.fields.push_back({"p" + std::to_string(i), Type::i32});
  return {std::move(monoid), {0, 1, 2, 3, 4}, composed, [](std::uint64_t bits) {
            Permutation p{0, 1, 2, 3, 4};
            for (std::size_t i = 4; i > 0; --i, bits /= 7) std::swap(p[i], p[bits % (i + 1)]);
            return p;
          }};
}

// 32 bytes, the most: four affine maps of integers.
using Maps = std::array<std::uint32_t, 8>;

Maps chained(const Maps& older, const Maps& newer) {
  Maps both{};
  for (std::size_t i = 0; i < 8; i += 2) {
    both[i] = older[i] * newer[i];
    both[i + 1] = newer[i] * older[i + 1] + newer[i + 1];
  }
  return both;
}

Sample<Maps> maps() {
  Monoid monoid{.name = "integer maps",
                .fields = {},
                .wgsl =
                    "return Element(\n"
                    "    older.f0 * newer.f0, newer.f0 * older.f1 + newer.f1,\n"
                    "    older.f2 * newer.f2, newer.f2 * older.f3 + newer.f3,\n"
                    "    older.f4 * newer.f4, newer.f4 * older.f5 + newer.f5,\n"
                    "    older.f6 * newer.f6, newer.f6 * older.f7 + newer.f7);",
                .identity = bytes_of(Maps{1, 0, 1, 0, 1, 0, 1, 0}),
                .combine = combine_function<Maps>(chained)};
  for (int i = 0; i < 8; ++i) monoid.fields.push_back({"f" + std::to_string(i), Type::u32});
  return {std::move(monoid), {1, 0, 1, 0, 1, 0, 1, 0}, chained, [](std::uint64_t bits) {
            Maps m{};
            for (std::size_t i = 0; i < 8; ++i) {
              m[i] = static_cast<std::uint32_t>(bits * (2 * i + 3)) | (i % 2 == 0 ? 1U : 0U);
            }
            return m;
          }};
}

template <class T>
std::vector<T> random_elements(const Sample<T>& sample, std::uint64_t n) {
  std::mt19937_64 random{n + 7};
  std::vector<T> values(n);
  for (T& value : values) value = sample.value(random());
  return values;
}

template <class T>
Expected<T> expected_of(const Sample<T>& sample, const ScanDescription& d,
                        std::span<const T> values) {
  return expected_either_way<T>(d, values, [&](std::span<const T> forward) {
    std::optional<T> front;
    if (!d.monoid_init.empty()) {
      std::memcpy(static_cast<void*>(&front.emplace()), d.monoid_init.data(), sizeof(T));
    }
    // What has the identity's bytes is not combined.
    const auto combine = [&](const T& older, const T& newer) {
      if (std::memcmp(&older, &sample.identity, sizeof(T)) == 0) return newer;
      if (std::memcmp(&newer, &sample.identity, sizeof(T)) == 0) return older;
      return sample.combine(older, newer);
    };
    return expected_forward<T>(d, forward, front, sample.identity, false, combine);
  });
}

template <class T>
testing::AssertionResult same_elements(std::span<const T> expected, std::span<const T> found,
                                       const ScanDescription& d) {
  if (expected.size() != found.size()) return testing::AssertionFailure() << "another count";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&expected[i], &found[i], sizeof(T)) == 0) continue;
    return testing::AssertionFailure() << "element " << i << " differs (" << text_of(d) << ")";
  }
  return testing::AssertionSuccess();
}

// Host memory in and out; buffers of the device at offsets; in place.
template <class T>
testing::AssertionResult is_right(Device& device, const Sample<T>& sample, ScanDescription d,
                                  std::span<const T> values) {
  d.n = values.size();
  d.monoid = sample.monoid;
  const Expected<T> expected = expected_of(sample, d, values);
  const std::span<const T> wanted{expected.values};

  std::vector<T> out(result_count(d));
  const auto report =
      scan_bytes(device, d, std::as_bytes(values), std::as_writable_bytes(std::span{out}));
  if (!report) return testing::AssertionFailure() << describe(report.error());
  if (auto equal = same_elements<T>(wanted, out, d); !equal) return equal;
  if (report->total_bytes != bytes_of(expected.total)) {
    return testing::AssertionFailure() << "the total differs (" << text_of(d) << ")";
  }

  auto prepared = value_of(prepare_scan(device, d));
  constexpr std::uint64_t before = 5;
  std::vector<T> in(before + values.size(), sample.value(99));
  std::copy(values.begin(), values.end(), in.begin() + before);
  const std::uint64_t guarded = before + 2 + wanted.size() + before;
  const std::vector<T> poisoned(guarded, sample.value(77));
  const Buffer from = value_of(device.upload(std::as_bytes(std::span{in})));
  const Buffer to = value_of(device.upload(std::as_bytes(std::span{poisoned})));
  const auto read = [&](const Buffer& buffer, std::uint64_t count) {
    std::vector<T> found(count);
    value_of(device.read(buffer, 0, std::as_writable_bytes(std::span{found})));
    return found;
  };
  value_of(prepared.run(from, to, before, before + 2));
  std::vector<T> whole = poisoned;
  std::copy(wanted.begin(), wanted.end(), whole.begin() + before + 2);
  if (auto equal = same_elements<T>(whole, read(to, guarded), d); !equal) {
    return equal << " between buffers";
  }
  if (d.include_initial) return testing::AssertionSuccess();
  value_of(prepared.run(from, from, before, before));
  std::copy(wanted.begin(), wanted.end(), in.begin() + before);
  return same_elements<T>(in, read(from, in.size()), d) << " in place";
}

class MonoidTest : public DeviceTest {
 protected:
  template <class F>
  static void for_each_sample(F&& f) {
    f(affine());
    f(matrix());
    f(last_nonzero());
    f(statistics());
    f(permutations());
    f(maps());
  }
};

TEST_P(MonoidTest, EveryOptionIsRight) {
  for_each_sample([&]<class T>(const Sample<T>& sample) {
    const auto values = random_elements(sample, 2 * order::strip + order::row + 7);
    for (unsigned bits = 0; bits < 16; ++bits) {
      // Each combination is a set of kernels to compile: one operator goes through all of them.
      const bool stands_for_all = bits == 1 || bits == 6 || bits == 12;
      if (!is_cpu() && sample.monoid.name != "affine" && !stands_for_all) continue;
      const ScanDescription d{
          .kind = bits & 1 ? ScanKind::exclusive : ScanKind::inclusive,
          .reverse = (bits & 2) != 0,
          .include_initial = (bits & 8) != 0,
          .monoid_init = bits & 4 ? bytes_of(sample.value(5)) : std::vector<std::byte>{}};
      EXPECT_TRUE(is_right<T>(device(), sample, d, values)) << sample.monoid.name;
    }
  });
}

TEST_P(MonoidTest, EverySizeIsRight) {
  for_each_sample([&]<class T>(const Sample<T>& sample) {
    // Compiling takes the time: on a GPU elements of 8, 12 and 32 bytes.
    const std::size_t fields = sample.monoid.fields.size();
    if (!is_cpu() && fields != 2 && fields != 3 && fields != 8) return;
    const std::uint64_t most = std::min<std::uint64_t>(many() / 4, 40'000);
    const auto values = random_elements(sample, most);
    for (const std::uint64_t n : {0, 1, 2, 3, 4, 5, 127, 129, 1023, 1025, 8193, 40'000}) {
      if (n > most) continue;
      EXPECT_TRUE(is_right<T>(device(), sample, {}, std::span<const T>{values}.first(n)))
          << sample.monoid.name << ", " << n;
    }
  });
}

TEST_P(MonoidTest, TeachingFormsAndTheLoopTakeThem) {
  const std::vector<Algorithm> algorithms =
      is_cpu() ? std::vector{Algorithm::serial}
               : std::vector{Algorithm::hillis_steele, Algorithm::blelloch};
  const auto sample = permutations();  // exact in any order
  const auto values = random_elements(sample, 61);
  for (const Algorithm algorithm : algorithms) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      const ScanDescription d{
          .n = values.size(), .kind = kind, .algorithm = algorithm, .monoid = sample.monoid};
      std::vector<Permutation> out(values.size());
      value_of(scan_bytes(device(), d, std::as_bytes(std::span{values}),
                          std::as_writable_bytes(std::span{out})));
      const auto expected = expected_of<Permutation>(sample, d, values);
      EXPECT_TRUE(same_elements<Permutation>(expected.values, out, d)) << name(algorithm);
    }
  }
}

TEST_P(MonoidTest, TypedCallsGiveValuesAndTotal) {
  // y = 2 y + 1 from y = 0: 1, 3, 7, 15.
  const std::vector<Affine> maps(4, Affine{2, 1});
  const auto scanned = value_of(scan<Affine>(device(), ScanKind::inclusive, maps, affine_monoid()));
  EXPECT_EQ(scanned.values, (std::vector<Affine>{{2, 1}, {4, 3}, {8, 7}, {16, 15}}));
  EXPECT_EQ(scanned.total, (Affine{16, 15}));
  const auto started = value_of(
      scan<Affine>(device(), ScanKind::exclusive, maps, affine_monoid(), {.init = Affine{1, 10}}));
  EXPECT_EQ(started.values, (std::vector<Affine>{{1, 10}, {2, 21}, {4, 43}, {8, 87}}));
  const std::vector<std::uint32_t> gaps{0, 7, 0, 0, 9, 0};
  const auto filled =
      value_of(scan<std::uint32_t>(device(), ScanKind::inclusive, gaps, last_nonzero_monoid()));
  EXPECT_EQ(filled.values, (std::vector<std::uint32_t>{0, 7, 7, 7, 9, 9}));
}

TEST_P(MonoidTest, WithoutACppFunctionItNeedsAGpu) {
  Monoid monoid = affine_monoid();
  monoid.combine = nullptr;
  const std::vector<Affine> values(3, Affine{2, 1});
  const auto scanned = scan<Affine>(device(), ScanKind::inclusive, values, monoid);
  EXPECT_EQ(scanned.has_value(), !is_cpu());
  if (scanned) return;
  EXPECT_EQ(scanned.error().kind, ErrorKind::unsupported);
  EXPECT_NE(scanned.error().message.find("affine"), std::string::npos);
  EXPECT_FALSE(prepare_scan(device(), {.n = 3, .monoid = monoid}));
}

TEST_P(MonoidTest, TextThatDoesNotCompileIsToldWithItsPlace) {
  if (is_cpu()) GTEST_SKIP() << "the CPU backend compiles no WGSL";
  const auto error_of = [&](const std::string& wgsl) {
    Monoid monoid = affine_monoid();
    monoid.wgsl = wgsl;
    monoid.source = "maps.op";
    monoid.first_line = 40;
    const auto prepared = prepare_scan(device(), {.n = 3, .monoid = monoid});
    EXPECT_FALSE(prepared);
    if (prepared) return std::string{};
    EXPECT_EQ(prepared.error().kind, ErrorKind::bad_argument);
    return describe(prepared.error());
  };
  // A name, a type and a sign that are wrong.
  EXPECT_TRUE(error_of("let a = older.a;\nreturn Element(a, oldr.b);").starts_with("maps.op:41:"));
  EXPECT_TRUE(error_of("\n\nreturn Element(1u, older.b);").starts_with("maps.op:42:"));
  EXPECT_TRUE(error_of("let a = older.a +;\nreturn older;").starts_with("maps.op:40:"));
  EXPECT_TRUE(error_of("let a = older.a;").starts_with("maps.op:")) << "nothing returned";
  // The device still works.
  EXPECT_TRUE(prepare_scan(device(), {.n = 3, .monoid = affine_monoid()}));
}

TEST_P(MonoidTest, WhatIsNoMonoidIsABadArgument) {
  const auto refused = [&](auto change) {
    ScanDescription d{.n = 3, .monoid = affine_monoid()};
    change(d);
    const auto prepared = prepare_scan(device(), d);
    return !prepared && prepared.error().kind == ErrorKind::bad_argument;
  };
  EXPECT_TRUE(refused([](ScanDescription& d) { d.monoid->fields.clear(); }));
  EXPECT_TRUE(refused([](ScanDescription& d) { d.monoid->fields.resize(9, {"x", Type::u32}); }));
  EXPECT_TRUE(refused([](ScanDescription& d) { d.monoid->fields[1].name = "a"; }));
  EXPECT_TRUE(refused([](ScanDescription& d) { d.monoid->fields[1].name = "1b"; }));
  EXPECT_TRUE(refused([](ScanDescription& d) { d.monoid->fields[1].type = Type::f64; }));
  EXPECT_TRUE(refused([](ScanDescription& d) { d.monoid->identity.pop_back(); }));
  EXPECT_TRUE(refused([](ScanDescription& d) { d.monoid->wgsl = " \n"; }));
  EXPECT_TRUE(refused([](ScanDescription& d) { d.monoid_init.resize(4); }));
}

CUMULO_ON_EVERY_DEVICE(MonoidTest);

}  // namespace
}  // namespace cumulo::test
