# SPDX-License-Identifier: GPL-2.0-only
"""Many machines: what each tells of its memory, and a report of all."""
