// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace smem::test {

/// A value change dump, read strictly: anything the format does not allow, or this project does not
/// write, throws.
class VcdReader {
 public:
  struct Signal {
    std::size_t width_bits = 0;
    std::map<std::uint64_t, std::string> changes;  ///< by time: all digits, highest bit first

    /// The value at `time`.
    const std::string& at(std::uint64_t time) const {
      return std::prev(changes.upper_bound(time))->second;
    }
    bool driven(std::uint64_t time) const { return at(time).find('z') == std::string::npos; }
    std::uint64_t number(std::uint64_t time) const { return std::stoull(at(time), nullptr, 2); }
  };

  explicit VcdReader(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> scopes;
    std::string line;
    while (std::getline(in, line) && line != "$enddefinitions $end") declare(line, scopes);
    expect(line == "$enddefinitions $end" && scopes.empty() && has_timescale_, line);
    bool dumping = false;
    bool has_time = false;
    while (std::getline(in, line)) {
      if (line.starts_with('#')) {
        const std::uint64_t time = std::stoull(line.substr(1));
        expect(line == "#" + std::to_string(time) && (!has_time || time > end_time), line);
        expect(has_time || time == 0, line);
        expect(!dumping, line);
        has_time = true;
        end_time = time;
      } else if (line == "$dumpvars" || (dumping && line == "$end")) {
        expect(has_time && end_time == 0, line);
        dumping = !dumping;
        expect(dumping || changed_.size() == by_identifier_.size(), "a value for every signal");
        if (!dumping) changed_.clear();
      } else {
        expect(has_time, line);
        change(line);
      }
    }
    expect(!dumping, "an end of $dumpvars");
  }

  const Signal& signal(const std::string& name) const { return signals.at(name); }

  std::map<std::string, Signal> signals;  ///< by scopes and name, with dots
  std::uint64_t end_time = 0;

 private:
  static void expect(bool holds, const std::string& line) {
    if (!holds) throw std::runtime_error("not as the format wants it: " + line);
  }

  void declare(const std::string& line, std::vector<std::string>& scopes) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    expect(words.size() >= 2 && words.back() == "$end", line);
    if (words[0] == "$scope") {
      expect(words.size() == 4 && words[1] == "module", line);
      scopes.push_back(words[2]);
    } else if (words[0] == "$upscope") {
      expect(words.size() == 2 && !scopes.empty(), line);
      scopes.pop_back();
    } else if (words[0] == "$timescale") {
      expect(line == "$timescale 1 ns $end" && !has_timescale_, line);
      has_timescale_ = true;
    } else if (words[0] == "$var") {
      expect(words.size() >= 6 && words[1] == "wire" && !scopes.empty(), line);
      const std::size_t width = std::stoul(words[2]);
      expect(words.size() == (width == 1 ? 6u : 7u), line);
      if (width > 1) expect(words[5] == "[" + std::to_string(width - 1) + ":0]", line);
      std::string name;
      for (const std::string& scope : scopes) name += scope + ".";
      expect(!signals.contains(name + words[4]), line);
      Signal& signal = signals[name + words[4]];
      signal.width_bits = width;
      expect(by_identifier_.emplace(words[3], &signal).second, line);
    } else {
      expect(words[0] == "$version", line);
    }
  }

  void change(const std::string& line) {
    std::string digits;
    std::string identifier;
    if (line.starts_with('b')) {
      const std::size_t space = line.find(' ');
      expect(space != std::string::npos, line);
      digits = line.substr(1, space - 1);
      identifier = line.substr(space + 1);
      expect(digits.size() > 1, line);
    } else {
      digits = line.substr(0, 1);
      identifier = line.substr(1);
    }
    expect(by_identifier_.contains(identifier), line);
    Signal& signal = *by_identifier_[identifier];
    expect(digits.size() == signal.width_bits, line);
    expect(digits.find_first_not_of("01") == std::string::npos ||
               digits.find_first_not_of('z') == std::string::npos,
           line);
    if (end_time == 0) changed_.insert(identifier);
    expect(end_time == 0 || signal.changes.rbegin()->second != digits, line);
    signal.changes[end_time] = digits;
  }

  bool has_timescale_ = false;
  std::map<std::string, Signal*> by_identifier_;
  std::set<std::string> changed_;
};

}  // namespace smem::test
