;;; palindromes over a and b: compares both ends
0 a _ r a-seen
0 b _ r b-seen
0 _ _ * halt-accept
a-seen _ _ l a-back
a-seen * * r *
b-seen _ _ l b-back
b-seen * * r *
a-back a _ l return
a-back _ _ * halt-accept2
a-back b b * halt-reject
b-back b _ l return
b-back _ _ * halt-accept2
b-back a a * halt-reject
return _ _ r 0
return * * l *
