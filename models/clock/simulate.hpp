// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <clock/block_source.hpp>
#include <clock/observer.hpp>
#include <clock/simulation_result.hpp>

#include <smem/gpu_spec.hpp>

namespace smem::clock {

class BankObserver;       // clock/banks/bank_array.hpp
class StoredMemory;       // clock/banks/stored_memory.hpp
class WavefrontObserver;  // clock/banks/wavefront_sink.hpp
struct TimingSpec;        // clock/timing.hpp

/// Who works out the cycles; they are the same to the last stamp. For tests of just that.
enum class Engine : std::uint8_t {
  fastest,  ///< the recurrence for the blocks in front that it can take, then the modules
  modules,  ///< the SystemC modules alone
};

/// Runs the blocks of `source` on one SM with these numbers. One simulation at a time in a process,
/// any number one after the other. The observers may be null; who hears wavefronts has the modules
/// run from the start.
SimulationResult simulate(const TimingSpec& timing, BlockSource& source,
                          Observer* observer = nullptr, WavefrontObserver* wavefronts = nullptr,
                          Engine engine = Engine::fastest);

/// The same, looking into the banks of a GPU: `banks` hears of every wavefront, `memory` receives
/// what stores leave. Instructions must point to their accesses. All three may be null.
SimulationResult simulate(const GpuSpec& spec, const TimingSpec& timing, BlockSource& source,
                          Observer* observer, BankObserver* banks, StoredMemory* memory);

}  // namespace smem::clock
