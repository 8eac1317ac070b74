// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <sstream>

#include <tests/support/clocked_history.hpp>

namespace smem::test {

using clock::Cycle;

namespace {

struct Stamp {
  const char* name;
  Cycle AccessTimes::*expected;
  Cycle clock::AccessStamps::*clocked;
};

constexpr std::array kStamps = {
    Stamp{"issue", &AccessTimes::issue, &clock::AccessStamps::issue_cycle},
    Stamp{"transfer", &AccessTimes::transfer, &clock::AccessStamps::transfer_cycle},
    Stamp{"moved", &AccessTimes::moved, &clock::AccessStamps::moved_cycle},
    Stamp{"queue", &AccessTimes::queue, &clock::AccessStamps::queue_cycle},
    Stamp{"service", &AccessTimes::service, &clock::AccessStamps::service_cycle},
    Stamp{"first wavefront", &AccessTimes::first_wavefront,
          &clock::AccessStamps::first_wavefront_cycle},
    Stamp{"last wavefront", &AccessTimes::last_wavefront,
          &clock::AccessStamps::last_wavefront_cycle},
    Stamp{"finish", &AccessTimes::finish, &clock::AccessStamps::finish_cycle},
};

std::string difference(const WarpHistory& expected, const WarpHistory& found) {
  std::ostringstream text;
  if (expected.start != found.start) {
    text << ": start expected " << expected.start << ", found " << found.start;
    return text.str();
  }
  const std::size_t count = std::min(expected.accesses.size(), found.accesses.size());
  for (std::size_t index = 0; index < count; ++index) {
    for (const Stamp& stamp : kStamps) {
      const Cycle a = expected.accesses[index].*stamp.expected;
      const Cycle b = found.accesses[index].*stamp.expected;
      if (a == b) continue;
      text << ", access " << index << ": " << stamp.name << " expected " << a << ", found " << b;
      return text.str();
    }
  }
  if (expected.accesses.size() != found.accesses.size()) {
    text << ": accesses expected " << expected.accesses.size() << ", found "
         << found.accesses.size();
  } else if (expected.barriers_passed != found.barriers_passed) {
    text << ": barriers passed in other cycles";
  } else if (expected.finish != found.finish) {
    text << ": finish expected " << expected.finish << ", found " << found.finish;
  }
  return text.str();
}

}  // namespace

void HistoryObserver::block_started(std::uint16_t block_slot, const clock::Block& block, Cycle) {
  block_in_slot_[block_slot] = static_cast<std::size_t>(&block - blocks_.data());
}

void HistoryObserver::warp_started(std::uint16_t warp_slot, std::uint16_t block_slot,
                                   std::uint32_t warp, Cycle cycle) {
  const std::size_t block = block_in_slot_.at(block_slot);
  std::size_t index = 0;
  while (blocks_[block].warps.at(index).warp != warp) ++index;
  warp_in_slot_[warp_slot] = {block, index};
  history_[{block, index}].start = cycle;
}

void HistoryObserver::warp_finished(std::uint16_t warp_slot, Cycle cycle) {
  history_[warp_in_slot_.at(warp_slot)].finish = cycle;
}

void HistoryObserver::barrier_passed(std::uint16_t warp_slot, Cycle cycle) {
  history_[warp_in_slot_.at(warp_slot)].barriers_passed.push_back(cycle);
}

void HistoryObserver::access_finished(const clock::InFlight& access) {
  AccessTimes times;
  for (const Stamp& stamp : kStamps) times.*stamp.expected = access.stamps.*stamp.clocked;
  history_[warp_in_slot_.at(access.warp_slot)].accesses.push_back(times);
}

History HistoryObserver::history(Cycle start) const {
  History moved = history_;
  for (auto& [place, warp] : moved) {
    warp.start -= start;
    warp.finish -= start;
    for (Cycle& passed : warp.barriers_passed) passed -= start;
    for (AccessTimes& access : warp.accesses) {
      for (const Stamp& stamp : kStamps) access.*stamp.expected -= start;
    }
  }
  return moved;
}

History clocked_history(const clock::TimingSpec& timing, const std::vector<clock::Block>& blocks,
                        clock::WavefrontObserver* wavefronts, clock::Engine engine) {
  ListedBlocks source(blocks);
  HistoryObserver observer(blocks);
  const clock::SimulationResult found =
      clock::simulate(timing, source, &observer, wavefronts, engine);
  return observer.history(found.start_cycle);
}

History clocked_history(clock::StreamingMultiprocessor& model, const clock::TimingSpec& timing,
                        const std::vector<clock::Block>& blocks) {
  ListedBlocks source(blocks);
  HistoryObserver observer(blocks);
  model.reset(timing, source, &observer);
  model.run();
  return observer.history(model.start_cycle());
}

std::string difference(const History& expected, const History& found) {
  for (const auto& [place, warp] : expected) {
    std::ostringstream text;
    text << "block " << place.block << ", warp " << place.warp;
    const auto other = found.find(place);
    if (other == found.end()) return text.str() + " never ran";
    const std::string what = difference(warp, other->second);
    if (!what.empty()) return text.str() + what;
  }
  return expected.size() == found.size() ? std::string() : "other warps ran";
}

}  // namespace smem::test
