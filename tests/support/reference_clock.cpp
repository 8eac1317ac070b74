// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <set>
#include <stdexcept>

#include <clock/policies/policy_tables.hpp>
#include <clock/timing.hpp>
#include <tests/support/reference_clock.hpp>

namespace smem::test {
namespace {

using clock::Cycle;
using clock::Instruction;
using clock::InstructionKind;
using clock::kNever;

struct Warp;

struct Access {
  Warp* warp = nullptr;
  const Instruction* instruction = nullptr;
  AccessTimes times;
  std::uint32_t data_left = 0;  // registers that still have to cross the data bus
  Cycle register_moved = 0;     // when the latest register is there
  Cycle data_ready = 0;         // its data cannot move before
  std::uint32_t wavefronts_left = 0;
  Cycle next_wavefront = 0;
  std::uint64_t position = 0;  // in the order of entering the SM's queue
};

struct Warp {
  WarpPlace place;
  std::uint32_t sub_partition = 0;
  std::uint32_t slot = 0;
  const std::vector<Instruction>* program = nullptr;
  std::size_t next = 0;
  std::uint32_t repeat = 0;  // of the next instruction
  std::uint32_t run_done = 0;
  std::uint32_t independents_done = 0;
  std::uint32_t chain_done = 0;
  Cycle next_issue = 0;
  Cycle next_access = 0;
  Cycle chain_ready = 0;
  bool refused = false;  // since its last access
  bool asleep = false;   // until an access of its own leaves the sub-partition's queue
  Cycle look_again = 0;  // it may not issue an access before
  Cycle passed = 0;      // it started, or went on behind its last barrier
  bool at_barrier = false;
  Cycle released = kNever;  // its barrier has opened, or will
  bool running = false;
  bool finished = false;
  std::deque<Access> accesses;       // all of them; they never move
  std::vector<const Access*> loads;  // those that return a value

  bool has_instruction() const { return next < program->size(); }
  const Instruction& instruction() const { return (*program)[next]; }
};

struct SubPartition {
  std::vector<Warp*> places;  // null: free
  std::size_t last_issued = 0;
  Cycle next_access = 0;
  Cycle next_alu = 0;
  Cycle next_barrier = 0;
  std::deque<Access*> queue;     // issued, not yet in the SM's queue
  std::vector<Access*> leaving;  // those that left it in this cycle; the warps hear in the next
  bool moving = false;           // registers of the first of the queue
};

struct Stored {  // store data of an access whose last wavefront has passed
  std::uint32_t registers;
  Cycle until;
};

struct Leaving {  // keeps its place and its warp from being served for one interval
  std::uint32_t warp_slot;
  Cycle until;
};

struct ResidentBlock {
  const clock::Block* block = nullptr;
  std::vector<Warp*> warps;
  std::vector<Cycle> arrivals;
};

class ReferenceClock {
 public:
  ReferenceClock(const clock::TimingSpec& timing, const std::vector<clock::Block>& blocks)
      : timing_(timing), blocks_(blocks), sub_partitions_(timing.sub_partitions) {}

  History run() {
    Cycle latest_end = 0;
    launch_blocks(1);
    for (Cycle now = 1; next_block_ < blocks_.size() || !resident_.empty(); ++now) {
      serve(now);
      admit(now);
      hear_of_departures();
      enter_queue(now);
      pass_barriers(now);
      finish_warps(now);
      start_warps(now);
      for (SubPartition& sub_partition : sub_partitions_) issue(sub_partition, now);
      begin_transfers(now);
      move_data(now);
      if (retire_blocks()) latest_end = now;
      open_barriers(now);
      launch_blocks(now + 2);
      if (now > latest_end + kPatience) throw std::runtime_error("the reference stands still");
    }
    return history();
  }

 private:
  static constexpr Cycle kPatience = 10000000;

  // ---- Data stage and return path ----

  void serve(Cycle now) {
    for (std::uint32_t count = 0; count < timing_.wavefronts_per_cycle; ++count) {
      std::vector<Access*> able;
      for (Access* access : service_) {
        if (access->next_wavefront <= now) able.push_back(access);
      }
      if (able.empty()) return;
      std::sort(able.begin(), able.end(),
                [](const Access* a, const Access* b) { return is_older(*a, *b); });
      pass_wavefront(*able[whose_wavefront(able)], now);
    }
  }

