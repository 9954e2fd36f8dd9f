# SPDX-License-Identifier: BSD-2-Clause
"""Matrix files: tab-separated, one row a combination, one header line with the names below."""
import csv
import fnmatch
from dataclasses import dataclass

COLUMNS = (
    "id image_kind size comps bits signed wavelet levels tile tile_offset image_offset precincts cblk style progression layers_rates mct roi "
    "markers container expected_check"
).split()

GROUPS = {
    "A": "Baseline",
    "B": "Sizes and levels",
    "C": "Tiles and offsets",
    "D": "Precincts, blocks, styles",
    "E": "Progressions, layers, markers",
    "F": "Depths, signs, components, guard bits",
    "G": "Containers",
    "H": "High throughput",
    "I": "Profiles",
    "J": "Faults",
    "R": "Random configurations",
}


@dataclass
class Row:
    id: str
    columns: dict

    def __getattr__(self, name):
        try:
            return self.__dict__["columns"][name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def group(self):
        return self.id[0]

    def summary(self):
        """What is not ordinary about the row, in one line."""
        plain = {"wavelet": "5/3", "levels": "5", "tile": "none", "tile_offset": "0,0", "image_offset": "0,0", "precincts": "max", "cblk": "64x64", "style": "-",
                 "progression": "LRCP", "layers_rates": "1/lossless", "mct": "auto", "roi": "-", "markers": "-", "container": "j2k"}
        words = [self.image_kind, self.size if self.size != "full" else "", f"{self.comps}x{self.bits} bits" + (" signed" if "y" in self.signed else "")]
        words += [f"{name.replace('_', ' ')} {self.columns[name]}" for name, usual in plain.items() if self.columns[name] != usual]
        return ", ".join(w for w in words if w)


class MatrixError(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    if reader.fieldnames != COLUMNS:
        raise MatrixError(f"{path}: the header must be: {' '.join(COLUMNS)}")
    rows, seen = [], set()
    for record in reader:
        if None in record or None in record.values():
            raise MatrixError(f"{path}: row {record.get('id')}: {len(COLUMNS)} columns are asked for")
        if record["id"] in seen:
            raise MatrixError(f"{path}: two rows are called {record['id']}")
        seen.add(record["id"])
        rows.append(Row(record["id"], record))
    return rows


def select(rows, patterns):
    """Rows whose id fits one of the comma-separated shell patterns; a pattern that fits none is an error."""
    if not patterns:
        return rows
    chosen = []
    for pattern in patterns.split(","):
        fits = [row for row in rows if fnmatch.fnmatchcase(row.id, pattern)]
        if not fits:
            raise MatrixError(f"--rows: nothing fits {pattern}")
        chosen += [row for row in fits if row not in chosen]
    return [row for row in rows if row in chosen]
