# SPDX-License-Identifier: GPL-2.0-only
"""memsuite apply and dump: what is set, as files that say so."""
