"""Programs as people write them, one module for each way to lose a dependency silently.

Contract: every module fills `PROGRAMS` by the decorator `soundness.harness.program`;
tests/soundness/test_programs.py runs all of them and needs no list.
"""
