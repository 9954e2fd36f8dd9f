# SPDX-License-Identifier: BSD-2-Clause
# Made by python/extension/write_stubs.py from the library's table of options.
import uuid
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, NamedTuple, TypedDict

from typing_extensions import Self, Unpack

__version__: str

class LibraryOptions(TypedDict, total=False):
    # Convert the first three components to 12-bit X'Y'Z' of digital cinema (SMPTE ST 428-1) and code that. The word
    # names the RGB colour space that they are in; xyz: they are X'Y'Z' already; none: code what is given. Range:
    # none|xyz|rec709|srgb|rec601-525|rec601-625|rec2020|p3-dci|p3-d60|p3-d65|display-p3|custom. Default: none.
    input_color: Literal["none", "xyz", "rec709", "srgb", "rec601-525", "rec601-625", "rec2020", "p3-dci", "p3-d60", "p3-d65", "display-p3", "custom"] | None
    # How these samples stand for light: a power, linear, or the sRGB curve. bt1886 is 2.4. auto: 2.6 for p3-*, srgb
    # for srgb and display-p3, else 2.4. Range: auto|linear|2.2|2.4|2.6|bt1886|srgb. Default: auto.
    input_transfer: Literal["auto", "linear", "2.2", "2.4", "2.6", "bt1886", "srgb"] | None
    # Black and white of these samples: the full range of their depth, or 16 and 235 for 8 bits and the same parts
    # of other depths. Range: full|video. Default: full.
    input_range: Literal["full", "video"] | None
    # Reversible 5/3 wavelet (yes) or irreversible 9/7 (no) (Annex F). Range: yes|no. Default: yes.
    reversible: bool | str | None
    # Wavelet decomposition levels, one less than the number of resolutions. auto: the fewest that leave at most
    # 64,64 samples of each component (A.6.1). Range: 0..32, or auto. Default: 5.
    levels: str | int | None
    # Colour transform of the first three components, RCT or ICT. auto: where the three match (Annex G). Range:
    # off|on|auto. Default: auto.
    mct: bool | Literal["off", "on", "auto"] | None
    # Tile size on the reference grid. 0,0: one tile (B.3). Range: width,height. Default: 0,0.
    tile: tuple[int, int] | str | None
    # Origin of the first tile, not beyond the image offset (B.3). Range: x,y. Default: 0,0.
    tile_offset: tuple[int, int] | str | None
    # Nominal code-block size (A.6.1). Range: width,height: powers of two, 4..1024, area up to 4096. Default: 64,64.
    block: tuple[int, int] | str | None
    # Precinct sizes from the highest resolution down; the last one repeats. Unless given: those of the profile,
    # else one precinct in each resolution (B.6). Range: [width,height],...: powers of two, 1..32768.
    precincts: Sequence[tuple[int, int]] | str | None
    # Code-block style: names joined by +, or the sum of 1, 2, 4, 8, 16, 32, 64 in that order (Table A.19). HT is
    # the high-throughput block coder of 15444-15; only VSC goes with it. Range: 0..127, or
    # BYPASS+RESET+TERMALL+VSC+PTERM+SEGSYM+HT. Default: 0.
    style: str | int | Sequence[str] | None
    # Progression order of the packets (B.12). Range: LRCP|RLCP|RPCL|PCRL|CPRL. Default: LRCP.
    progression: Literal["LRCP", "RLCP", "RPCL", "PCRL", "CPRL"] | None
    # Settings of some tiles (counted from 1), components (from 0) or both: reversible, levels, block, precincts,
    # style, quantization, step and guard-bits; for tiles also progression, mct, sop and eph. A value for tile and
    # component goes before one for the tile, and that before one for the component (A.6). Range:
    # [Tn[-m]][Cn[-m]]:key=value;.../....
    overrides: str | Sequence[str] | None
    # Regions of interest: their bit-planes are sent before all others (maxshift). A region is a rectangle on the
    # reference grid, which finds its shift itself, or a whole component, shifted by U=N; in all tiles (counted from
    # 1) and components (from 0) or in some (Annex H). Range: [Tn[-m]][Cn[-m]:]rect=x,y,width,height[;U=N] or
    # c=N,U=N/....
    roi: str | Sequence[str] | None
    # Progression order changes: resolutions RS to RE, components CS to CE and layers 0 to LYE (ends not included)
    # in this order, for all tiles or for tile n, counted from 1. Each packet is sent once (A.6.6). Range:
    # [Tn=]RS,CS,LYE,RE,CE,ORDER/....
    progression_changes: str | Sequence[str] | None
    # Start a new tile-part at each resolution (R), layer (L) or component (C) (A.4.2). Range: none, or letters of
    # R, L, C. Default: none.
    tile_parts: str | None
    # Write an SOP marker segment before each packet (A.8.1). Range: yes|no. Default: no.
    sop: bool | str | None
    # Write an EPH marker after each packet header (A.8.2). Range: yes|no. Default: no.
    eph: bool | str | None
    # Write the packet lengths into tile-part headers (A.7.3). Range: yes|no. Default: no.
    plt: bool | str | None
    # Write the tile-part lengths into the main header (A.7.1). Range: yes|no. Default: no.
    tlm: bool | str | None
    # Write the packet lengths into the main header (A.7.2). Range: yes|no. Default: no.
    plm: bool | str | None
    # Collect the packet headers in the main header (ppm) or the tile-part headers (ppt) (A.7.4, A.7.5). Some
    # decoders refuse a tile-part that then has no bytes; sop=yes avoids that. Range: none|ppm|ppt. Default: none.
    packed_headers: Literal["none", "ppm", "ppt"] | None
    # Place of the samples of each component, to the right and down, in 1/65536 of their distance. One pair is for
    # all components. Unless given: no CRG (A.9.1). Range: [x,y],...: 0..65535.
    registration: Sequence[tuple[int, int]] | str | None
    # Profile to declare (Rsiz, A.10) and to keep: what does not fit is refused. The finished bytes are judged too,
    # except for profiles 0 and 1. Range:
    # none|0|1|cinema2k|cinema4k|imf-2k|imf-4k|imf-8k|imf-2k-r|imf-4k-r|imf-8k-r|broadcast-single|broadcast-
    # multi|broadcast-multi-r|kb-master|kb-access|ndnp|bodleian|bodleian-lossy|bl-newspaper|ht-archive|dicom-
    # htj2k-rpcl|imf-ht-rev|imf-ht-irv. Default: none.
    profile: Literal["none", "0", "1", "cinema2k", "cinema4k", "imf-2k", "imf-4k", "imf-8k", "imf-2k-r", "imf-4k-r", "imf-8k-r", "broadcast-single", "broadcast-multi", "broadcast-multi-r", "kb-master", "kb-access", "ndnp", "bodleian", "bodleian-lossy", "bl-newspaper", "ht-archive", "dicom-htj2k-rpcl", "imf-ht-rev", "imf-ht-irv"] | None
    # Frames a second, for the byte limits of cinema, IMF and broadcast profiles. 23.976 and the like are
    # N*1000/1001. Range: N, N/D, or a decimal number. Default: 24.
    frame_rate: str | float | None
    # One eye of a stereoscopic pair: half the bytes of a profile. Range: yes|no. Default: no.
    stereo: bool | str | None
    # High frame rate of digital cinema, where the server takes it: 500 Mbit/s in place of 250. Range: yes|no.
    # Default: no.
    hfr: bool | str | None
    # Main level of IMF and broadcast profiles; 0: not stated (A.10). Range: 0..11. Default: 0.
    main_level: int | None
    # Sublevel of IMF profiles, the bit rate; 0: not stated (A.10). Range: 0..9. Default: 0.
    sub_level: int | None
    # Write one step size for each band (expounded), or one from which the others follow (derived); 9/7 only
    # (A.6.4). Range: derived|expounded. Default: expounded.
    quantization: Literal["derived", "expounded"] | None
    # Base quantizer step as a part of the full range, less than 1; 9/7 only. 0: one least significant bit. With 0
    # and a limit in bytes it is half of that for up to 8 bits without roi, and up to twice as coarse with HT
    # blocks, where the limit asks for it (E.1). Range: 0..1. Default: 0.
    step: float | None
    # Quality factor like that of JPEG, 1 (coarse) to 100: quantizer steps weighted by how visible errors are. 0:
    # use step; 9/7 only. Range: 0..100. Default: 0.
    qfactor: int | None
    # Guard bits G (A.6.4). Range: 0..7. Default: 2.
    guard_bits: int | None
    # Bits kept below the quantizer step to measure distortion; fewer where the container of the samples is full;
    # 9/7 only. Range: 0..8. Default: 6.
    distortion_bits: int | None
    # Compression ratio of each layer, falling. 1 or 0 as the last one: everything. Replaces any other target.
    # Range: ratio,....
    rates: float | Sequence[float] | str | None
    # Bits per pixel of each layer, rising. 0 as the last one: everything. Replaces any other target. Range:
    # bits,....
    bpp: float | Sequence[float] | str | None
    # Bytes of the codestream up to each layer, rising. 0 as the last one: everything. Replaces any other target.
    # Range: bytes,....
    layer_bytes: float | Sequence[float] | str | None
    # Least PSNR of each layer in dB, rising. 0 as the last one: everything. Replaces any other target. Range:
    # dB,....
    psnr: float | Sequence[float] | str | None
    # Distortion-length slope of each layer, falling: 32768 + 256 log2 of squared sample units per byte. 0 as the
    # last one: everything. Replaces any other target. Range: 0..65535,....
    slopes: float | Sequence[float] | str | None
    # Number of quality layers. Layers before the first target are spaced logarithmically. Not given: one for each
    # target (A.6.1). Range: 1..65535. Default: 1.
    layers: int | None
    # Most bytes of the codestream, never exceeded. 0: no limit. Range: 0..18446744073709551615. Default: 0.
    max_bytes: int | None
    # Most bytes of any one component with its tile-part headers (cinema4k: of any one tile-part), never exceeded.
    # 0: no limit. Range: 0..18446744073709551615. Default: 0.
    max_component_bytes: int | None
    # Rate-distortion optimised quantization: a sample near the border of two quantizer cells takes the one with the
    # smaller sum of error and bits. auto: where bytes are limited, without regions, HT blocks and PSNR targets.
    # Range: no|yes|auto. Default: auto.
    rdoq: bool | Literal["no", "yes", "auto"] | None
    # Where bytes are limited, and in layers, weigh errors by how visible they are from a distance of 1700 pixels:
    # fine detail and chroma count less. PSNR falls. Range: yes|no. Default: no.
    visual: bool | str | None
    # Most passes of an HT block: cleanup (1), SigProp after it (2), MagRef after that (3). Without a limit blocks
    # have the cleanup pass only. Range: 1..3. Default: 3.
    ht_passes: int | None
    # Measure the PSNR of each layer that is reported, at the price of an inverse transform for each layer; else it
    # is estimated. auto: where samples times layers are at most 65536 and the CPU finishes the picture. With yes
    # the CPU makes the packets, also where a device could. Magnitudes above 31 bits are always estimated. Range:
    # auto|yes|no. Default: auto.
    measure_psnr: bool | Literal["auto", "yes", "no"] | None
    # Codestream (j2k), JP2 file (jp2, Annex I), or JPH file for HT blocks (jph, 15444-15 Annex D). Range:
    # j2k|jp2|jph. Default: j2k.
    container: Literal["j2k", "jp2", "jph"] | None
    # Comment marker segment; may be given several times (A.9.2). Range: 1..65531 bytes of ISO 8859-15.
    comment: str | bytes | Sequence[str | bytes] | None
    # Where pixels are transformed; the bytes are the same. auto: a device where it pays. cuda, cuda:N: device 0 or
    # N; the CPU takes over where it cannot. cuda-only: as cuda, but an error where it cannot. cuda:N,N or cuda:all:
    # several devices, which share pictures in flight and the waves of a large picture. Range: auto|cpu|cuda|cuda-
    # only|cuda:N,...|cuda:all|cuda-only:.... Default: auto.
    device: str | None
    # The least that a device must do: the transform (coefs), code-blocks too (blocks), or packets too (packets). A
    # device that does less for a picture is not used for it. Each device goes as far as it can in any case. Range:
    # coefs|blocks|packets. Default: coefs.
    reach: Literal["coefs", "blocks", "packets"] | None
    # Where finished pictures lie. device: in memory of the device that finishes them; only an encoder object of the
    # C API gives such pictures, and what no device can finish is refused. Range: host|device. Default: host.
    output_memory: Literal["host", "device"] | None
    # Most bytes of its own memory that a device may take for a picture, or for each in flight. Larger pictures go
    # through it in strips, where reach allows. 0: what there is. Range: 0..18446744073709551615. Default: 0.
    device_memory: int | None

