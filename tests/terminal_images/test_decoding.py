"""Pixels of pictures of every mode and of damaged ones, and parts of them in other sizes."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from PIL import Image
from test_picture_headers import KINDS, lying

from tbtui.terminal_images.decode import PictureError, decode, resize
from tests.helpers.image_files import animation, encoded, photo, png, png_16_bit, png_chunk

WHOLE = photo(40, 60)


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "PPM"])
def test_what_was_encoded_without_loss_is_decoded_exactly(kind: str) -> None:
    decoded = decode(encoded(WHOLE, kind))
    assert decoded.pixels.dtype == np.uint8
    assert np.array_equal(decoded.pixels, WHOLE)
    assert decoded.note == ""
    assert decoded.header.size == (60, 40)


def test_webp_without_loss_is_decoded_exactly() -> None:
    assert np.array_equal(decode(encoded(WHOLE, "WEBP", lossless=True)).pixels[..., :3], WHOLE)


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_what_was_encoded_with_loss_is_about_the_same(kind: str) -> None:
    pixels = decode(encoded(WHOLE, kind, quality=95)).pixels
    assert np.abs(pixels[..., :3].astype(int) - WHOLE).mean() < 4


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "BMP"])
def test_grey_has_three_equal_channels(kind: str) -> None:
    grey = WHOLE[..., 0]
    pixels = decode(encoded(grey, kind, **{"quality": 100} if kind == "JPEG" else {})).pixels
    assert pixels.shape == (40, 60, 3)
    assert np.ptp(pixels, axis=2).max() == 0
    assert np.abs(pixels[..., 0].astype(int) - grey).max() <= (0 if kind != "JPEG" else 3)


def test_a_bit_is_black_or_white() -> None:
    bits = WHOLE[..., 0] > 128
    assert np.array_equal(decode(encoded(Image.fromarray(bits))).pixels[..., 1], np.where(bits, 255, 0))


def test_16_bits_are_divided_by_257() -> None:
    values = np.arange(0, 65536, 13, dtype=np.uint16)[: 71 * 71].reshape(71, 71)
    grey = decode(encoded(values)).pixels
    assert np.array_equal(grey[..., 0], np.rint(values / 257).astype(np.uint8))
    assert np.array_equal(decode(png_16_bit(values)).pixels, grey)
    assert np.array_equal(decode(encoded(values, "TIFF")).pixels, grey)
    assert decode(png_16_bit(values)).note == ""


def test_of_16_bits_in_colour_pillow_keeps_the_upper_byte() -> None:
    values = np.stack([np.arange(0, 65536, 127, dtype=np.uint16)] * 3, axis=1)[None]
    pixels = decode(png_16_bit(values)).pixels
    assert np.abs(pixels - values / 257).max() <= 1
    assert (pixels[0, 0, 0], pixels[0, -1, 0]) == (0, 255)


def test_decode_float_image_scales_to_black_and_white_with_a_note() -> None:
    values = np.array([[-1.5, 0, np.nan], [np.inf, 2.5, -np.inf]], np.float32)
    decoded = decode(encoded(values, "TIFF"))
    assert decoded.pixels[..., 0].tolist() == [[0, 96, 0], [255, 255, 0]]
    assert decoded.note == "black is -1.5, white 2.5"
    assert decode(encoded(np.full((2, 2), 7, np.int32), "TIFF")).pixels.max() == 0


def test_transparency_is_a_fourth_channel_however_it_is_written() -> None:
    clear = photo(8, 8, alpha=True)
    assert np.array_equal(decode(encoded(clear)).pixels, clear)
    grey = Image.fromarray(clear[..., 0]).convert("LA")
    grey.putalpha(Image.fromarray(clear[..., 3]))
    assert np.array_equal(decode(encoded(grey)).pixels[..., 3], clear[..., 3])
    palette = Image.fromarray(np.arange(64, dtype=np.uint8).reshape(8, 8)).convert("P")
    drawn = decode(encoded(palette, transparency=5)).pixels
    assert np.argwhere(drawn[..., 3] == 0).tolist() == [[0, 5]]
    marked = png(2, 1, 8, 2, b"\0" + bytes([9, 9, 9, 1, 2, 3]), png_chunk(b"tRNS", bytes([0, 1, 0, 2, 0, 3])))
    assert decode(marked).pixels[0, :, 3].tolist() == [255, 0]
    assert decode(encoded(WHOLE)).pixels.shape[2] == 3


def test_cmyk_is_shown_in_rgb() -> None:
    data = encoded(Image.fromarray(WHOLE).convert("CMYK"), "JPEG", quality=95)
    assert np.abs(decode(data).pixels.astype(int) - WHOLE).mean() < 4


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_pictures_are_set_upright(kind: str, orientation: int) -> None:
    scene = np.zeros((16, 32, 3), np.uint8)
    scene[:8, :16] = 255  # bright at the upper left
    back = {1: None, 2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}[orientation]
    lain = Image.fromarray(scene) if back is None else Image.fromarray(scene).transpose(Image.Transpose(back))
    decoded = decode(encoded(lain, kind, exif=lying(orientation)))
    assert decoded.header.size == (32, 16)
    assert decoded.pixels.shape[:2] == (16, 32)
    assert np.abs(decoded.pixels[..., :3].astype(int) - scene).mean() < 10
    small = decode(encoded(lain, kind, exif=lying(orientation)), enough=(16, 4))
    assert small.pixels.shape[0] < 16 or small.pixels.shape[:2] == (16, 32)
    assert small.pixels.shape[1] == 2 * small.pixels.shape[0]


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_deflate", "jpeg", "packbits"])
def test_open_picture_compressed_tiff_is_refused(compression: str) -> None:
    with pytest.raises(PictureError, match="this TIFF image is compressed; only uncompressed ones are shown"):
        decode(encoded(WHOLE, "TIFF", compression=compression))


# Less than all


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF"])
def test_a_large_picture_is_brought_down_to_no_less_than_is_enough(kind: str) -> None:
    whole = photo(480, 640)
    decoded = decode(encoded(whole, kind), enough=(60, 40))
    height, width = decoded.pixels.shape[:2]
    assert 60 <= width < 120 or 40 <= height < 80
    assert width >= 60
    assert height >= 40
    assert decoded.header.size == (640, 480)
    assert (
        np.abs(decoded.crop((0, 0, 640, 480), 8, 6)[..., :3].astype(int) - resize(whole, (0, 0, 640, 480), 8, 6)).max()
        < 24
    )


def test_a_small_picture_is_never_enlarged_by_decoding() -> None:
    assert decode(encoded(WHOLE), enough=(500, 500)).pixels.shape == WHOLE.shape


def test_a_part_is_told_in_pixels_of_the_file() -> None:
    corners = np.zeros((64, 64, 3), np.uint8)
    corners[:32, 32:] = 200
    decoded = decode(encoded(corners), enough=(8, 8))
    assert decoded.pixels.shape == (8, 8, 3)
    assert decoded.crop((32, 0, 64, 32), 3, 3).tolist() == np.full((3, 3, 3), 200).tolist()
    assert decoded.crop((0, 0, 32, 64), 2, 2).max() == 0


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 2), (60, 40), (61, 39), (120, 80), (90, 70), (500, 3)])
def test_a_picture_of_one_colour_is_so_in_any_size(width: int, height: int) -> None:
    one = np.full((40, 60, 4), [10, 20, 30, 255], np.uint8)
    assert np.array_equal(
        resize(one, (3.3, 1.7, 51.2, 33.9), width, height), np.broadcast_to(one[0, 0], (height, width, 4))
    )


def test_shrinking_takes_means_so_that_nothing_is_left_out() -> None:
    grid = np.zeros((100, 100, 3), np.uint8)
    grid[37, :] = 255
    small = resize(grid, (0, 0, 100, 100), 10, 10)
    assert small[3, :, 0].tolist() == [26] * 10 or small[3, :, 0].tolist() == [25] * 10
    assert small.sum(axis=(1, 2)).nonzero()[0].tolist() == [3]


def test_whole_factors_make_squares_of_pixels() -> None:
    tiny = photo(3, 4)
    assert np.array_equal(resize(tiny, (0, 0, 4, 3), 20, 15), tiny.repeat(5, axis=0).repeat(5, axis=1))


def test_other_factors_share_pixels_evenly() -> None:
    stripes = np.tile(np.array([0, 255], np.uint8)[None, :, None], (1, 14, 3))  # 28 columns
    wide = resize(stripes, (0, 0, 28, 1), 42, 1)[0, :, 0]
    assert wide[:6].tolist() == [0, 128, 255, 0, 128, 255] or wide[:6].tolist() == [0, 127, 255, 0, 127, 255]


def test_only_what_is_seen_is_looked_at() -> None:
    picture = np.zeros((50, 50, 3), np.uint8)
    picture[20:30, 20:30] = photo(10, 10)
    assert np.array_equal(resize(picture, (20, 20, 30, 30), 10, 10), picture[20:30, 20:30])


@given(
    st.tuples(*[st.floats(-20, 80)] * 4),
    st.integers(1, 90),
    st.integers(1, 90),
    npst.arrays(
        np.uint8, st.tuples(st.integers(1, 12), st.integers(1, 12), st.sampled_from([3, 4])), elements=st.just(255)
    ),
)
def test_any_part_of_any_picture_fits_any_room(
    box: tuple[float, float, float, float], width: int, height: int, pixels: np.ndarray
) -> None:
    out = resize(pixels, box, width, height)
    assert out.shape == (height, width, pixels.shape[2])
    assert out.min() == 255


# Damage


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "PPM"])
def test_of_a_picture_that_is_cut_short_the_beginning_is_shown(kind: str) -> None:
    whole = photo(200, 200)
    data = encoded(whole, kind)
    decoded = decode(data[: len(data) // 2])
    assert decoded.note == "cut short"
    assert decoded.pixels.shape == (200, 200, 3)
    assert np.abs(decoded.pixels[:40].astype(int) - whole[:40]).mean() < 6
    assert decoded.pixels[-20:].max() == 0


def test_of_a_bmp_that_is_cut_short_the_end_is_shown() -> None:
    whole = photo(200, 200)
    decoded = decode(encoded(whole, "BMP")[: whole.nbytes // 2])
    assert decoded.note == "cut short"
    assert np.array_equal(decoded.pixels[110:], whole[110:])


def test_a_gif_that_is_cut_short_shows_its_beginning() -> None:
    data = encoded(photo(200, 200), "GIF")
    decoded = decode(data[: len(data) // 2])
    assert decoded.note == "cut short"
    assert len(np.unique(decoded.pixels[:40].reshape(-1, 3), axis=0)) > 20


def test_what_follows_damage_is_not_shown() -> None:
    whole = photo(200, 200)
    data = bytearray(encoded(whole))
    middle = len(data) // 2
    data[middle : middle + 40] = bytes(40)
    decoded = decode(bytes(data))
    assert decoded.note in ("damaged", "cut short")
    assert np.array_equal(decoded.pixels[:40], whole[:40])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "TIFF"])
def test_a_header_alone_is_refused(kind: str) -> None:
    data = encoded(photo(64, 64), kind)
    with pytest.raises(PictureError, match=r"^this "):
        decode(data[:200] if kind == "JPEG" else data[:60])


def test_wrong_checksums_are_forgiven_where_the_pixels_are_there() -> None:
    data = bytearray(encoded(WHOLE))
    data[-1] ^= 1  # of the last chunk, which holds nothing
    assert np.array_equal(decode(bytes(data)).pixels, WHOLE)


def flipped(data: st.DataObject, whole: bytes) -> bytes:
    out = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        out[data.draw(st.integers(0, len(out) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    return bytes(out)


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_flipped_bits_are_decoded_or_refused_and_nothing_else(kind: str, data: st.DataObject) -> None:
    decoded_or_refused(flipped(data, KINDS[kind]))


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_a_file_that_ends_anywhere_is_decoded_or_refused(kind: str, data: st.DataObject) -> None:
    decoded_or_refused(KINDS[kind][: data.draw(st.integers(0, len(KINDS[kind])))])


@given(st.sampled_from(sorted(KINDS)), st.integers(8, 60), st.binary(max_size=200))
def test_garbage_behind_a_header_is_decoded_or_refused(kind: str, kept: int, garbage: bytes) -> None:
    decoded_or_refused(KINDS[kind][:kept] + garbage)


def decoded_or_refused(data: bytes) -> None:
    try:
        decoded = decode(data, enough=(4, 4))
    except PictureError as error:
        refused = str(error)
    else:
        assert decoded.pixels.dtype == np.uint8
        assert decoded.pixels.ndim == 3
        assert decoded.pixels.shape[2] in (3, 4)
        return
    assert refused.startswith("this ")
    assert "\n" not in refused


def test_nothing_is_said_on_stderr_and_memory_stays_bounded() -> None:
    """In a process of its own, since Pillow takes room that Python does not know of."""
    code = """
