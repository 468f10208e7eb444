# SPDX-License-Identifier: GPL-2.0-only
"""memsuite mrc: miss ratio curves."""