class PlanOptions(LibraryOptions, total=False):
    preset: str | None
    threads: int
    context: Context | None
    depth: int | Sequence[int] | None
    subsampling: Sequence[tuple[int, int]] | None
    offset: tuple[int, int]
    color: Literal["auto", "srgb", "grey", "gray", "sycc"] | None
    icc: bytes | None
    alpha: bool | Literal["premultiplied"] | None
    xml: str | bytes | None
    boxes: Sequence[tuple[Literal["xml"] | uuid.UUID | bytes, str | bytes]] | None
    resolution: float | tuple[float, float] | None
    display_resolution: float | tuple[float, float] | None
    palette: Any
    palette_depth: int | None
    color_unknown: bool | None

class EncodeOptions(PlanOptions, total=False):
    planar: bool
    stream: int | None
    cancel: CancelToken | None
    progress: Callable[[int, int, str], Any] | None

class Error(Exception):
    status: int
    tag: Any
    needed: int | None

class Cancelled(Error): ...
class Busy(Error): ...
class ArgumentError(Error, ValueError): ...
class ParameterError(Error, ValueError): ...
class UnsupportedError(Error, ValueError): ...
class UnreachableError(Error, ValueError): ...
class OutOfMemoryError(Error, MemoryError): ...
class SinkError(Error, OSError): ...
class DeviceError(Error, RuntimeError): ...
class InputError(Error, ValueError): ...
class InternalError(Error, RuntimeError): ...
class ProfileError(Error, ValueError): ...

