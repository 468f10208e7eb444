# SPDX-License-Identifier: GPL-2.0-only
"""Archives as the kernel unpacks them at boot (cpio, "newc"); several may follow one another."""
import os
import stat


class Archive:
    def __init__(self):
        self._parts = []
        self._made = set()
        self._inode = 1

    def _entry(self, name, mode, data=b""):
        self._inode += 1
        name = name.encode() + b"\0"
        fields = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        header = b"070701" + b"".join(b"%08X" % f for f in fields) + name
        self._parts.append(header + bytes(-len(header) % 4) + data + bytes(-len(data) % 4))

    def directory(self, name):
        name = name.strip("/")
        if name and name not in self._made:
            self.directory(os.path.dirname(name))
            self._made.add(name)
            self._entry(name, stat.S_IFDIR | 0o755)

    def file(self, name, data, mode=0o644):
        name = name.strip("/")
        self.directory(os.path.dirname(name))
        self._entry(name, stat.S_IFREG | mode, data if isinstance(data, bytes) else data.encode())

    def copy(self, name, path):
        with open(path, "rb") as f:
            self.file(name, f.read(), 0o755 if os.access(path, os.X_OK) else 0o644)

    def link(self, name, target):
        name = name.strip("/")
        self.directory(os.path.dirname(name))
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def bytes(self):
        end = Archive()
        end._entry("TRAILER!!!", 0)
        data = b"".join(self._parts) + end._parts[0]
        return data + bytes(-len(data) % 512)
