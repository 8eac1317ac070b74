// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <stdexcept>

#include <clock/observer_list.hpp>

#include <sim/clock/clock_views.hpp>
#include <sim/clock/clock_waveform.hpp>
#include <sim/clock/timeline.hpp>
#include <sim/config/gpu_description.hpp>
#include <sim/output/output_file.hpp>

namespace smem {
namespace {

void write_byte(std::ostream& out, std::uint8_t byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out << kDigits[byte >> 4] << kDigits[byte & 15u];
}

/// One line a word with a known byte: kernel, block, byte offset, bytes from the lowest address on,
/// unknown ones as dots.
void write_memory(std::ostream& out, const clock::StoredMemory& memory) {
  out << "kernel,block,address,bytes\n";
  for (const auto& [key, words] : memory.blocks()) {
    for (const auto& [index, word] : words) {
      if (word.known_bytes == 0) continue;
      out << key.kernel << ',' << key.block << ',' << index * memory.word_bytes() << ',';
      for (std::uint32_t byte = 0; byte < memory.word_bytes(); ++byte) {
        if ((word.known_bytes >> byte & 1u) != 0) {
          write_byte(out, word.bytes[byte]);
        } else {
          out << "..";
        }
      }
      out << '\n';
    }
  }
}

std::unique_ptr<OutputFile> open_if_wanted(const std::string& file) {
  return file.empty() ? nullptr : std::make_unique<OutputFile>(file);
}

}  // namespace

clock::SimulationResult simulate_with_views(const ClockViews& views, const GpuDescription& gpu,
                                            const std::string& trace, const TraceInfo& info,
                                            TraceBlocks& blocks, clock::Observer& observer) {
  const GpuSpec& spec = gpu.spec;
  const std::unique_ptr<OutputFile> vcd_file = open_if_wanted(views.vcd_file);
  const std::unique_ptr<OutputFile> timeline_file = open_if_wanted(views.timeline_file);
  const std::unique_ptr<OutputFile> memory_file = open_if_wanted(views.memory_file);
  clock::ObserverList observers;
  observers.add(observer);
  std::optional<ClockWaveform> waveform;
  if (vcd_file) {
    waveform.emplace(vcd_file->stream(), spec, *gpu.timing);
    observers.add(*waveform);
    observers.add_banks(*waveform);
  }
  std::optional<Timeline> timeline;
  if (timeline_file) {
    timeline.emplace(timeline_file->stream(), *gpu.timing, info, blocks.sites());
    observers.add(*timeline);
    observers.add_banks(*timeline);
  }
  clock::StoredMemory memory(spec.bank_map.word_bytes());
  const clock::SimulationResult result = clock::simulate(
      spec, *gpu.timing, blocks, &observers, &observers, memory_file ? &memory : nullptr);
  if (memory_file && memory.bytes_stored() == 0) {
    throw std::runtime_error(trace + ": expected stores with their values, found none");
  }
  if (waveform) waveform->finish();
  if (timeline) timeline->finish();
  if (memory_file) write_memory(memory_file->stream(), memory);
  for (const auto* file : {&vcd_file, &timeline_file, &memory_file}) {
    if (*file != nullptr) (*file)->finish();
  }
  return result;
}

}  // namespace smem
