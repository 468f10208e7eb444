# SPDX-License-Identifier: GPL-2.0-only
"""When DIMMs were made, as their own EEPROMs tell (SPD): SMBIOS knows nothing of it."""

import glob
import os

I2C = os.environ.get("MEMSUITE_I2C", "/sys/bus/i2c/devices")
DRIVERS = ("at24", "ee1004", "spd5118")     # of DDR3, DDR4, DDR5

# Where the date is, by the type of memory in byte 2 (JEDEC 21-C annexes K and L, JESD400-5): year and week, in BCD. The
# serial number follows.
DATES = {0x0b: 120, 0x0c: 323, 0x12: 515}
LENGTH = 6


def bcd(byte):
    high, low = divmod(byte, 16)
    return 10 * high + low if high < 10 and low < 10 else None


def week_made(kind, date):
    """(serial number as SMBIOS has it, year and week); None if it is not told. @date: what begins with the date."""
    year, week = map(bcd, date[:2]) if kind in DATES and len(date) == LENGTH else (None, None)
    if year is None or not week or week > 53:
        return None
    return date[2:].hex().upper(), f"20{year:02}-W{week:02}"


def read_eeprom(path):
    """The I2C bus is slow: only what is wanted."""
    fd = os.open(path, os.O_RDONLY)
    try:
        kind = os.pread(fd, 3, 0)[2:]
        at = DATES.get(kind[0]) if kind else None
        return week_made(kind[0], os.pread(fd, LENGTH, at)) if at else None
    finally:
        os.close(fd)


def weeks_made():
    """{serial number: year and week}; empty where no driver is."""
    found = []
    for path in glob.glob(os.path.join(I2C, "*", "eeprom")):
        driver = os.path.realpath(os.path.join(os.path.dirname(path), "driver"))
        if os.path.basename(driver) not in DRIVERS:
            continue
        try:
            found.append(read_eeprom(path))
        except OSError:
            continue
    return dict(filter(None, found))
