// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <string_view>

#include <gtest/gtest.h>

#include <traces/text/sass_opcode.hpp>

namespace smem {
namespace {

constexpr SassOpcode shared(Operation operation, std::uint8_t bytes) {
  return {AddressSpace::shared, operation, bytes};
}

constexpr SassOpcode generic(Operation operation, std::uint8_t bytes) {
  return {AddressSpace::generic, operation, bytes};
}

struct Meaning {
  std::string_view opcode;
  SassOpcode expected;
};

void PrintTo(const Meaning& meaning, std::ostream* out) {
  *out << meaning.opcode;
}

class SassOpcodeMeans : public testing::TestWithParam<Meaning> {};

TEST_P(SassOpcodeMeans, WhatItsModifiersSayInAnyPlace) {
  EXPECT_EQ(parse_sass_opcode(GetParam().opcode), GetParam().expected);
}

constexpr Meaning kMatrices[] = {
    {"LDSM", shared(Operation::ldmatrix_x1, 16)},
    {"LDSM.16.M88", shared(Operation::ldmatrix_x1, 16)},
    {"LDSM.16.M88.2", shared(Operation::ldmatrix_x2, 16)},
    {"LDSM.4.M88.16", shared(Operation::ldmatrix_x4, 16)},
    {"LDSM.16.MT88", shared(Operation::ldmatrix_x1_trans, 16)},
    {"LDSM.MT", shared(Operation::ldmatrix_x1_trans, 16)},
    {"LDSM.2.16.MT88", shared(Operation::ldmatrix_x2_trans, 16)},
    {"LDSM.16.MT88.4", shared(Operation::ldmatrix_x4_trans, 16)},
    {"LDSM.64.MT88.4", shared(Operation::ldmatrix_x4_trans, 16)},
    {"STSM.16.M88.4", shared(Operation::stmatrix_x4, 16)},
    {"STSM.16.MT88.2", shared(Operation::stmatrix_x2_trans, 16)},
    {"LDSM.2.4", shared(Operation::ldmatrix_x4, 16)},
    {"LDSM.4.2", shared(Operation::ldmatrix_x2, 16)},
    {"LDSM.4.2.4", shared(Operation::ldmatrix_x4, 16)},
    {"STSM.MT88.4.2", shared(Operation::stmatrix_x2_trans, 16)},
    {"STSM.2.4.MT88", shared(Operation::stmatrix_x4_trans, 16)},
    {"LDSM.XMT88.44", shared(Operation::ldmatrix_x1, 16)},
};
INSTANTIATE_TEST_SUITE_P(Matrices, SassOpcodeMeans, testing::ValuesIn(kMatrices));

constexpr Meaning kAtomics[] = {
    {"ATOMS", shared(Operation::atomic_add, 4)},
    {"ATOMS.MAX.S32", shared(Operation::atomic_add, 4)},
    {"ATOMS.ADD.64", shared(Operation::atomic_add, 8)},
    {"ATOMS.POPC.INC.32", shared(Operation::reduction, 4)},
    {"ATOMS.INC.POPC", shared(Operation::reduction, 4)},
    {"ATOMS.64.EXCH", shared(Operation::atomic_exchange, 8)},
    {"ATOMS.CAS.64", shared(Operation::atomic_cas, 8)},
    {"ATOMS.CAST.SPIN", shared(Operation::atomic_cas, 4)},
    {"ATOMS.CAST.SPIN.64", shared(Operation::atomic_cas, 8)},
    {"ATOMS.SPIN", shared(Operation::atomic_add, 4)},
    {"ATOMS.CASTLE", shared(Operation::atomic_add, 4)},
    {"ATOMS.POPC.EXCH", shared(Operation::atomic_exchange, 4)},
    {"ATOMS.EXCH.POPC", shared(Operation::reduction, 4)},
    {"ATOMS.CAS.EXCH.CAST", shared(Operation::atomic_cas, 4)},
    {"REDS.ADD", shared(Operation::atomic_add, 4)},
    {"REDS.POPC.INC", shared(Operation::reduction, 4)},
    {"ATOM.E.CAS.64.STRONG.GPU", generic(Operation::atomic_cas, 8)},
    {"ATOM.E.EXCH.STRONG.SM", generic(Operation::atomic_exchange, 4)},
    {"RED.E.ADD.F16x2", generic(Operation::atomic_add, 4)},
};
INSTANTIATE_TEST_SUITE_P(Atomics, SassOpcodeMeans, testing::ValuesIn(kAtomics));

constexpr Meaning kOthers[] = {
    {"LDS.U.128", shared(Operation::load, 16)},
    {"LDS.64.U8", shared(Operation::load, 1)},
    {"LDS.U8.64", shared(Operation::load, 8)},
    {"LDS.POPC.MT88.2", shared(Operation::load, 4)},
    {"STS.S16", shared(Operation::store, 2)},
    {"LD.E.128.STRONG.GPU", generic(Operation::load, 16)},
    {"ST.E.U16", generic(Operation::store, 2)},
    {"LDGSTS.E.BYPASS.LTC128B.128", generic(Operation::async_copy, 16)},
    {"BAR.SYNC.DEFER_BLOCKING", {AddressSpace::barrier, Operation::barrier, 0}},
    {"BAR.RED.POPC.DEFER_BLOCKING", {AddressSpace::barrier, Operation::barrier, 0}},
    {"BAR.DEFER_BLOCKING.SYNCALL.64", {AddressSpace::barrier, Operation::barrier, 0}},
    {"BAR.ARV", {}},
    {"BAR", {}},
    {"LDG.E.128", {}},
    {"LDSMX.2", {}},
    {"ATOMG.POPC", {}},
    {".2", {}},
    {"", {}},
};
INSTANTIATE_TEST_SUITE_P(Others, SassOpcodeMeans, testing::ValuesIn(kOthers));

}  // namespace
}  // namespace smem
