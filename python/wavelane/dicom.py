# SPDX-License-Identifier: BSD-2-Clause
"""The program wavelane-dicom: DICOM files, or folders of them, to a transfer syntax of JPEG 2000 or HTJ2K."""
import argparse
import contextlib
import errno
import json
import os
import secrets
import signal
import sys
import time

import pydicom

from . import __version__
from .pydicom import LOSSLESS, check_pixels, compress

SYNTAXES = {"jpeg2000-lossless": pydicom.uid.JPEG2000Lossless, "jpeg2000": pydicom.uid.JPEG2000, "htj2k-lossless": pydicom.uid.HTJ2KLossless,
            "htj2k-rpcl": pydicom.uid.HTJ2KLosslessRPCL, "htj2k": pydicom.uid.HTJ2K}
INSTANCE_UIDS = {"always": True, "never": False, "lossy": None}
NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)
WORDS = {"yes": True, "on": True, "no": False, "off": False}


class Skipped(Exception):
    """A file with nothing to encode."""


# ---- Files ----


def _put_in_place(made, path, force):
    """A finished file gets its name. Without force a file that has the name stays, also one that came a moment ago."""
    if force:
        os.replace(made, path)
        return
    try:
        os.link(made, path)
    except OSError as problem:
        if problem.errno not in NO_LINKS:
            raise
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))  # the name is ours from here on
        os.replace(made, path)


@contextlib.contextmanager
def write_whole(path, force):
    """A file to write to, which appears complete or not at all."""
    made = os.path.join(os.path.dirname(path) or ".", f".wavelane-{secrets.token_hex(8)}")
    file = os.fdopen(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666), "w+b")
    try:
        with file:
            yield file
        _put_in_place(made, path, force)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(made)


def _is_dicom(path):
    with open(path, "rb") as file:
        return file.read(132)[128:] == b"DICM"


def _list_folder(source, target, recursive):
    """(input, output) of all files, in the order of their names."""
    pairs = []
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(folders) if recursive else []
        place = os.path.normpath(os.path.join(target, os.path.relpath(folder, source)))
        pairs += [(os.path.join(folder, name), os.path.join(place, name)) for name in sorted(names)]
    return pairs


# ---- One file ----


def _read(path, in_folder):
    if in_folder and not _is_dicom(path):
        raise Skipped("no DICOM file")
    ds = pydicom.dcmread(path)
    if "PixelData" not in ds:
        raise Skipped("no Pixel Data") if in_folder else ValueError("the file has no (7FE0,0010) 'Pixel Data'")
    return ds


def _decompress(ds):
    """Frames of another compressed transfer syntax, without a conversion of colours."""
    if not ds.file_meta.TransferSyntaxUID.is_compressed:
        return
    ds.decompress(as_rgb=False, generate_instance_uid=False)
    samples = ds.Rows * ds.Columns * ds.SamplesPerPixel * int(ds.get("NumberOfFrames", None) or 1)
    if ds.PhotometricInterpretation == "YBR_FULL_422" and len(ds.PixelData) >= samples:
        ds.PhotometricInterpretation = "YBR_FULL"  # decoders give every pixel its chroma


def _describe(ds, before):
    frames = int(ds.get("NumberOfFrames", None) or 1)
    after = len(ds.PixelData)
    return {"frames": frames, "rows": ds.Rows, "columns": ds.Columns, "bits_stored": ds.BitsStored, "photometric_interpretation": str(ds.PhotometricInterpretation),
            "pixel_bytes": before, "encoded_bytes": after, "sop_instance_uid": str(ds.get("SOPInstanceUID", ""))}


def transcode(source, target, uid, *, force=False, in_folder=False, generate_instance_uid=None, **options):
    """Writes a DICOM file in a transfer syntax of JPEG 2000 or HTJ2K. Returns what is known of it as a dictionary."""
    if not force and os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "the file exists; --force replaces it", target)
    ds = _read(source, in_folder)
    check_pixels(ds)
    _decompress(ds)
    before = len(ds.PixelData)
    compress(ds, uid, generate_instance_uid=generate_instance_uid, **options)
    ds.file_meta.ImplementationClassUID = pydicom.uid.PYDICOM_IMPLEMENTATION_UID
    ds.file_meta.ImplementationVersionName = f"WAVELANE {__version__}"[:16]
    if in_folder:
        os.makedirs(os.path.dirname(target), exist_ok=True)
    with write_whole(target, force) as file:
        pydicom.dcmwrite(file, ds, enforce_file_format=True)
    return _describe(ds, before)


# ---- The program ----


def _read_setting(text):
    key, joint, value = text.partition("=")
    if not joint or not key:
        raise argparse.ArgumentTypeError(f"{text!r}: give KEY=VALUE")
    return key.replace("-", "_"), WORDS.get(value, value)


def _read_syntax(text):
    if text not in SYNTAXES and text not in SYNTAXES.values():
        raise argparse.ArgumentTypeError(f"{text!r}: give {', '.join(SYNTAXES)} or the UID")
    return SYNTAXES.get(text) or pydicom.uid.UID(text)