  /// Of the accesses that can, in the order in which they entered the SM's queue.
  std::size_t whose_wavefront(const std::vector<Access*>& able) const {
    if (able.size() == 1 || timing_.service_order == &clock::kOldestFirst) return 0;
    std::vector<clock::ServiceCandidate> candidates;
    for (const Access* access : able) {
      candidates.push_back({static_cast<std::uint16_t>(access->warp->slot), access->wavefronts_left,
                            access->times.queue});
    }
    return timing_.service_order->pick(candidates);
  }

  void pass_wavefront(Access& access, Cycle now) {
    if (access.wavefronts_left == access.instruction->wavefronts)
      access.times.first_wavefront = now;
    access.next_wavefront = now + timing_.wavefront_interval_cycles;
    if (--access.wavefronts_left != 0) return;
    access.times.last_wavefront = now;
    access.times.finish = now + 2;  // handing it on takes the data stage a cycle
    if (access.instruction->returns_value) {
      return_free_ = std::max(return_free_, now) + access.instruction->transfer_cycles;
      access.times.finish = std::max(now + 2, return_free_ + timing_.load_latency_cycles);
    }
    stored_.push_back({stored_registers(access), now + timing_.store_data_release_cycles});
    std::erase(service_, &access);
    leaving_.push_back({access.warp->slot, now + timing_.wavefront_interval_cycles});
  }

  void admit(Cycle now) {
    // The first wavefront passes a cycle after admission.
    std::erase_if(leaving_, [&](const Leaving& leaving) { return leaving.until <= now + 1; });
    while (service_.size() + leaving_.size() < timing_.accesses_in_service) {
      Access* const access = first_admissible();
      if (access == nullptr) return;
      std::erase(queue_, access);
      access->times.service = now;
      places_free_.push_back(now + 1);
      access->next_wavefront = now + 1;
      service_.push_back(access);
    }
  }

  /// The first of the window whose warp has none in service; by another order, one of the first of
  /// each such warp.
  Access* first_admissible() const {
    std::vector<Access*> able;
    std::set<std::uint32_t> seen;
    for (std::size_t place = 0; place < queue_.size() && place < timing_.window_entries; ++place) {
      const std::uint32_t slot = queue_[place]->warp->slot;
      if (is_in_service(slot) || !seen.insert(slot).second) continue;
      able.push_back(queue_[place]);
    }
    if (able.empty()) return nullptr;
    if (able.size() == 1 || timing_.admission_order == &clock::kFirstInWindow) return able.front();
    std::vector<clock::AdmissionCandidate> candidates;
    for (const Access* access : able) {
      const auto place = std::find(queue_.begin(), queue_.end(), access) - queue_.begin();
      candidates.push_back({static_cast<std::size_t>(place),
                            static_cast<std::uint16_t>(access->warp->slot),
                            access->instruction->wavefronts, access->times.queue});
    }
    return able[timing_.admission_order->pick(candidates)];
  }

  bool is_in_service(std::uint32_t warp_slot) const {
    const auto serves = [&](const Access* access) { return access->warp->slot == warp_slot; };
    const auto leaves = [&](const Leaving& leaving) { return leaving.warp_slot == warp_slot; };
    return std::any_of(service_.begin(), service_.end(), serves) ||
           std::any_of(leaving_.begin(), leaving_.end(), leaves);
  }

  static bool is_older(const Access& a, const Access& b) { return a.position < b.position; }

  std::size_t index_of(const SubPartition& sub_partition) const {
    return static_cast<std::size_t>(&sub_partition - sub_partitions_.data());
  }

  // ---- From the sub-partitions' queues to the SM's ----

  /// Of the sub-partitions that `can_go` the one whose turn it is after `last`; null when none can.
  template <class CanGo>
  SubPartition* whose_turn(std::size_t last, const CanGo& can_go) {
    std::vector<clock::SubPartitionCandidate> able;
    for (std::size_t index = 0; index < sub_partitions_.size(); ++index) {
      if (!can_go(sub_partitions_[index])) continue;
      able.push_back({index, sub_partitions_[index].queue.front()->times.issue});
    }
    if (able.empty()) return nullptr;
    std::size_t picked = 0;
    if (timing_.sub_partition_order == &clock::kSubPartitionsInTurn) {
      while (picked < able.size() && able[picked].sub_partition <= last) ++picked;
      if (picked == able.size()) picked = 0;
    } else if (timing_.sub_partition_order != &clock::kLowestSubPartition && able.size() > 1) {
      picked = timing_.sub_partition_order->pick(able, last);
    }
    return &sub_partitions_[able[picked].sub_partition];
  }

