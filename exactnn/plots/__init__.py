"""Pictures, drawn by matplotlib, which is imported when the first one is drawn. Nothing is computed here.

A picture is the file ``NAME_plot``, or ``precision_map``. What they share: ``looks`` (colours and sizes, axes of
word lengths, long series of large numbers), ``picture_file`` (figures and files), ``notebook_figure``.
``tape_player``, ``cantor_stack_page``, ``collapse_page``, ``orbit_page``, ``scan_page`` and ``automaton_page`` are
pages of HTML that one plays with, in the frame of ``page``; they need no matplotlib. ``tape_film`` and
``cantor_stack_film`` are films for slides, which ``film_file`` saves.
"""

from exactnn.plots.automaton_page import automaton_page
from exactnn.plots.cantor_stack_film import cantor_stack_film
from exactnn.plots.cantor_stack_page import cantor_stack_page
from exactnn.plots.cantor_stack_plot import plot_cantor_stack
from exactnn.plots.check_plot import plot_check_format
from exactnn.plots.collapse_page import collapse_page
from exactnn.plots.collapse_plot import plot_collapse
from exactnn.plots.contraction_plot import plot_contraction
from exactnn.plots.counter_plot import plot_counters
from exactnn.plots.depth_parameters_plot import plot_depth_parameters
from exactnn.plots.error_growth_plot import plot_error_growth
from exactnn.plots.film_file import FILM_ENDINGS, check_film_file
from exactnn.plots.gradient_growth_plot import plot_gradient_growth
from exactnn.plots.machine_plot import plot_machine
from exactnn.plots.orbit_page import orbit_page
from exactnn.plots.picture_file import check_picture_file, save_picture
from exactnn.plots.precision_map import differ_by_precision, plot_precision_map
from exactnn.plots.required_bits_plot import plot_required_bits
from exactnn.plots.scan_page import scan_page
from exactnn.plots.space_time_plot import plot_space_time
from exactnn.plots.stack_plot import plot_stack
from exactnn.plots.state_growth_plot import plot_state_growth
from exactnn.plots.tape_film import tape_film
from exactnn.plots.tape_player import tape_player

__all__ = [
    "FILM_ENDINGS",
    "automaton_page",
    "cantor_stack_film",
    "cantor_stack_page",
    "check_film_file",
    "check_picture_file",
    "collapse_page",
    "differ_by_precision",
    "orbit_page",
    "plot_cantor_stack",
    "plot_check_format",
    "plot_collapse",
    "plot_contraction",
    "plot_counters",
    "plot_depth_parameters",
    "plot_error_growth",
    "plot_gradient_growth",
    "plot_machine",
    "plot_precision_map",
    "plot_required_bits",
    "plot_space_time",
    "plot_stack",
    "plot_state_growth",
    "save_picture",
    "scan_page",
    "tape_film",
    "tape_player",
]
