// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <sim/clock/vcd_writer.hpp>

namespace smem {
namespace {

/// Short identifiers of printable characters, as the format wants them.
std::string identifier_of(std::size_t number) {
  constexpr char kFirst = '!';
  constexpr std::size_t kCharacters = '~' - '!' + 1;
  std::string identifier;
  do {
    identifier += static_cast<char>(kFirst + static_cast<char>(number % kCharacters));
    number /= kCharacters;
  } while (number != 0);
  return identifier;
}

}  // namespace

VcdWriter::VcdWriter(std::ostream& out) : out_(out) {
  out_ << "$version smemsim $end\n$timescale 1 ns $end\n";
}

void VcdWriter::open_scope(std::string_view name) {
  out_ << "$scope module " << name << " $end\n";
}

void VcdWriter::close_scope() {
  out_ << "$upscope $end\n";
}

VcdWriter::Signal VcdWriter::declare(std::string_view name, unsigned width_bits,
                                     const VcdValue& initial) {
  const Signal signal = variables_.size();
  variables_.push_back({identifier_of(signal), width_bits, initial, initial, false});
  out_ << "$var wire " << width_bits << ' ' << variables_.back().identifier << ' ' << name;
  if (width_bits > 1) out_ << " [" << width_bits - 1 << ":0]";
  out_ << " $end\n";
  return signal;
}

void VcdWriter::begin() {
  out_ << "$enddefinitions $end\n#0\n$dumpvars\n";
  for (const Variable& variable : variables_) write_value(variable);
  out_ << "$end\n";
}

void VcdWriter::set(std::uint64_t time, Signal signal, const VcdValue& value) {
  pending_[time].push_back({signal, false, 0, value});
}

void VcdWriter::add(std::uint64_t time, Signal signal, std::int64_t difference) {
  pending_[time].push_back({signal, true, difference, {}});
}

void VcdWriter::write_before(std::uint64_t time) {
  while (!pending_.empty() && pending_.begin()->first < time) {
    write_time(pending_.begin()->first, pending_.begin()->second);
    pending_.erase(pending_.begin());
  }
}

void VcdWriter::finish(std::uint64_t end_time) {
  write_before(std::numeric_limits<std::uint64_t>::max());
  if (end_time > last_time_) out_ << '#' << end_time << '\n';
}

void VcdWriter::write_time(std::uint64_t time, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    Variable& variable = variables_[change.signal];
    if (change.is_difference) {
      variable.value.bits[0] += static_cast<std::uint64_t>(change.difference);
    } else {
      variable.value = change.value;
    }
    if (!std::exchange(variable.touched, true)) touched_.push_back(change.signal);
  }
  std::sort(touched_.begin(), touched_.end());
  for (const Signal signal : touched_) {
    Variable& variable = variables_[signal];
    variable.touched = false;
    if (variable.value == variable.written) continue;
    // Time 0 stands in the file already, with the initial values.
    if (time != last_time_) out_ << '#' << time << '\n';
    last_time_ = time;
    write_value(variable);
    variable.written = variable.value;
  }
  touched_.clear();
}

void VcdWriter::write_value(const Variable& variable) {
  std::array<char, kMaxWidthBits> digits;
  for (unsigned bit = 0; bit < variable.width_bits; ++bit) {
    const bool is_set = (variable.value.bits[bit / 64] >> (bit % 64) & 1u) != 0;
    digits[variable.width_bits - 1 - bit] = !variable.value.driven ? 'z' : is_set ? '1' : '0';
  }
  if (variable.width_bits > 1) out_ << 'b';
  out_.write(digits.data(), variable.width_bits);
  if (variable.width_bits > 1) out_ << ' ';
  out_ << variable.identifier << '\n';
}

}  // namespace smem
