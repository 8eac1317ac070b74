// SPDX-License-Identifier: Apache-2.0
// What SystemC sees of the model: modules, ports and what they are bound to.
#include <sstream>

#include <clock/kernel/hierarchy.hpp>
#include <clock/modules/streaming_multiprocessor.hpp>
#include <gtest/gtest.h>
#include <tests/support/child_process.hpp>

namespace smem {
namespace {

std::string hierarchy() {
  // Never freed: SystemC's kernel outlives no module.
  const auto* const sm = new clock::StreamingMultiprocessor("sm");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::ostringstream text;
  clock::print_hierarchy(text, *sm);
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(ClockHierarchy, ListsEveryModuleAndWhereEveryPortLeads) {
  const std::vector<std::string> lines = lines_of(test::in_child(hierarchy));
  const auto lists = [&](const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  };
  for (const char* module :
       {"sm", "sm.scheduler", "sm.shared_memory", "sm.shared_memory.operand_path",
        "sm.shared_memory.sm_queue", "sm.shared_memory.data_stage", "sm.shared_memory.lane_grouper",
        "sm.shared_memory.bank_array", "sm.shared_memory.writeback", "sm.issuer_0", "sm.issuer_7",
        "sm.block_scheduler"}) {
    EXPECT_TRUE(lists(std::string(module) + " sc_module")) << module;
  }
  EXPECT_TRUE(
      lists("sm.issuer_3.out_accesses sc_port -> sm.shared_memory.operand_path.in_accesses_3"));
  EXPECT_TRUE(lists("sm.shared_memory.data_stage.in_queue sc_port -> sm.shared_memory.sm_queue"));
  EXPECT_TRUE(lists("sm.shared_memory.writeback.out_values_2 sc_port -> sm.issuer_2.in_values"));
  EXPECT_TRUE(
      lists("sm.shared_memory.data_stage.out_wavefronts sc_port -> sm.shared_memory.lane_grouper"));
  std::size_t ports = 0;
  for (const std::string& line : lines) {
    if (line.find(" sc_port") == std::string::npos) continue;
    ++ports;
    EXPECT_NE(line.find(" -> sm."), std::string::npos) << line;
  }
  EXPECT_EQ(ports, 86u);
}

template <class Message>
class Nowhere : public clock::PipeInput<Message> {
 public:
  void send(const Message&, clock::Cycle) override {}
};

/// What SystemC says to a path whose values are bound in one of two sub-partitions only.
std::string elaborated_with_a_port_missing() {
  clock::SharedMemory path("shared_memory", sc_core::sc_time(1, sc_core::SC_NS), 2);
  Nowhere<clock::Departure> departures;
  Nowhere<std::uint16_t> warps;
  for (std::size_t index = 0; index < 2; ++index) {
    path.out_departures[index].bind(departures);
    path.out_store_ends[index].bind(warps);
  }
  path.out_values[0].bind(warps);
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const sc_core::sc_report& report) {
    return report.what();
  }
  return "no error";
}

TEST(ClockHierarchy, APortBoundToNothingIsAnErrorAtElaborationThatNamesIt) {
  const std::string said = test::in_child(elaborated_with_a_port_missing);
  EXPECT_NE(said.find("port not bound"), std::string::npos) << said;
  EXPECT_NE(said.find("shared_memory.out_values_1"), std::string::npos) << said;
}

}  // namespace
}  // namespace smem
