# SPDX-License-Identifier: GPL-2.0-only
"""memsuite doctor: all that may be wrong with the suite on this machine, and what to do about it."""
