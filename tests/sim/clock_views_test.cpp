// SPDX-License-Identifier: Apache-2.0
// The files that show a clocked run from within, against the run's own tables.
#include <algorithm>
#include <map>
#include <sstream>

#include <clock/gpu_timings.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tests/support/command_run.hpp>
#include <tests/support/vcd_reader.hpp>

#include <smem/gpus.hpp>

namespace smem::test {
namespace {

using Row = std::map<std::string, std::string>;

/// The fields of a CSV line; quotes are dropped.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char character : line) {
    if (character == '"') {
      quoted = !quoted;
    } else if (character == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += character;
    }
  }
  return fields;
}

/// Rows of a CSV by column; comments are left out.
std::vector<Row> csv_rows(const std::string& text) {
  std::vector<Row> rows;
  std::istringstream in(text);
  std::vector<std::string> names;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> fields = csv_fields(line);
    if (names.empty()) {
      names = fields;
      continue;
    }
    Row& row = rows.emplace_back();
    for (std::size_t index = 0; index < names.size(); ++index) row[names[index]] = fields.at(index);
  }
  return rows;
}

std::uint64_t number(const Row& row, const std::string& column) {
  return std::stoull(row.at(column));
}

/// One trace, run with everything written.
struct ViewedRun {
  explicit ViewedRun(const std::string& trace) {
    const TemporaryFolder folder;
    const CommandRun converted =
        run_smemsim({"convert", trace, folder.path("trace.csv"), "--to", "csv"});
    EXPECT_EQ(converted.exit_code, 0) << converted.err;
    records = csv_rows(read_file(folder.path("trace.csv")));
    const CommandRun run =
        run_smemsim({"run", trace, "--format", "json", "--show", "stalls,warps", "--per-access",
                     folder.path("stamps.csv"), "--vcd", folder.path("run.vcd"), "--timeline",
                     folder.path("run.json")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out,
              run_smemsim({"run", trace, "--format", "json", "--show", "stalls,warps"}).out);
    tables = nlohmann::json::parse(run.out);
    stamps = csv_rows(read_file(folder.path("stamps.csv")));
    vcd = read_file(folder.path("run.vcd"));
    timeline = nlohmann::json::parse(read_file(folder.path("run.json")));
    for (const Row& row : stamps) {
      if (!row.at("finish_cycle").empty()) accesses.push_back(row);
    }
    for (const Row& row : accesses) end_cycle = std::max(end_cycle, number(row, "finish_cycle"));
    last_warp_cycle = end_cycle;
    for (const nlohmann::json& warp : tables.at("warps")) {
      last_warp_cycle = std::max(last_warp_cycle, warp.at("finish_cycle").get<std::uint64_t>());
    }
  }

  std::vector<Row> records;           ///< the trace
  std::vector<Row> stamps;            ///< per record
  std::vector<Row> accesses;          ///< those of them that reached the memory
  std::uint64_t end_cycle = 0;        ///< of the last access
  std::uint64_t last_warp_cycle = 0;  ///< of that, and the last warp
  std::string vcd;
  nlohmann::json timeline;
  nlohmann::json tables;
};

/// The convolution sample's first 700 lines: parts of its first two blocks.
std::string cut_sample(const TemporaryFolder& folder) {
  const std::string whole = folder.path("whole.csv");
  EXPECT_EQ(run_smemsim({"convert", source_file("traces/samples/conv3.smt"), whole}).exit_code, 0);
  std::istringstream in(read_file(whole));
  std::string cut;
  int lines = 0;
  for (std::string line; lines < 700 && std::getline(in, line); ++lines) cut += line + "\n";
  return folder.write("cut.csv", cut);
}

/// Two kernels whose warps store, wait for each other and load, the last ones behind a barrier that
/// ends their blocks; a load needs the one before it, and atomics collide.
std::string list_with_barriers(const TemporaryFolder& folder) {
  std::string addresses[3];
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::string space = lane == 0 ? "" : " ";
    addresses[0] += space + std::to_string(lane * 4);
    addresses[1] += space + std::to_string(lane * 128);
    addresses[2] += space + std::to_string(lane % 2 * 4);
  }
  std::string list =
      "#! kernel grid=3x1x1 block=160x1x1 shared_bytes=100000 "
      "registers_per_thread=32 name=first(int, int)\n"
      "#! kernel grid=2x1x1 block=96x1x1 shared_bytes=0 "
      "registers_per_thread=0 name=second\n"
      "op,bytes,mask,kernel,block,warp,pc,depends_on,dependent_instructions,"
      "addresses\n";
  for (const auto& [kernel, blocks, warps] : {std::array{0, 3, 5}, std::array{1, 2, 3}}) {
    for (int block = 0; block < blocks; ++block) {
      for (int warp = 0; warp < warps; ++warp) {
        const std::string place =
            std::to_string(kernel) + "," + std::to_string(block) + "," + std::to_string(warp) + ",";
        list += "st,4,ffffffff," + place + "10,0,0," + addresses[warp % 2] + "\n";
        list += "bar.sync,0,ffffffff," + place + "20,0,0,\n";
        list += "ld,4,ffff," + place + "30,0,0," + addresses[1] + "\n";
        list += "ld,4,ffffffff," + place + "40,1,2," + addresses[0] + "\n";
        list += "atom.add.u32,4,ffffffff," + place + "50,0,0," + addresses[2] + "\n";
        list += "st,4,ffffffff," + place + "60,0,0," + addresses[1] + "\n";
        list += "bar.sync,0,ffffffff," + place + "70,0,0,\n";
      }
    }
  }
  return folder.write("barriers.csv", list);
}

