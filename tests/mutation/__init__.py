"""Do the tests notice a mistake? Mistakes are made one at a time, and the tests of the folder are asked.

By hand, no part of a test run: `python -m tests.mutation repair --each 40 --seed 1`.
"""
