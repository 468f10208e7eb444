# SPDX-License-Identifier: GPL-2.0-only
"""The firmware's DMI tables, of which the command takes the DIMMs of a bad page."""
import os

import _reader

with _reader.imports():
    from memsuite.diag import dimms

dimms.machine_key = lambda: "unknown"


def one(data):
    _reader.file_write(data, os.environ["MEMSUITE_DMI"])
    every = dimms.dimms()
    for dimm in every:
        assert dimms.dimms_at(dimm["locator"].replace(" ", "_"), every)
        dimms.page_key(dimm["locator"], every)
    dimms.page_key("-", every)
    dimms.layout_key(every)


_reader.run(one)
