"""Networks that count.

``lstm_counter``
    Every real-time counter machine as an LSTM; ``lstm_languages`` has small ones, and ``gated_cells`` what they share.
``counters``
    a^n b^n by counting in one number, without bound or between 0 and 1.
``branch_program``
    Programs over counters, with integer weights.
``window_twins``
    Why QRNNs cannot count: two words that they do not tell apart.
"""