class Option(NamedTuple):
    key: str
    type: str
    range: str
    initial: str
    doc: str
    section: str

class Preset(NamedTuple):
    name: str
    doc: str
    settings: str

class Device(NamedTuple):
    name: str
    ordinal: int
    capability: tuple[int, int]
    memory_bytes: int
    usable: bool

def options() -> list[Option]: ...
def presets() -> list[Preset]: ...
def devices() -> list[Device]: ...
def build_text() -> str: ...

class Context:
    def __init__(
        self,
        *,
        threads: int = 0,
        trace: Callable[[str, str, int, float, float], Any] | None = None,
        max_samples: int = 0,
    ) -> None: ...
    @property
    def threads(self) -> int: ...

class CancelToken:
    def __init__(self) -> None: ...
    def cancel(self) -> None: ...

class Layer:
    bytes: int
    psnr: float
    measured: bool

class Info:
    bytes: int
    backend: str
    seconds: dict[str, float]
    layers: list[Layer]

class Picture:
    data: bytes | None
    info: Info
    tag: Any
    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

def encode(array: Any, /, **keywords: Unpack[EncodeOptions]) -> bytes: ...
def encode_into(array: Any, buffer: Any, /, **keywords: Unpack[EncodeOptions]) -> int: ...
def encode_picture(array: Any, /, **keywords: Unpack[EncodeOptions]) -> Picture: ...
def encode_file(
    path: str | bytes | PathLike[str] | PathLike[bytes],
    array: Any,
    /,
    *,
    overwrite: bool = False,
    **keywords: Unpack[EncodeOptions],
) -> Info: ...
async def encode_async(array: Any, /, **keywords: Unpack[EncodeOptions]) -> bytes: ...

