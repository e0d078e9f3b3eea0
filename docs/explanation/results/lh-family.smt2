; Bits of LH, which say whether a report supports a value,
; at the larger budget, s, are refined to those at the smaller, t,
; for all s >= t >= 1 and all real g >= 2 buckets; t = e^(epsilon'/2).
; s = e^(epsilon/2), u = e^(epsilon theta/2). Refinement of bits is Lemma 1 (3), multiplied out.
; Expected: unsat. Unsat means that there is no counterexample: the statement holds for all values.
; Exported by qifldp prove.
(set-logic QF_NRA)
(set-info :status unsat)
(declare-fun s () Real)
(declare-fun t () Real)
(declare-fun g () Real)
(assert (>= (+ t (- 1)) 0))
(assert (>= (+ s (* (- 1) t)) 0))
(assert (>= (+ g (- 2)) 0))
(assert (not (and (not (= (+ (* s s t t g) (* s s g g) (* (- 1) s s g) (* t t g g) (* (- 1) t t g) (* g g g) (* (- 2) g g) g) 0)) (and (>= (+ (* s s s s t t g g g) (* (- 2) s s s s t t g g) (* s s s s t t g) (* s s s s g g g g) (* (- 3) s s s s g g g) (* 3 s s s s g g) (* (- 1) s s s s g) (* (- 1) s s t t t t g g g) (* 2 s s t t t t g g) (* (- 1) s s t t t t g) (* s s g g g g g) (* (- 4) s s g g g g) (* 6 s s g g g) (* (- 4) s s g g) (* s s g) (* (- 1) t t t t g g g g) (* 3 t t t t g g g) (* (- 3) t t t t g g) (* t t t t g) (* (- 1) t t g g g g g) (* 4 t t g g g g) (* (- 6) t t g g g) (* 4 t t g g) (* (- 1) t t g)) 0) (>= (+ (* s s s s t t g g) (* (- 1) s s s s t t g) (* s s s s g g g) (* (- 2) s s s s g g) (* s s s s g) (* (- 1) s s t t t t g g) (* s s t t t t g) (* s s g g g g) (* (- 3) s s g g g) (* 3 s s g g) (* (- 1) s s g) (* (- 1) t t t t g g g) (* 2 t t t t g g) (* (- 1) t t t t g) (* (- 1) t t g g g g) (* 3 t t g g g) (* (- 3) t t g g) (* t t g)) 0)))))
(check-sat)
