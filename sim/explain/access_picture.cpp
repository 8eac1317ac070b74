// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <vector>

#include <sim/explain/access_picture.hpp>

namespace smem {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::uint32_t kBanksPerRow =
    32;  // a row of 32 cells of three characters fits 100 columns
constexpr std::size_t kRunsNamed = 16;

std::string plural(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string lanes_text(std::uint32_t lanes) {
  return (std::has_single_bit(lanes) ? "lane " : "lanes ") + lane_list(lanes);
}

/// Prints `lead`, then the items separated by "; ", on as many lines of 100 columns as they need.
void print_items(std::ostream& out, const std::string& lead,
                 const std::vector<std::string>& items) {
  std::string line = lead;
  for (std::size_t index = 0; index < items.size(); ++index) {
    const std::string item = items[index] + (index + 1 < items.size() ? ";" : "");
    if (line.size() + 1 + item.size() > kColumns) {
      out << line << '\n';
      line = std::string(4, ' ') + item;
    } else {
      line += (line.ends_with(' ') ? "" : " ") + item;
    }
  }
  out << line << '\n';
}

/// Prints a sentence, broken at spaces into lines of at most 100 columns.
void print_sentence(std::ostream& out, std::string text) {
  while (text.size() > kColumns) {
    const std::size_t space = text.rfind(' ', kColumns);
    out << text.substr(0, space) << '\n';
    text = std::string(6, ' ') + text.substr(space + 1);
  }
  out << text << '\n';
}

std::string hexadecimal_mask(std::uint32_t mask) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(mask >> shift) & 0xfu];
  return text;
}

void draw_summary(std::ostream& out, const AccessExplanation& explanation,
                  const std::string& gpu_name) {
  const WarpAccess& access = explanation.access;
  const AccessCost& cost = explanation.cost;
  out << operation_name(access.operation, access.bytes_per_lane) << ", "
      << plural(access.bytes_per_lane, "byte") << " a lane, mask "
      << hexadecimal_mask(access.active_mask) << ", " << gpu_name << "\n\n";
  out << "  " << plural(cost.wavefronts, "wavefront") << ", ideal " << cost.ideal << ": "
      << (cost.wavefronts == cost.ideal ? "no bank conflict"
                                        : plural(cost.bank_conflicts, "bank conflict"))
      << '\n';
  if (explanation.profiler_wavefronts != cost.wavefronts) {
    out << "  " << plural(explanation.profiler_wavefronts, "wavefront")
        << " by the profiler's software (sm__sass counters, source page): it asks each pair of\n"
           "    groups by itself whether they merge, and merges only what then takes one "
           "wavefront\n";
  }
  out << "  " << plural(cost.cycles_per_inst(), "cycle")
      << " an instruction at best: " << plural(cost.wavefronts, "wavefront") << ", "
      << plural(cost.transfer_cycles, "cycle") << " of data transfer\n";
  out << "  " << plural(explanation.packed_wavefronts, "wavefront")
      << " would be the least with any grouping of these lanes\n\n";
}

void draw_verdicts(std::ostream& out, const AccessExplanation& explanation) {
  const bool per_set = explanation.rule.merge.scope == MergeScope::group;
  for (const PartnerVerdict& verdict : explanation.partners) {
    std::string text = "    " + (per_set ? lanes_text(verdict.lanes) + ", " : "") + "distance " +
                       std::to_string(verdict.distance) + ": ";
    const auto& offsets = explanation.access.offsets_bytes;
    text += verdict.agrees ? "all pair up"
                           : "lanes " + std::to_string(verdict.lane) + " and " +
                                 std::to_string(verdict.partner) + " differ (bytes " +
                                 std::to_string(offsets[verdict.lane]) + " and " +
                                 std::to_string(offsets[verdict.partner]) + ")";
    print_sentence(out, text);
  }
}

void draw_merging(std::ostream& out, const AccessExplanation& explanation) {
  const AccessRule& rule = explanation.rule;
  const std::string groups = plural(explanation.groups.size(), "group");
  switch (rule.grouping) {
    case Grouping::packed:
      out << "  One group (idealised): any words without a conflict share a wavefront.\n";
      return;
    case Grouping::per_lane:
      out << "  " << groups << " (idealised): every lane alone.\n";
      return;
    case Grouping::masks:
      break;
  }
  if (explanation.groups.empty()) {
    out << "  No lane is active.\n";
    return;
  }
  if (explanation.partners.empty()) {
    out << "  " << groups
        << (rule.group_count == 1 ? ": this operation and width serves all lanes at once.\n"
                                  : ": this operation and width never merges its groups.\n");
    return;
  }
  const bool per_set = rule.merge.scope == MergeScope::group;
  out << "  " << groups
      << (explanation.cost.merged ? ", merged."
          : per_set               ? ", not all merged."
                                  : ", not merged.")
      << " Groups merge when, at one distance, every lane and the lane\n"
         "  lane ^ distance have the same address, or one of the two is inactive:\n";
  draw_verdicts(out, explanation);
}

/// The cells of one wavefront of a group, per bank: the lowest lane, and + when there are more.
std::string bank_cell(const BankCollisions& collisions, std::uint32_t bank, unsigned turn) {
  for (const ServedWord& served : collisions.served()) {
    if (served.bank != bank || served.turn != turn) continue;
    const std::string lane = std::to_string(std::countr_zero(served.lanes));
    return (lane.size() < 2 ? " " : "") + lane + (std::has_single_bit(served.lanes) ? " " : "+");
  }
  return " . ";
}