const std::vector<std::string>& traces() {
  static const TemporaryFolder folder;
  static const std::vector<std::string> kTraces = {cut_sample(folder), list_with_barriers(folder),
                                                   "transpose:", "stride:warps=16"};
  return kTraces;
}

const ViewedRun& viewed(const std::string& trace) {
  static std::map<std::string, ViewedRun> runs;
  return runs.try_emplace(trace, trace).first->second;
}

class ClockViews : public testing::TestWithParam<int> {
 protected:
  const ViewedRun run = viewed(traces()[static_cast<std::size_t>(GetParam())]);
  const GpuSpec& spec = kH200;
};

INSTANTIATE_TEST_SUITE_P(Traces, ClockViews, testing::Range(0, 4));

TEST_P(ClockViews, VcdIsStrictlyWellFormedAndEndsWithTheRun) {
  const VcdReader vcd(run.vcd);
  EXPECT_EQ(vcd.end_time, run.end_cycle);
  EXPECT_EQ(vcd.signal("sm.data_stage.busy_banks").width_bits, spec.bank_map.bank_count());
}

TEST_P(ClockViews, QueueDepthsAreWhatTheStampsSayAndFitTheQueues) {
  const VcdReader vcd(run.vcd);
  std::map<std::pair<std::string, std::uint64_t>, int> changes;
  for (const Row& row : run.accesses) {
    const Row& record = run.records.at(number(row, "index"));
    const std::uint64_t warp = record.contains("warp") ? number(record, "warp") : 0;
    const std::string scope =
        "sm.sub_partition_" + std::to_string(warp % clock::kH200Timing.sub_partitions);
    ++changes[{scope + ".queue", number(row, "issue_cycle")}];
    --changes[{scope + ".queue", number(row, "queue_cycle")}];
    ++changes[{scope + ".in_sm_queue", number(row, "queue_cycle")}];
    --changes[{scope + ".in_sm_queue", number(row, "service_cycle")}];
  }
  for (std::uint32_t index = 0; index < clock::kH200Timing.sub_partitions; ++index) {
    for (const auto& [name, most] :
         {std::pair{std::string(".queue"), clock::kH200Timing.queue_entries},
          std::pair{std::string(".in_sm_queue"), clock::kH200Timing.sm_queue_entries}}) {
      const std::string full = "sm.sub_partition_" + std::to_string(index) + name;
      const VcdReader::Signal& signal = vcd.signal(full);
      int depth = 0;
      for (std::uint64_t cycle = 0; cycle <= run.end_cycle; ++cycle) {
        depth += changes[{full, cycle}];
        ASSERT_EQ(signal.number(cycle), static_cast<std::uint64_t>(depth)) << full << " " << cycle;
        ASSERT_LE(static_cast<std::uint32_t>(depth), most) << full << " at " << cycle;
      }
      EXPECT_EQ(depth, 0);
    }
  }
}

