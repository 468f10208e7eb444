# SPDX-License-Identifier: GPL-2.0-only
"""memsuite top and report: what matters of all modules, on a screen and on a page."""
