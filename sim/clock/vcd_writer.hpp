// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace smem {

/// What a signal carries; `driven` false is high impedance, shown as z.
struct VcdValue {
  bool driven = true;
  std::array<std::uint64_t, 2> bits{};  ///< lowest word first

  friend bool operator==(const VcdValue&, const VcdValue&) = default;
};
inline constexpr VcdValue kUndriven{false, {}};

/// Writes a value change dump (IEEE 1364), one time unit = 1 ns. Changes may come in any order of
/// time as long as they are not before the last `write_before`; at one time, in one signal, the
/// change that was told last holds. Keeps only what has not been written yet.
class VcdWriter {
 public:
  using Signal = std::size_t;
  static constexpr unsigned kMaxWidthBits = 128;

  explicit VcdWriter(std::ostream& out);

  /// Declarations, before `begin`. Names have no space.
  void open_scope(std::string_view name);
  void close_scope();
  Signal declare(std::string_view name, unsigned width_bits, const VcdValue& initial);
  /// Ends the declarations and writes the initial values at time 0.
  void begin();

  void set(std::uint64_t time, Signal signal, const VcdValue& value);
  /// Adds to a signal's number.
  void add(std::uint64_t time, Signal signal, std::int64_t difference);

  /// Writes all changes before `time`; none may come for these times any more.
  void write_before(std::uint64_t time);
  /// Writes the rest, and `end_time` as the end of the dump.
  void finish(std::uint64_t end_time);

 private:
  struct Variable {
    std::string identifier;
    unsigned width_bits = 1;
    VcdValue value;  ///< with everything told up to the time being written
    VcdValue written;
    bool touched = false;
  };
  struct Change {
    Signal signal = 0;
    bool is_difference = false;
    std::int64_t difference = 0;
    VcdValue value;
  };

  void write_time(std::uint64_t time, const std::vector<Change>& changes);
  void write_value(const Variable& variable);

  std::ostream& out_;
  std::vector<Variable> variables_;
  std::vector<Signal> touched_;
  std::map<std::uint64_t, std::vector<Change>> pending_;
  std::uint64_t last_time_ = 0;
};

}  // namespace smem
