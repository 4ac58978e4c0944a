"""Networks with a real number among their parameters: any language (`language_in_a_weight`), and how far a format gets
with it (`decided_words`)."""