  void enter_queue(Cycle now) {
    std::erase_if(places_free_, [&](Cycle free) { return free <= now; });
    const auto can_enter = [&](const SubPartition& sub_partition) {
      if (!sub_partition.moving) return false;
      const Access& access = *sub_partition.queue.front();
      return access.data_left == 0 && access.register_moved <= now;
    };
    while (queue_.size() + places_free_.size() < timing_.sm_queue_entries) {
      SubPartition* const next = whose_turn(last_into_queue_, can_enter);
      if (next == nullptr) return;
      Access& access = *next->queue.front();
      access.times.moved = access.register_moved;
      access.times.queue = now;
      access.position = entered_++;
      next->queue.pop_front();
      next->leaving.push_back(&access);
      next->moving = false;
      queue_.push_back(&access);
      last_into_queue_ = index_of(*next);
    }
  }

  /// What of the storage its data takes.
  std::uint32_t stored_registers(const Access& access) const {
    const std::uint32_t registers = access.instruction->operand_registers - 1u;
    return registers < timing_.store_data_registers ? registers : timing_.store_data_registers;
  }

  /// Registers of all accesses whose transfer has begun and whose data is not yet given back.
  std::uint32_t stored_registers() const {
    std::uint32_t registers = 0;
    for (const SubPartition& each : sub_partitions_) {
      if (each.moving) registers += stored_registers(*each.queue.front());
    }
    for (const Access* access : queue_) registers += stored_registers(*access);
    for (const Access* access : service_) registers += stored_registers(*access);
    for (const Stored& stored : stored_) registers += stored.registers;
    return registers;
  }

  void begin_transfers(Cycle now) {
    std::erase_if(stored_, [&](const Stored& stored) { return stored.until <= now; });
    const auto can_begin = [&](const SubPartition& sub_partition) {
      if (sub_partition.moving || sub_partition.queue.empty()) return false;
      const Access& access = *sub_partition.queue.front();
      const std::uint32_t stored = stored_registers(access);
      return access.times.issue != now &&
             (stored == 0 || stored_registers() + stored <= timing_.store_data_registers);
    };
    while (SubPartition* const next = whose_turn(last_to_begin_, can_begin)) {
      Access& access = *next->queue.front();
      next->moving = true;
      access.times.transfer = now;
      access.data_left = access.instruction->operand_registers - 1u;
      access.register_moved = now + timing_.register_transfer_cycles;  // the address
      last_to_begin_ = index_of(*next);
    }
  }

  void move_data(Cycle now) {
    std::uint32_t left = timing_.data_registers_per_cycle;
    const std::size_t first = next_on_bus_;
    for (std::size_t turn = 0; turn < sub_partitions_.size() && left != 0; ++turn) {
      SubPartition& each = sub_partitions_[(first + turn) % sub_partitions_.size()];
      if (!each.moving) continue;
      Access& access = *each.queue.front();
      if (access.data_left == 0 || std::max(access.register_moved, access.data_ready) > now) {
        continue;
      }
      --access.data_left;
      access.register_moved = now + timing_.register_transfer_cycles;
      next_on_bus_ = index_of(each) + 1;
      --left;
    }
  }

  // ---- Issue ----

  bool has_room(const SubPartition& sub_partition) const {
    return sub_partition.queue.size() + sub_partition.leaving.size() < timing_.queue_entries;
  }

  /// Whether nothing but a full queue keeps `warp` from issuing.
  bool could_issue(const Warp& warp, const SubPartition& sub_partition, Cycle now) const {
    if (!warp.has_instruction() || warp.at_barrier || warp.next_issue > now) return false;
    const Instruction& instruction = warp.instruction();
    if (warp.run_done < instruction.run_instructions()) return true;
    if (warp.independents_done < instruction.independent_instructions) {
      return sub_partition.next_alu <= now;
    }
    if (!has_value(warp, now) || warp.chain_ready > now) return false;
    if (warp.chain_done < instruction.dependent_instructions) return sub_partition.next_alu <= now;
    if (instruction.kind == InstructionKind::barrier) return sub_partition.next_barrier <= now;
    return warp.next_access <= now && sub_partition.next_access <= now && !warp.asleep &&
           warp.look_again <= now;
  }

