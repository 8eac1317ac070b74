// SPDX-License-Identifier: Apache-2.0
// The shared-memory path in an SM of somebody else's: examples/own_issuer.cpp, and what it takes.
#include <cstdlib>
#include <map>
#include <sstream>

#include <clock/gpu_timings.hpp>
#include <clock/kernel/inbox.hpp>
#include <clock/make_instruction.hpp>
#include <clock/simulate.hpp>
#include <gtest/gtest.h>
#include <tests/support/child_process.hpp>
#include <tests/support/clocked_history.hpp>
#include <tests/support/command_run.hpp>

#include <smem/gpus.hpp>

namespace smem {
namespace {

using clock::Cycle;
using clock::Instruction;

/// Issue and end of an access.
using Times = std::pair<Cycle, Cycle>;

/// Notes when each access was issued and done, by its record.
class TimesByRecord : public clock::Observer {
 public:
  void access_finished(const clock::InFlight& access) override {
    times[access.instruction->record] = {access.stamps.issue_cycle, access.stamps.finish_cycle};
  }
  std::map<std::uint64_t, Times> times;
};

Instruction strided(Operation operation, unsigned stride_words, std::uint32_t needs_values,
                    std::uint64_t record) {
  const WarpAccess access =
      make_access(operation, 4, [&](unsigned lane) { return lane * stride_words * 4; });
  Instruction instruction = clock::make_instruction(access, analyze(kH200, access));
  instruction.needs_values = needs_values;
  instruction.record = record;
  return instruction;
}

/// What simulate() says of the example's two warps, the first access issued in cycle 0.
std::vector<Times> simulated() {
  const std::vector<Instruction> first = {
      strided(Operation::load, 1, 0, 0), strided(Operation::load, 4, 1, 1),
      strided(Operation::store, 4, 2, 2), strided(Operation::load, 1, 0, 3),
      strided(Operation::store, 1, 3, 4)};
  std::vector<Instruction> second = {strided(Operation::load, 4, 0, 5),
                                     strided(Operation::load, 4, 0, 6)};
  second.front().delay_cycles = 50;
  const auto shared = [](const std::vector<Instruction>& instructions) {
    return std::make_shared<const std::vector<Instruction>>(instructions);
  };
  const std::vector<clock::Block> blocks = {{0, 0, 1, {{0, shared(first)}, {1, shared(second)}}}};
  test::ListedBlocks source(blocks);
  TimesByRecord observer;
  clock::simulate(clock::kH200Timing, source, &observer);
  std::vector<Times> result;
  const Cycle start = observer.times.at(0).first;
  for (const auto& [record, times] : observer.times) {
    result.emplace_back(times.first - start, times.second - start);
  }
  return result;
}

TEST(OwnIssuer, TheExamplesIssuerSeesTheCyclesThatSimulateSays) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(std::system((SMEMSIM_OWN_ISSUER " >" + folder.path("out")).c_str()), 0);
  std::istringstream out(test::read_file(folder.path("out")));
  std::string line;
  std::getline(out, line);  // names of the columns
  std::vector<Times> seen;
  Cycle last = 0;
  while (std::getline(out, line) && line.find("total_cycles") != 0) {
    std::istringstream row(line);
    std::string warp, access;
    Times times;
    row >> warp >> access >> times.first >> times.second;
    seen.push_back(times);
    last = std::max(last, times.second);
  }
  EXPECT_EQ(seen, simulated());
  EXPECT_EQ(line, "total_cycles " + std::to_string(last));
}

/// Takes one message in an activation, and notes when.
class OneAtATime : public sc_core::sc_module {
 public:
  clock::Inbox<int> in_numbers{"in_numbers", sc_core::sc_time(2, sc_core::SC_NS)};
  std::ostringstream text;

  explicit OneAtATime(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(OneAtATime);
    SC_METHOD(act);
    dont_initialize();
    sensitive << in_numbers.arrival_event();
  }

 private:
  void act() {
    if (!in_numbers.has_arrived()) text << "nothing ";
    text << in_numbers.receive() << " at " << sc_core::sc_time_stamp() << "; ";
  }
};

TEST(Inbox, NotifiesItsEventForEveryMessageThatIsNotYetReceived) {
  const std::string said = test::in_child([] {
    auto* const receiver = new OneAtATime("receiver");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    clock::PipeInput<int>& input = *receiver->in_numbers.operator->();
    input.send(1, 3);
    input.send(2, 3);
    input.send(3, 5);
    sc_core::sc_start();
    return receiver->text.str();
  });
  EXPECT_EQ(said, "1 at 6 ns; 2 at 6 ns; 3 at 10 ns; ");
}

}  // namespace
}  // namespace smem