TEST_P(ClockViews, EveryWavefrontStandsInItsAccesssSlotAndKeepsBanksBusy) {
  const VcdReader vcd(run.vcd);
  std::map<std::uint64_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> by_record;
  for (std::uint64_t cycle = 0; cycle <= run.end_cycle; ++cycle) {
    bool any = false;
    for (std::uint32_t slot = 0; slot < clock::kH200Timing.accesses_in_service; ++slot) {
      const std::string name = "sm.data_stage.slot_" + std::to_string(slot);
      const VcdReader::Signal& wavefront = vcd.signal(name + "_wavefront");
      if (!wavefront.driven(cycle)) continue;
      ASSERT_TRUE(vcd.signal(name + "_warp").driven(cycle)) << cycle;
      by_record[vcd.signal(name + "_record").number(cycle)].emplace_back(cycle,
                                                                         wavefront.number(cycle));
      any = true;
    }
    const std::string& banks = vcd.signal("sm.data_stage.busy_banks").at(cycle);
    ASSERT_EQ(any, banks.find('1') != std::string::npos) << cycle;
  }
  ASSERT_EQ(by_record.size(), run.accesses.size());
  for (const Row& row : run.accesses) {
    const auto& wavefronts = by_record.at(number(row, "index"));
    ASSERT_EQ(wavefronts.size(), number(row, "wavefronts"));
    EXPECT_EQ(wavefronts.front().first, number(row, "first_wavefront_cycle"));
    EXPECT_EQ(wavefronts.back().first, number(row, "last_wavefront_cycle"));
    for (std::size_t at = 0; at < wavefronts.size(); ++at) EXPECT_EQ(wavefronts[at].second, at);
  }
}

struct Slice {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  nlohmann::json event;
};

/// Slices by lane, in order of begin, the longer first.
std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Slice>> lanes_of(
    const nlohmann::json& timeline) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Slice>> lanes;
  for (const nlohmann::json& event : timeline.at("traceEvents")) {
    if (event.at("ph") == "M") continue;
    EXPECT_EQ(event.at("ph"), "X");
    const std::uint64_t begin = event.at("ts").get<std::uint64_t>();
    lanes[{event.at("pid"), event.at("tid")}].push_back(
        {begin, begin + event.at("dur").get<std::uint64_t>(), event});
  }
  for (auto& [lane, slices] : lanes) {
    std::sort(slices.begin(), slices.end(), [](const Slice& left, const Slice& right) {
      return std::pair(left.begin, right.end) < std::pair(right.begin, left.end);
    });
  }
  return lanes;
}

TEST_P(ClockViews, TimelineSlicesLieInTheRunAndNestOrFollowEachOther) {
  for (const auto& [lane, slices] : lanes_of(run.timeline)) {
    std::vector<Slice> open;
    for (const Slice& slice : slices) {
      EXPECT_LT(slice.begin, slice.end) << slice.event;
      EXPECT_LE(slice.end, run.last_warp_cycle) << slice.event;
      while (!open.empty() && open.back().end <= slice.begin) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(slice.end, open.back().end) << slice.event << " in " << open.back().event;
        EXPECT_EQ(open.back().event.at("cat"), "warp") << slice.event;
      }
      open.push_back(slice);
    }
  }
}

TEST_P(ClockViews, TimelineHasAServiceSlicePerAccessInItsWarpAndInTheDataStage) {
  std::map<std::string, std::vector<std::pair<std::uint64_t, Slice>>> by_category;
  for (const auto& [lane, slices] : lanes_of(run.timeline)) {
    for (const Slice& slice : slices) {
      const std::uint64_t record =
          slice.event.contains("args") ? slice.event["args"]["record"].get<std::uint64_t>() : 0;
      by_category[slice.event.at("cat")].emplace_back(record, slice);
    }
  }
  std::map<std::uint64_t, Slice> service(by_category["service"].begin(),
                                         by_category["service"].end());
  std::map<std::uint64_t, Slice> data_stage(by_category["data_stage"].begin(),
                                            by_category["data_stage"].end());
  ASSERT_EQ(by_category["service"].size(), run.accesses.size());
  ASSERT_EQ(by_category["data_stage"].size(), run.accesses.size());
  std::size_t loads = 0;
  for (const Row& row : run.accesses) {
    const Slice& own = service.at(number(row, "index"));
    EXPECT_EQ(own.begin, number(row, "first_wavefront_cycle"));
    EXPECT_EQ(own.end, number(row, "last_wavefront_cycle") + 1);
    EXPECT_EQ(own.event["args"]["issue_cycle"], number(row, "issue_cycle"));
    EXPECT_EQ(own.event["args"]["finish_cycle"], number(row, "finish_cycle"));
    EXPECT_EQ(data_stage.at(number(row, "index")).begin, number(row, "service_cycle") + 1);
    EXPECT_EQ(data_stage.at(number(row, "index")).end, own.end);
    const std::string operation = own.event.at("name");
    loads += operation.starts_with("ld") || operation.starts_with("atom") ? 1 : 0;
  }
  EXPECT_EQ(by_category["return_path"].size(), loads);
}

