"""Pictures, drawn by matplotlib, which is imported when the first one is drawn. Nothing is computed here.

A picture is the file ``NAME_plot``, or ``precision_map``. What they share: ``looks`` (colours and sizes, axes of
word lengths, long series of large numbers), ``picture_file`` (figures and files), ``notebook_figure``.
``tape_player``, ``cantor_stack_page``, ``collapse_page``, ``orbit_page``, ``scan_page`` and ``automaton_page`` are
pages of HTML that one plays with, in the frame of ``page``; they need no matplotlib. ``tape_film`` and
``cantor_stack_film`` are films for slides, which ``film_file`` saves.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