  bool has_value(const Warp& warp, Cycle now) const {
    const Instruction& instruction = warp.instruction();
    if (instruction.needs_values == 0) return true;
    if (warp.loads.size() < instruction.needs_values) return false;
    const Access& load = *warp.loads[instruction.needs_values - 1];
    return load.times.finish != 0 && load.times.finish + instruction.delay_cycles <= now;
  }

  static bool is_access_next(const Warp& warp) {
    const Instruction& instruction = warp.instruction();
    return instruction.kind == InstructionKind::access &&
           warp.run_done == instruction.run_instructions() &&
           warp.independents_done == instruction.independent_instructions &&
           warp.chain_done == instruction.dependent_instructions;
  }

  /// One instruction a cycle. Warps that find the queue full sleep.
  void issue(SubPartition& sub_partition, Cycle now) {
    if (!has_room(sub_partition)) refuse(sub_partition, now);
    std::vector<std::size_t> order = order_of_warps(sub_partition, now);
    if (is_in_run(sub_partition)) order.insert(order.begin(), sub_partition.last_issued);
    for (const std::size_t place : order) {
      Warp* const warp = sub_partition.places[place];
      if (warp == nullptr || !could_issue(*warp, sub_partition, now)) continue;
      sub_partition.last_issued = place;
      issue_from(*warp, sub_partition, now);
      return;
    }
  }

  /// The warp that issued last keeps its turn.
  static bool is_in_run(const SubPartition& sub_partition) {
    if (sub_partition.last_issued >= sub_partition.places.size()) return false;
    const Warp* const warp = sub_partition.places[sub_partition.last_issued];
    if (warp == nullptr || !warp->has_instruction()) return false;
    const Instruction& instruction = warp->instruction();
    if (warp->run_done < instruction.run_instructions()) return true;
    return instruction.run_instructions() != 0 &&
           warp->independents_done == instruction.independent_instructions &&
           warp->chain_done == instruction.dependent_instructions;
  }

  void refuse(SubPartition& sub_partition, Cycle now) {
    for (Warp* warp : sub_partition.places) {
      if (warp == nullptr || !could_issue(*warp, sub_partition, now)) continue;
      if (!is_access_next(*warp)) continue;
      if (!warp->refused) warp->asleep = has_access_in_queue(*warp, sub_partition);
      warp->refused = true;
      warp->look_again = now + 1;
    }
  }

  static bool has_access_in_queue(const Warp& warp, const SubPartition& sub_partition) {
    const auto is_its_own = [&](const Access* access) { return access->warp == &warp; };
    return std::any_of(sub_partition.queue.begin(), sub_partition.queue.end(), is_its_own) ||
           std::any_of(sub_partition.leaving.begin(), sub_partition.leaving.end(), is_its_own);
  }

  /// In the cycle after an access has left the queue its place is free, and its warp awake.
  void hear_of_departures() {
    for (SubPartition& sub_partition : sub_partitions_) {
      for (const Access* access : sub_partition.leaving) {
        if (!access->warp->asleep) continue;
        access->warp->asleep = false;
        access->warp->look_again = access->times.queue + timing_.refused_wake_cycles;
      }
      sub_partition.leaving.clear();
    }
  }

  std::vector<std::size_t> order_of_warps(const SubPartition& sub_partition, Cycle now) const {
    const std::size_t count = sub_partition.places.size();
    std::vector<std::size_t> order;
    const bool turns = timing_.warp_order == &clock::kLooseRoundRobin;
    if (timing_.warp_order == &clock::kGreedyThenOldest && count != 0) {
      order.push_back(sub_partition.last_issued);
    } else if (!turns && timing_.warp_order != &clock::kLowestWarp) {
      order = picked_warp(sub_partition, now);
    }
    for (std::size_t each = 0; each < count; ++each) {
      order.push_back(turns ? (sub_partition.last_issued + 1 + each) % count : each);
    }
    return order;
  }

  /// The warp that an order of somebody else's picks, if any can issue.
  std::vector<std::size_t> picked_warp(const SubPartition& sub_partition, Cycle now) const {
    std::vector<clock::WarpCandidate> able;
    for (std::size_t place = 0; place < sub_partition.places.size(); ++place) {
      const Warp* const warp = sub_partition.places[place];
      if (warp == nullptr || !could_issue(*warp, sub_partition, now)) continue;
      able.push_back({place, now});
    }
    if (able.empty()) return {};
    const std::size_t picked =
        able.size() == 1 ? 0 : timing_.warp_order->pick(able, sub_partition.last_issued);
    return {able[picked].place};
  }