TEST_P(ClockViews, TimelineStallsAddUpToTheTablesPerReason) {
  std::map<std::string, std::uint64_t> wanted;
  for (const nlohmann::json& row : run.tables.at("stalls")) {
    for (const auto& [column, value] : row.items()) {
      const bool is_stall = column.ends_with("_cycles") && column != "latency_cycles";
      if (is_stall && column != "barrier_cycles") wanted[column] += value.get<std::uint64_t>();
    }
  }
  std::map<std::string, std::uint64_t> found;
  for (const auto& [column, cycles] : wanted) found[column] = 0;
  for (const nlohmann::json& event : run.timeline.at("traceEvents")) {
    if (event.value("cat", "") != "service") continue;
    for (const auto& [key, value] : event.at("args").items()) {
      if (wanted.contains(key)) found[key] += value.get<std::uint64_t>();
    }
  }
  EXPECT_EQ(found, wanted);
}

// The warp's lane shows of a barrier what its accesses before it leave over.
TEST_P(ClockViews, TimelineBarriersLastAtMostAsLongAsTheTableSays) {
  std::uint64_t wanted = 0;
  for (const nlohmann::json& row : run.tables.at("stalls")) {
    wanted += row.at("barrier_cycles").get<std::uint64_t>();
  }
  std::uint64_t found = 0;
  for (const nlohmann::json& event : run.timeline.at("traceEvents")) {
    if (event.at("name") != "barrier") continue;
    found += event.at("dur").get<std::uint64_t>();
  }
  EXPECT_LE(found, wanted);
  EXPECT_EQ(found == 0, wanted == 0);
}

TEST_P(ClockViews, TimelineHasTheLifeOfEveryWarp) {
  std::multiset<std::pair<std::uint64_t, std::uint64_t>> wanted;
  for (const nlohmann::json& warp : run.tables.at("warps")) {
    wanted.emplace(warp.at("start_cycle"), warp.at("finish_cycle"));
  }
  std::multiset<std::pair<std::uint64_t, std::uint64_t>> found;
  for (const auto& [lane, slices] : lanes_of(run.timeline)) {
    for (const Slice& slice : slices) {
      if (slice.event.at("cat") == "warp") found.emplace(slice.begin, slice.end);
    }
  }
  EXPECT_EQ(found, wanted);
}

TEST_P(ClockViews, TimelineNamesEveryWarpsLaneOnce) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names;
  for (const nlohmann::json& event : run.timeline.at("traceEvents")) {
    if (event.at("ph") != "M" || event.at("name") != "thread_name") continue;
    const std::string name = event["args"]["name"];
    EXPECT_TRUE(names.try_emplace({event["pid"], event["tid"]}, name).second) << name;
  }
  std::set<std::string> distinct;
  for (const auto& [lane, name] : names) EXPECT_TRUE(distinct.insert(name).second) << name;
  for (const auto& [lane, slices] : lanes_of(run.timeline)) EXPECT_TRUE(names.contains(lane));
}