void print_trimmed(std::ostream& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

void draw_banks(std::ostream& out, const AccessExplanation& explanation,
                const ExplainedGroup& group) {
  const std::uint32_t banks = explanation.bank_map.bank_count();
  const unsigned factor = explanation.rule.wavefront_factor;
  for (std::uint32_t first = 0; first < banks; first += kBanksPerRow) {
    const std::uint32_t end = std::min(banks, first + kBanksPerRow);
    std::string header = first == 0 ? "bank" : "    ";
    for (std::uint32_t bank = first; bank < end; ++bank) {
      const std::string number = std::to_string(bank);
      header += std::string(number.size() < 2 ? 1 : 0, ' ') + number +
                std::string(number.size() < 3 ? 1 : 0, ' ');
    }
    print_trimmed(out, header);
    for (unsigned turn = 0; turn < group.collisions.turns; ++turn) {
      const std::string number = std::to_string(group.first_wavefront + turn * factor + 1);
      std::string line = std::string(number.size() < 3 ? 3 - number.size() : 0, ' ') + number + " ";
      for (std::uint32_t bank = first; bank < end; ++bank) {
        line += bank_cell(group.collisions, bank, turn);
      }
      print_trimmed(out, line);
    }
  }
}

/// Neighbouring words that serve the same lanes in the same turn, named together.
struct WordRun {
  std::uint32_t first_word;
  std::uint32_t last_word;
  std::uint32_t lanes;
  std::uint16_t turn;
};

std::string run_text(const WordRun& run, unsigned word_bytes_log2) {
  const auto range = [](const std::string& noun, std::uint32_t first, std::uint32_t last) {
    return noun + (first == last ? " " : "s ") + std::to_string(first) +
           (first == last ? "" : "-" + std::to_string(last));
  };
  const std::uint32_t first_byte = run.first_word << word_bytes_log2;
  const std::uint32_t last_byte = ((run.last_word + 1) << word_bytes_log2) - 1;
  return range("word", run.first_word, run.last_word) + " (" +
         range("byte", first_byte, last_byte) + "): " + lanes_text(run.lanes);
}

/// Names the words of a group that `selected` picks, the first of them when there are many.
template <class Selected>
void print_words(std::ostream& out, const AccessExplanation& explanation,
                 const BankCollisions& collisions, const std::string& lead, Selected selected) {
  std::vector<WordRun> runs;
  for (const ServedWord& served : collisions.served()) {
    if (!selected(served)) continue;
    if (!runs.empty() && runs.back().last_word + 1 == served.word &&
        runs.back().lanes == served.lanes && runs.back().turn == served.turn) {
      ++runs.back().last_word;
      continue;
    }
    runs.push_back({served.word, served.word, served.lanes, served.turn});
  }
  if (runs.empty()) return;
  std::vector<std::string> items;
  for (const WordRun& run : runs) {
    if (items.size() == kRunsNamed) break;
    items.push_back(run_text(run, explanation.bank_map.word_bytes_log2));
  }
  if (runs.size() > kRunsNamed) {
    items.push_back("and " + std::to_string(runs.size() - kRunsNamed) +
                    " more (--format csv lists all)");
  }
  print_items(out, lead, items);
}

void draw_group(std::ostream& out, const AccessExplanation& explanation,
                const ExplainedGroup& group, std::size_t number) {
  const BankCollisions& collisions = group.collisions;
  const bool collides = collisions.turns > 1;
  const std::string tallest = std::to_string(collisions.tallest_bank);
  const bool serialises = explanation.rule.equal_words == EqualWords::serialize;
  std::string heading = "Group " + std::to_string(number) + ": " + lanes_text(collisions.lanes) +
                        ", " + plural(group.wavefronts, "wavefront");
  if (collides) {
    heading += ": bank " + tallest + " is the tallest, " + std::to_string(collisions.turns) +
               (serialises ? " turns (every lane its own)" : " different words");
  }
  out << '\n';
  print_sentence(out, heading);
  draw_banks(out, explanation, group);
  if (collides) {
    print_words(out, explanation, collisions, "  Bank " + tallest + ":",
                [&](const ServedWord& served) { return served.bank == collisions.tallest_bank; });
  }
  const bool writes = traits(explanation.access.operation).writes_memory;
  print_words(out, explanation, collisions, writes ? "  Shared words:" : "  Broadcast:",
              [](const ServedWord& served) { return !std::has_single_bit(served.lanes); });
}

void draw_lost_writes(std::ostream& out, const AccessExplanation& explanation) {
  if (explanation.contested.empty()) return;
  std::vector<std::string> items;
  for (const ContestedBytes& contested : explanation.contested) {
    items.push_back("byte " + std::to_string(contested.offset_bytes) + ": lane " +
                    std::to_string(contested.winner_lane) + " stays, " +
                    lanes_text(contested.lost_lanes) + " lost");
  }
  out << '\n';
  print_items(out, "Lost writes:", items);
}

}  // namespace

void draw_access(std::ostream& out, const AccessExplanation& explanation,
                 const std::string& gpu_name) {
  draw_summary(out, explanation, gpu_name);
  draw_merging(out, explanation);
  for (std::size_t index = 0; index < explanation.groups.size(); ++index) {
    draw_group(out, explanation, explanation.groups[index], index + 1);
  }
  draw_lost_writes(out, explanation);
}

}  // namespace smem
