// A tile that never publishes its total: the run is known to have stalled, and no wrong result
// passes.
#include "api/impl.hpp"
#include "api/plan_runner.hpp"
#include "expand/reference.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

class StallTest : public DeviceTest {
 protected:
  ~StallTest() override {
    device().impl().assumes_progress = false;
    device().impl().withhold = 0;
  }
};

bool stalled(const Plan& plan, const std::vector<std::vector<std::byte>>& contents) {
  std::uint32_t word = 0;
  std::memcpy(&word, contents[plan.status->buffer].data() + plan.status->offset, sizeof word);
  return (word & status_stalled) != 0;
}

// Where ordinary threads run the workgroups, a busy processor can make a wait run out with nothing
// withheld; not every time.
constexpr int most_tries = 30;

TEST_P(StallTest, AWithheldTotalIsNoticed) {
  for (const Type type : {Type::u32, Type::f32, Type::f16}) {
    const ScanDescription d{.n = 40'000, .type = type, .algorithm = Algorithm::single_pass};
    const std::uint64_t bytes = d.n * element_bytes(d);
    const std::vector<std::byte> values(bytes), poison(bytes, std::byte{0xA7});
    for (const std::uint32_t one_of : {0U, 2U, 8U}) {
      const Plan plan = value_of(plan_scan(d, device().traits(), {.withhold = one_of}));
      auto contents = value_of(run_plan(device(), plan, values, poison));
      for (int again = 0; one_of == 0 && stalled(plan, contents) && again < most_tries; ++again) {
        contents = value_of(run_plan(device(), plan, values, poison));
      }
      EXPECT_EQ(stalled(plan, contents), one_of != 0) << "one of " << one_of;
    }
  }
}

TEST_P(StallTest, AutoFinishesByAnotherWay) {
  device().impl().assumes_progress = true;
  const auto values = random_values<float>(40'000, Operator::add);
  for (const std::uint32_t one_of : {0U, 4U}) {
    device().impl().withhold = one_of;
    for (const bool reverse : {false, true}) {
      ScanDescription d{.n = values.size(), .type = Type::f32, .reverse = reverse};
      std::vector<float> found(values.size());
      const std::string wanted = one_of == 0 ? "single-pass" : "reduce-then-scan";
      std::string algorithm;
      for (int tries = 0; algorithm != wanted && tries < most_tries; ++tries) {
        algorithm = value_of(scan_bytes(device(), d, std::as_bytes(std::span{values}),
                                        std::as_writable_bytes(std::span{found})))
                        .algorithm;
        EXPECT_TRUE(same<float>(expected_scan<float>(d, values).values, found));
      }
      EXPECT_EQ(algorithm, wanted);
    }
  }
}

// The one who asked for it is told; the next scan finds nothing of it.
TEST_P(StallTest, APreparedScanTellsAndRecovers) {
  device().impl().assumes_progress = true;
  device().impl().withhold = 4;
  const ScanDescription d{.n = 40'000, .algorithm = Algorithm::single_pass};
  const auto values = random_values<std::uint32_t>(d.n, Operator::add);
  PreparedScan prepared = value_of(prepare_scan(device(), d));
  Buffer in = value_of(device().upload(std::as_bytes(std::span{values}), "input"));
  Buffer out = value_of(device().allocate(d.n * 4, "output"));
  for (int round = 0; round < 2; ++round) {
    value_of(prepared.run(in, out));
    const auto finished = prepared.finish();
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().kind, ErrorKind::stalled);
  }
  device().impl().withhold = 0;
  PreparedScan healthy = value_of(prepare_scan(device(), d));
  value_of(healthy.run(in, out));
  value_of(healthy.finish());
  std::vector<std::uint32_t> found(d.n);
  value_of(device().read(out, 0, std::as_writable_bytes(std::span{found})));
  EXPECT_TRUE(same<std::uint32_t>(expected_scan<std::uint32_t>(d, values).values, found));
}

// The scan of counts stalls: offsets are anything, and what reads them must still end.
TEST_P(StallTest, AllocationsAndExpansionsFinishByAnotherWayToo) {
  device().impl().assumes_progress = true;
  device().impl().withhold = 4;
  const Words counts = counts_to_try(40'000, 3, 0)[0].counts;
  const auto expected = expected_allocation(counts, false, {});
  Words offsets(counts.size() + 1);
  const auto allocated = value_of(allocate_bytes(device(), {.n = counts.size()}, counts,
                                                 std::as_writable_bytes(std::span{offsets})));
  EXPECT_EQ(allocated.algorithm, "reduce-then-scan");
  EXPECT_EQ(allocated.report, expected.report);
  EXPECT_TRUE(std::ranges::equal(expected.offsets, offsets));
  EXPECT_TRUE(same_words(expected_expansion(counts, {}, 1, expected.report.total),
                         value_of(expand_indices(device(), counts))));

  const AllocateDescription d{.n = counts.size(), .algorithm = Algorithm::single_pass};
  const auto refused =
      allocate_bytes(device(), d, counts, std::as_writable_bytes(std::span{offsets}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::stalled);
}

// A device whose work does not end in time is called stalled, and to close it does not wait either.
TEST_P(StallTest, WorkThatDoesNotEndInTimeIsGivenUp) {
  using Clock = std::chrono::steady_clock;
  auto own = std::make_unique<Device>(value_of(Device::open(GetParam())));
  Clock::duration work{};
  {
    const ScanDescription d{.n = std::uint64_t{1} << 22, .algorithm = Algorithm::reduce_then_scan};
    PreparedScan prepared = value_of(prepare_scan(*own, d));
    Buffer in = value_of(own->allocate(d.n * 4, "input"));
    Buffer out = value_of(own->allocate(d.n * 4, "output"));
    const auto run_often = [&] {
      for (int run = 0; run < 5; ++run) value_of(prepared.run(in, out));
    };
    run_often();
    value_of(own->wait());
    const auto start = Clock::now();
    run_often();
    value_of(own->wait());
    work = Clock::now() - start;
    run_often();
    own->impl().gpu->patience = std::chrono::seconds(0);
    const auto waited = own->wait();
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().kind, ErrorKind::stalled);
  }
  const auto closing = Clock::now();
  own.reset();
  EXPECT_LT(Clock::now() - closing, work / 2);
}

CUMULO_ON_EVERY_GPU(StallTest);

}  // namespace
}  // namespace cumulo::test