def _make_parser():
    parser = argparse.ArgumentParser(prog="wavelane-dicom", description=(
        "Encodes DICOM files as JPEG 2000 or HTJ2K. IN and OUT are files, or folders: then each file of IN gets one of the same name in OUT. Compressed "
        "files are decoded first, by what pydicom finds. A file is written completely or not at all. Ends with 0, 1 (files failed), 2 (wrong call) or 130."))
    parser.add_argument("source", metavar="IN")
    parser.add_argument("target", metavar="OUT")
    parser.add_argument("--syntax", type=_read_syntax, required=True, metavar="NAME", help=f"transfer syntax: {', '.join(SYNTAXES)}, or the UID")
    parser.add_argument("-r", "--rates", metavar="N[,N...]", help="compression ratio of each layer (jpeg2000, htj2k)")
    parser.add_argument("--bpp", metavar="N[,N...]", help="bits per pixel of each layer")
    parser.add_argument("-q", "--psnr", metavar="N[,N...]", help="least PSNR of each layer in dB")
    parser.add_argument("--set", action="append", type=_read_setting, default=[], metavar="KEY=VALUE", help="an option of the command wavelane; mct=no: RGB stays RGB")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="0 (default): one for each processor")
    parser.add_argument("--new-uid", choices=INSTANCE_UIDS, default="lossy", help="when a file gets a new SOP Instance UID; default: lossy")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    parser.add_argument("--skip-existing", action="store_true", help="leave out files whose output exists")
    parser.add_argument("--recursive", action="store_true", help="folders in IN too")
    parser.add_argument("--json", action="store_true", help="one report on standard output")
    parser.add_argument("--progress", action="store_true", help="a line on standard error for each file")
    parser.add_argument("--version", action="version", version=f"wavelane-dicom {__version__}")
    return parser


def _collect(parser, args):
    """Options of the encode, and the files."""
    options = dict(args.set, threads=args.threads)
    options.update({key: value for key in ("rates", "bpp", "psnr") if (value := getattr(args, key)) is not None})
    if args.syntax in LOSSLESS and any(key in options for key in ("rates", "bpp", "psnr")):
        parser.error(f"--syntax {args.syntax} is lossless: leave out --rates, --bpp and --psnr")
    if args.force and args.skip_existing:
        parser.error("--force replaces files, --skip-existing leaves them: give one")
    if not os.path.exists(args.source):
        parser.error(f"{args.source}: no such file or folder")
    if os.path.isdir(args.source):
        if os.path.lexists(args.target) and not os.path.isdir(args.target):
            parser.error(f"{args.target} is no folder, and {args.source} is one")
        return options, _list_folder(args.source, args.target, args.recursive)
    target = os.path.join(args.target, os.path.basename(args.source)) if os.path.isdir(args.target) else args.target
    return options, [(args.source, target)]


def _run_one(args, options, pair):
    """The entry of a file in the report."""
    source, target = pair
    began, entry = time.monotonic(), {"input": source, "output": target}
    try:
        if args.skip_existing and os.path.lexists(target):
            raise Skipped("the output exists")
        made = transcode(source, target, args.syntax, force=args.force, in_folder=os.path.isdir(args.source),
                         generate_instance_uid=INSTANCE_UIDS[args.new_uid], **options)
        entry.update(outcome="done", **made)
    except Skipped as reason:
        entry.update(outcome="skipped", reason=str(reason))
    except Exception as problem:  # pylint: disable=broad-exception-caught # of any file, so that the others go on
        entry.update(outcome="failed", reason=" ".join(str(problem).split()) or type(problem).__name__)
    entry["seconds"] = round(time.monotonic() - began, 4)
    return entry


def _tell(args, entry, number, count):
    if entry["outcome"] == "failed":
        print(f"wavelane-dicom: {entry['input']}: {entry['reason']}", file=sys.stderr)
    elif args.progress:
        rest = f"{entry['pixel_bytes']} -> {entry['encoded_bytes']} bytes" if entry["outcome"] == "done" else f"skipped: {entry['reason']}"
        print(f"{number}/{count} {entry['input']}: {rest}", file=sys.stderr)


def main(words=None):
    """The program; returns its exit status."""
    parser = _make_parser()
    args = parser.parse_args(words)
    options, pairs = _collect(parser, args)
    began, entries, status = time.monotonic(), [], 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for number, pair in enumerate(pairs, 1):
            entries.append(_run_one(args, options, pair))
            _tell(args, entries[-1], number, len(pairs))
    except KeyboardInterrupt:
        status = 130
    outcomes = [entry["outcome"] for entry in entries]
    counts = {name: outcomes.count(name) for name in ("done", "skipped", "failed")}
    if args.json:
        json.dump({"version": __version__, "transfer_syntax_uid": args.syntax, "files": entries, **counts, "not_begun": len(pairs) - len(entries),
                   "seconds": round(time.monotonic() - began, 4)}, sys.stdout, indent=1)
        print()
    return status or int(counts["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
