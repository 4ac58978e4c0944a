"""Networks that count.

``lstm_counter``
    Every real-time counter machine as an LSTM; ``lstm_languages`` has small ones.
``branch_program``
    a^n b^n by counting in one number, without bound or between 0 and 1; programs over counters.
``window_twins``
    What QRNNs cannot count: two words that they do not tell apart.
"""
