# SPDX-License-Identifier: GPL-2.0-only
"""memsuite store: virtual storage, a disk with PRAM in front of it."""