def output_bound(
    shape: Sequence[int] | Sequence[Sequence[int]],
    dtype: Any = "uint8",
    *,
    planar: bool = False,
    **keywords: Unpack[PlanOptions],
) -> int: ...

class Encoder:
    planar: bool
    def __init__(
        self,
        shape: Sequence[int] | Sequence[Sequence[int]],
        dtype: Any = "uint8",
        *,
        frames: int = 0,
        planar: bool = False,
        **keywords: Unpack[PlanOptions],
    ) -> None: ...
    @property
    def frames(self) -> int: ...
    @property
    def output_bound(self) -> int: ...
    @property
    def in_flight(self) -> int: ...
    def submit(self, array: Any, /, *, tag: Any = None, stream: int | None = None, wait: bool = False) -> None: ...
    def receive(self, timeout: float | None = None) -> Picture | None: ...
    def receive_into(self, buffer: Any, /, timeout: float | None = None) -> Picture | None: ...
    def end(self) -> None: ...
    def cancel(self) -> None: ...
    def close(self) -> None: ...
    def map(self, arrays: Iterable[Any], /, *, stream: int | None = None) -> Iterator[bytes]: ...
    async def submit_async(self, array: Any, /, *, tag: Any = None, stream: int | None = None) -> None: ...
    async def receive_async(self) -> Picture | None: ...
    def map_async(
        self, arrays: Iterable[Any] | AsyncIterable[Any], /, *, stream: int | None = None
    ) -> AsyncIterator[bytes]: ...
    def __iter__(self) -> Iterator[Picture]: ...
    def __aiter__(self) -> Self: ...
    async def __anext__(self) -> Picture: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