  void issue_from(Warp& warp, SubPartition& sub_partition, Cycle now) {
    const Instruction& instruction = warp.instruction();
    warp.next_issue = now + 1;
    if (warp.run_done < instruction.run_instructions()) {
      ++warp.run_done;
    } else if (warp.independents_done < instruction.independent_instructions) {
      ++warp.independents_done;
      sub_partition.next_alu = now + timing_.alu_interval_cycles;
    } else if (warp.chain_done < instruction.dependent_instructions) {
      const std::uint32_t position = warp.chain_done++;
      warp.chain_ready = now + (position == 0   ? timing_.first_alu_latency_cycles
                                : position == 1 ? timing_.second_alu_latency_cycles
                                                : timing_.alu_latency_cycles);
      sub_partition.next_alu = now + timing_.alu_interval_cycles;
    } else if (instruction.kind == InstructionKind::barrier) {
      warp.at_barrier = true;
      sub_partition.next_barrier = now + timing_.barrier_issue_interval_cycles;
      block_of(warp).arrivals.push_back(now);
    } else {
      issue_access(warp, sub_partition, now);
      next_instruction(warp, now + 1);
    }
  }

  void issue_access(Warp& warp, SubPartition& sub_partition, Cycle now) const {
    Access& access = warp.accesses.emplace_back();
    access.warp = &warp;
    access.instruction = &warp.instruction();
    access.times.issue = now;
    access.data_ready = warp.passed + access.instruction->data_delay_cycles();
    access.wavefronts_left = access.instruction->wavefronts;
    if (access.instruction->returns_value) warp.loads.push_back(&access);
    warp.refused = false;
    sub_partition.queue.push_back(&access);
    warp.next_access = now + timing_.warp_memory_interval_cycles;
    sub_partition.next_access = now + timing_.sub_partition_memory_interval_cycles;
  }

  static void next_instruction(Warp& warp, Cycle able) {
    if (++warp.repeat == warp.instruction().repeats) {
      warp.repeat = 0;
      ++warp.next;
    }
    begin_instruction(warp, able);
  }

  static void begin_instruction(Warp& warp, Cycle able) {
    if (!warp.has_instruction()) return;
    warp.run_done = warp.independents_done = warp.chain_done = 0;
    warp.chain_ready = 0;
    warp.next_issue = able + warp.instruction().delay_cycles;
  }

  // ---- Warps, barriers, blocks ----

  void start_warps(Cycle now) {
    for (const auto& [start, warp] : starting_) {
      if (start != now) continue;
      std::vector<Warp*>& places = sub_partitions_[warp->sub_partition].places;
      const auto free = std::find(places.begin(), places.end(), nullptr);
      if (free == places.end()) {
        places.push_back(warp);
      } else {
        *free = warp;
      }
      warp->running = true;
      warp->passed = now;
      histories_[warp->place].start = now;
      begin_instruction(*warp, now);
      finish_if_done(*warp, now);
    }
    std::erase_if(starting_, [&](const auto& each) { return each.first == now; });
  }

  void pass_barriers(Cycle now) {
    for (auto& [block_slot, resident] : resident_) {
      for (Warp* warp : resident.warps) {
        if (!warp->at_barrier || warp->released != now) continue;
        warp->at_barrier = false;
        warp->released = kNever;
        warp->passed = now;
        histories_[warp->place].barriers_passed.push_back(now);
        next_instruction(*warp, now);
      }
    }
  }

  void finish_warps(Cycle now) {
    for (auto& [block_slot, resident] : resident_) {
      for (Warp* warp : resident.warps) {
        if (warp->running) finish_if_done(*warp, now);
      }
    }
  }

  /// A warp ends with its last instruction, and not before all its accesses.
  void finish_if_done(Warp& warp, Cycle now) {
    const auto has_ended = [&](const Access& access) {
      return access.times.finish != 0 && access.times.finish <= now;
    };
    if (warp.has_instruction()) return;
    if (!std::all_of(warp.accesses.begin(), warp.accesses.end(), has_ended)) return;
    warp.running = false;
    warp.finished = true;
    std::vector<Warp*>& places = sub_partitions_[warp.sub_partition].places;
    std::replace(places.begin(), places.end(), &warp, static_cast<Warp*>(nullptr));
    histories_[warp.place].finish = now;
  }

