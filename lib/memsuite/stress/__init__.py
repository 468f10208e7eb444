# SPDX-License-Identifier: GPL-2.0-only
"""memsuite diag stress: what tests cost, and what they find."""
