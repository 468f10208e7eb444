# SPDX-License-Identifier: GPL-2.0-only
"""A machine is tested for a set time, with everything there is, and gets a verdict."""