import random, resource, sys
sys.path[:0] = sys.argv[1:]
from tests.helpers.image_files import encoded, photo, animation
from test_picture_headers import KINDS, huge
from tbtui.terminal_images.decode import Frames
from tbtui.terminal_images.decode import PictureError, decode
chance = random.Random(4)
packed = encoded(photo(30, 30), "TIFF", compression="tiff_deflate")
limit = (3 << 28) + resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
pictures = [*KINDS.values(), packed, *(huge(kind) for kind in ("PNG", "JPEG", "GIF", "BMP", "PPM", "TIFF"))]
for data in pictures * 60:
    damaged = bytearray(data)
    for _ in range(chance.randrange(4)):
        damaged[chance.randrange(min(len(damaged), 200))] = chance.choice((0, 1, 127, 128, 255))
    for work in (decode, lambda data: Frames(data).at(1)):
        try:
            work(bytes(damaged))
        except PictureError:
            pass
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
sys.exit(f"took {most >> 20} MB" if most > limit else 0)
"""
    paths = [str(path) for path in sys.path if "tests" in path or "graphics" in path]
    done = subprocess.run([sys.executable, "-c", code, *paths], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


def test_an_animation_shows_its_first_frame() -> None:
    pixels = decode(animation("GIF", 3)).pixels
    assert pixels[5, 5].tolist()[:3] == [80, 80, 80]
    assert pixels[0, 0].tolist()[:3] == [255, 255, 255]


@given(npst.arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(1, 4)), elements=st.floats(width=32)))
def test_any_numbers_become_greys_of_their_order(values: np.ndarray) -> None:
    pixels = decode(encoded(values, "TIFF")).pixels[..., 0]
    finite = np.isfinite(values)
    if finite.any() and np.ptp(values[finite].astype(float)) > 1e-30:
        assert (pixels[finite].min(), pixels[finite].max()) == (0, 255)
    order = np.argsort(values[finite], kind="stable")
    assert (np.diff(pixels[finite][order].astype(int)) >= 0).all()
