# SPDX-License-Identifier: GPL-2.0-only
"""memsuite zone: the placement of memory, vipzone and regions."""
