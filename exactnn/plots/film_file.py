"""Pictures that move, as files for slides: which names are possible, and saving one by a writer of matplotlib."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from subprocess import CalledProcessError
from typing import TYPE_CHECKING, Any, TypeVar

from exactnn.errors import ExactnnError, MissingExtraError, OptionError, shown
from exactnn.files import new_file, write_file, written_elsewhere
from exactnn.interrupts import loaded
from exactnn.options import whole_number
from exactnn.plots.picture_file import SETTINGS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FILM_ENDINGS", "FILM_SIZE", "check_film_file", "checked_speed", "save_film"]

FILM_ENDINGS = (".gif", ".mp4")
"""What names of film files may end in."""
FILM_SIZE = (9.6, 5.4)
"""Of a slide, in inches."""
DOTS_PER_INCH = 100
MOST_FRAMES = 400
MOST_PER_SECOND = 30
HOLD = 2
"""Seconds for which a frame stays that is to be looked at."""
TOLD = ("-fflags", "+bitexact", "-flags:v", "+bitexact", "-pix_fmt", "yuv420p")
"""What ffmpeg is told: the same film is the same file, in colours that every player knows."""

Frame = TypeVar("Frame")


def check_film_file(path: object) -> None:
    """Check that a film can be made and saved as `path`, before anything is computed for it.

    Raises
    ------
    OptionError
        If the ending is not .gif or .mp4, or the folder does not exist.
    MissingExtraError
        If matplotlib is not installed, or for .mp4 neither ffmpeg nor imageio-ffmpeg.

    Examples
    --------
    >>> check_film_file("tape.svg")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: film 'tape.svg': name a file that ends in .gif or .mp4
    """
    ending = new_file("film", path, FILM_ENDINGS, error=OptionError).suffix.lower()
    new_figure(1, 1)
    if ending == ".mp4":
        _ffmpeg()


def checked_speed(per_second: Any) -> int:
    """Return how many frames a second has; raises OptionError if these are not 1 to 30."""
    return whole_number("per_second", per_second, least=1, most=MOST_PER_SECOND)


def save_film(
    figure: "Figure",
    frames: Iterable[tuple[Frame, bool]],
    draw: Callable[[Frame], object],
    path: str | os.PathLike[str],
    *,
    per_second: int,
    replace: bool = True,
) -> None:
    """Write a film of frames, which `draw` puts into the figure; a frame marked with True stays for two seconds.

    Raises
    ------
    OptionError
        If there are more than 400 frames, those that stay counted as often as they are shown, or it cannot be written.
    MissingExtraError
        As :func:`check_film_file`.
    """
    check_film_file(path)
    shots = [(frame, HOLD * per_second if stays else 1) for frame, stays in frames]
    total = sum(count for _, count in shots)
    if total > MOST_FRAMES:
        raise OptionError(
            f"{total:,} frames are too many for a film: give fewer steps, or fewer frames per second, for {MOST_FRAMES}"
        )
    ending = os.path.splitext(os.fspath(path))[1].lower()
    subject = f"film {shown(str(path))} cannot be written"
    figure.set_layout_engine("none")  # axes of a film stay where they are
    figure.set_dpi(DOTS_PER_INCH)
    canvas = loaded("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    screen = new_figure(*FILM_SIZE)  # shows each frame as an image: one that stays is drawn once
    animation = loaded("matplotlib.animation")
    settings = {} if ending == ".gif" else {"animation.ffmpeg_path": _ffmpeg()}

    def write(file: object) -> None:
        with SETTINGS, loaded("matplotlib").rc_context(settings):
            if ending == ".gif":
                writer = animation.PillowWriter(fps=per_second)
            else:
                writer = animation.FFMpegWriter(fps=per_second, codec="libx264", extra_args=list(TOLD))
            writer.setup(screen, os.fspath(file), DOTS_PER_INCH)  # type: ignore[call-overload]
            try:
                for frame, count in shots:
                    draw(frame)
                    canvas.draw()
                    screen.clear()
                    screen.figimage(canvas.buffer_rgba())
                    for _ in range(count):
                        writer.grab_frame()
            except BaseException:
                if ending == ".mp4":  # the program that waits for frames ends
                    with suppress(OSError, CalledProcessError):
                        writer.finish()
                raise
            writer.finish()

    try:
        content = written_elsewhere(f"film{ending}", write, error=OptionError, subject=subject)
    except CalledProcessError as failed:
        raise OptionError(f"{subject}: ffmpeg failed, {shown(str(failed))}: save a .gif") from None
    write_file(path, content, error=OptionError, subject=subject, replace=replace)


def _ffmpeg() -> str:
    """Return the program that writes .mp4: that of the machine, or the one of imageio-ffmpeg."""
    animation = loaded("matplotlib.animation")
    if animation.FFMpegWriter.isAvailable():
        return str(animation.FFMpegWriter.bin_path())
    try:
        return str(loaded("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise _no_ffmpeg() from None


def _no_ffmpeg() -> ExactnnError:
    return MissingExtraError("films as .mp4 need ffmpeg: install it, or pip install imageio-ffmpeg, or save a .gif")
