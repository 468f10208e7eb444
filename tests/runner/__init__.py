# SPDX-License-Identifier: GPL-2.0-only
"""What tests/run consists of: cases, the results that they print, and a session that runs them."""
import os

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
