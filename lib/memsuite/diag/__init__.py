# SPDX-License-Identifier: GPL-2.0-only
"""memsuite diag: the memory diagnostic, memdiag."""
