"""How cards stand in a picture of several charts, and how many a picture takes."""

from __future__ import annotations

from tbtui.frozen import frozen

ONE_WIDTH, ONE_HEIGHT = 80, 24
"""Columns and rows of a picture of one chart: in a column of a paper its text is then about as large as a caption's."""

CARD_WIDTH, CARD_HEIGHT = 58, 17
"""Of each card, where there are several."""

ACROSS = 2
"""Cards side by side."""

LEAST_WIDTH, LEAST_HEIGHT = 24, 7
"""Of a card that says anything."""

MOST_CARDS = 60
"""Cards of a picture that anybody looks at."""

MOST_CELLS = 80_000
"""Columns times rows of a picture; as a PNG it has 46 megapixels."""


class BadPictureError(Exception):
    """What is asked for is no picture that can be made: too much, or too little room.

    The text of the error is one plain sentence.
    """


@frozen
class Grid:
    """Where cards stand."""

    across: int
    width: int
    height: int
    card_height: int

    @staticmethod
    def of(count: int, width: int | None, height: int | None) -> Grid:
        """A grid of so many cards.

        Raises:
            BadPictureError: They do not fit.
        """
        if count > MOST_CARDS:
            raise BadPictureError(
                f"{count:,} charts match, and a picture takes {MOST_CARDS}: choose with --tags, --runs or --max-tags"
            )
        across = min(ACROSS, count)
        if width is None:
            width = ONE_WIDTH if count == 1 else across * CARD_WIDTH
        elif count > 1:
            across = max(1, min(count, round(width / CARD_WIDTH)))
        if height is None:
            height = ONE_HEIGHT if count == 1 else CARD_HEIGHT
        if width // across < LEAST_WIDTH or height < LEAST_HEIGHT:
            least = f"{across * LEAST_WIDTH} columns and {LEAST_HEIGHT} rows for each chart"
            raise BadPictureError(f"there is no room for a picture in {width} x {height}: it needs {least}")
        return Grid(across, width, -(-count // across) * height, height)

    def check(self, rows: int) -> None:
        """See that the grid, and so many rows below it, are no more than a picture takes.

        Raises:
            BadPictureError: They are.
        """
        if self.width * (self.height + rows) > MOST_CELLS:
            size = f"{self.width} x {self.height + rows}"
            raise BadPictureError(f"a picture has at most {MOST_CELLS:,} cells, and {size} are more")

    def place(self, index: int) -> tuple[int, int, int, int]:
        """Row, column, width and height of a card."""
        row, column = divmod(index, self.across)
        left = column * self.width // self.across
        return row * self.card_height, left, (column + 1) * self.width // self.across - left, self.card_height
