# SPDX-License-Identifier: GPL-2.0-only
"""memsuite bench: what the suite costs on this machine."""