  ResidentBlock& block_of(const Warp& warp) {
    return std::find_if(resident_.begin(), resident_.end(),
                        [&](const auto& each) {
                          const auto& warps = each.second.warps;
                          return std::find(warps.begin(), warps.end(), &warp) != warps.end();
                        })
        ->second;
  }

  /// The barrier takes an arrival per interval, and opens a latency after it took the last. The
  /// warps cannot know of it before the second cycle.
  void open_barriers(Cycle now) {
    for (auto& [block_slot, resident] : resident_) {
      const auto waits = [](const Warp* warp) { return warp->finished || warp->at_barrier; };
      if (resident.arrivals.empty()) continue;
      if (!std::all_of(resident.warps.begin(), resident.warps.end(), waits)) continue;
      Cycle taken = resident.arrivals.front();
      for (std::size_t index = 1; index < resident.arrivals.size(); ++index) {
        taken = std::max(resident.arrivals[index], taken + timing_.barrier_arrival_interval_cycles);
      }
      resident.arrivals.clear();
      for (Warp* warp : resident.warps) {
        warp->released = std::max(now + 2, taken + timing_.barrier_latency_cycles);
      }
    }
  }

  bool retire_blocks() {
    bool any = false;
    for (auto resident = resident_.begin(); resident != resident_.end();) {
      const auto& warps = resident->second.warps;
      for (Warp* warp : warps) {
        if (warp->finished) used_slots_.erase({warp->slot, warp});
      }
      const bool all =
          std::all_of(warps.begin(), warps.end(), [](const Warp* warp) { return warp->finished; });
      any |= all;
      resident = all ? resident_.erase(resident) : std::next(resident);
    }
    return any;
  }

  void launch_blocks(Cycle start) {
    while (next_block_ < blocks_.size()) {
      const clock::Block& block = blocks_[next_block_];
      if (!resident_.empty() && (resident_.begin()->second.block->kernel != block.kernel ||
                                 resident_.size() >= block.resident_blocks)) {
        return;
      }
      std::uint32_t block_slot = 0;
      while (resident_.contains(block_slot)) ++block_slot;
      if (!block.warps.empty()) launch(block, block_slot, start);
      ++next_block_;
    }
  }

  void launch(const clock::Block& block, std::uint32_t block_slot, Cycle start) {
    ResidentBlock& resident = resident_[block_slot];
    resident.block = &block;
    for (std::size_t index = 0; index < block.warps.size(); ++index) {
      Warp& warp = warps_.emplace_back();
      warp.place = {next_block_, index};
      warp.sub_partition = block.warps[index].warp % timing_.sub_partitions;
      warp.program = block.warps[index].instructions.get();
      for (const auto& [slot, user] : used_slots_) warp.slot += slot == warp.slot ? 1u : 0u;
      used_slots_.insert({warp.slot, &warp});
      resident.warps.push_back(&warp);
      starting_.emplace_back(start, &warp);
    }
  }

  History history() {
    for (const Warp& warp : warps_) {
      for (const Access& access : warp.accesses) {
        histories_[warp.place].accesses.push_back(access.times);
      }
    }
    return histories_;
  }

  const clock::TimingSpec timing_;
  const std::vector<clock::Block>& blocks_;
  std::size_t next_block_ = 0;
  std::map<std::uint32_t, ResidentBlock> resident_;  // by the lowest free number at launch
  std::deque<Warp> warps_;                           // all that ever ran; they never move
  std::set<std::pair<std::uint32_t, const Warp*>> used_slots_;
  std::vector<std::pair<Cycle, Warp*>> starting_;
  std::vector<SubPartition> sub_partitions_;
  std::size_t last_into_queue_ = timing_.sub_partitions - 1u;
  std::size_t last_to_begin_ = timing_.sub_partitions - 1u;
  std::size_t next_on_bus_ = 0;
  std::vector<Access*> queue_;      // the SM's, in order
  std::vector<Cycle> places_free_;  // when accesses taken by the data stage give up their places
  std::uint64_t entered_ = 0;
  std::vector<Stored> stored_;
  std::vector<Access*> service_;
  std::vector<Leaving> leaving_;
  Cycle return_free_ = 0;
  History histories_;
};

}  // namespace

History reference_clock(const clock::TimingSpec& timing, const std::vector<clock::Block>& blocks) {
  return ReferenceClock(timing, blocks).run();
}

}  // namespace smem::test
