// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  if (!GTEST_FLAG_GET(list_tests) && ::testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::cerr << "no test ran\n";
    return 1;
  }
  return failed;
}