// One load whose lanes 0 to 15 take every second word, and 16 to 31 the same: one wavefront that
// keeps the even banks busy.
TEST(ClockViewsOfOneAccess, BusyBanksAreTheBanksOfTheWordsRead) {
  const TemporaryFolder folder;
  std::string addresses;
  for (unsigned lane = 0; lane < 32; ++lane) addresses += std::to_string(lane % 16 * 8) + " ";
  addresses.pop_back();
  const std::string trace =
      folder.write("t.csv", "op,bytes,mask,addresses\nld,4,ffffffff," + addresses + "\n");
  const CommandRun run = run_smemsim({"run", trace, "--vcd", folder.path("t.vcd")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const VcdReader vcd(read_file(folder.path("t.vcd")));
  std::set<std::string> values;
  for (const auto& [time, value] : vcd.signal("sm.data_stage.busy_banks").changes) {
    values.insert(value);
  }
  EXPECT_EQ(values,
            (std::set<std::string>{std::string(32, '0'), "01010101010101010101010101010101"}));
}

std::string hexadecimal_word(unsigned lane, unsigned bytes) {
  static const char* const kDigits = "0123456789abcdef";
  std::string word;
  for (unsigned byte = 0; byte < bytes; ++byte) {
    const unsigned value = (lane * 4 + byte) % 256;
    word += {kDigits[value / 16], kDigits[value % 16]};
  }
  return word;
}

// Two-byte stores of lanes 0 and 1 to one half word, lane 2 beside it, lane 3 a word further; then
// one word whose value the trace does not say.
TEST(MemoryFile, HoldsTheBytesThatStayAndDotsForTheRest) {
  const TemporaryFolder folder;
  std::string values;
  std::string addresses = "64 64 66 70";
  for (unsigned lane = 0; lane < 32; ++lane) {
    values += (lane == 0 ? "" : " ") + hexadecimal_word(lane, 2);
    if (lane >= 4) addresses += " 0";
  }
  const std::string header = "op,bytes,mask,kernel,block,addresses,stored\n";
  const std::string first = "st,2,f,0,3," + addresses + "," + values + "\n";
  const std::string unknown = "st,2,4,0,3," + addresses + ",\n";
  const std::string kernel =
      "#! kernel grid=4x1x1 block=32x1x1 shared_bytes=0 "
      "registers_per_thread=0 name=k\n";
  const std::string memory = folder.path("memory.csv");
  CommandRun run =
      run_smemsim({"run", folder.write("t.csv", kernel + header + first), "--memory", memory});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_file(memory),
            "kernel,block,address,bytes\n"
            "0,3,64,00010809\n"
            "0,3,68,....0c0d\n");
  run = run_smemsim(
      {"run", folder.write("t.csv", kernel + header + first + unknown), "--memory", memory});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_file(memory),
            "kernel,block,address,bytes\n"
            "0,3,64,0001....\n"
            "0,3,68,....0c0d\n");
}

TEST(MemoryFile, IsRefusedWhereTheTraceCarriesNoValues) {
  const TemporaryFolder folder;
  const std::string memory = folder.path("memory.csv");
  const std::string vcd = folder.path("run.vcd");
  const CommandRun run = run_smemsim({"run", "stride:", "--memory", memory, "--vcd", vcd});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("stride:: expected stores with their values, found none"),
            std::string::npos)
      << run.err;
  for (const std::string& file : {memory, vcd, memory + ".partial", vcd + ".partial"}) {
    EXPECT_THROW(read_file(file), std::runtime_error) << file;
  }
}

TEST(ClockViewFiles, AreNotLeftBehindByADamagedTrace) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("t.csv", "op,bytes,mask,addresses\nld,4,1,0\n");
  const std::string vcd = folder.path("run.vcd");
  const std::string timeline = folder.path("run.json");
  EXPECT_EQ(run_smemsim({"run", trace, "--vcd", vcd, "--timeline", timeline}).exit_code, 1);
  for (const std::string& file : {vcd, timeline, vcd + ".partial", timeline + ".partial"}) {
    EXPECT_THROW(read_file(file), std::runtime_error) << file;
  }
}

TEST(ClockViewFiles, NeedOneTraceAndTheClock) {
  for (const char* option : {"--vcd", "--timeline", "--memory"}) {
    const TemporaryFolder folder;
    const std::string file = folder.path("file");
    EXPECT_EQ(run_smemsim({"run", "stride:", "--fast", option, file}).exit_code, 2);
    EXPECT_EQ(run_smemsim({"run", "stride:", "stride:", option, file}).exit_code, 2);
    EXPECT_THROW(read_file(file), std::runtime_error);
    const CommandRun unwritable = run_smemsim({"run", "stride:", option, folder.path("no/file")});
    EXPECT_EQ(unwritable.exit_code, 1);
    EXPECT_NE(unwritable.err.find("expected a file that can be written"), std::string::npos);
  }
}

}  // namespace
}  // namespace smem::test
