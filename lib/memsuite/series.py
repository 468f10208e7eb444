# SPDX-License-Identifier: GPL-2.0-only
"""The list of kernels; nothing else in the tree has one. tests/kernels.py compares dkms.conf with it."""

SERIES = ("5.10", "6.1", "6.12", "7.2")         # stock kernels, oldest first
