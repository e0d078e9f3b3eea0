; SS of one size o over k values at e^epsilon = r is refined to SS of
; that size at t, for all r >= t > 1 and 1 <= o <= k - 1:
; the noise that keeps the reported set with probability w, and else draws any set of that size, is a channel,
; and gives the right chance that the set holds the true value.
; Expected: unsat. Unsat means that there is no counterexample: the statement holds for all values.
; Exported by qifldp prove.
(set-logic QF_NRA)
(set-info :status unsat)
(declare-fun r () Real)
(declare-fun t () Real)
(declare-fun k () Real)
(declare-fun o () Real)
(declare-fun w () Real)
(assert (> (+ t (- 1)) 0))
(assert (>= (+ r (* (- 1) t)) 0))
(assert (>= (+ o (- 1)) 0))
(assert (>= (+ k (* (- 1) o) (- 1)) 0))
(assert (not (and (not (= (+ (* r t o) (* r k) (* (- 1) r o) (* (- 1) t o) (* (- 1) k) o) 0)) (not (= (+ (* r t k o o) (* r k k o) (* (- 1) r k o o) (* t k k o) (* (- 1) t k o o) (* k k k) (* (- 2) k k o) (* k o o)) 0)) (and (>= (+ (* r r t t o o) (* r r t k o) (* (- 2) r r t o o) (* (- 1) r r k o) (* r r o o) (* r t t k o) (* (- 2) r t t o o) (* r t k k) (* (- 4) r t k o) (* 4 r t o o) (* (- 1) r k k) (* 3 r k o) (* (- 2) r o o) (* (- 1) t t k o) (* t t o o) (* (- 1) t k k) (* 3 t k o) (* (- 2) t o o) (* k k) (* (- 2) k o) (* o o)) 0) (>= (+ (* r r t k o) (* r r k k) (* (- 1) r r k o) (* (- 1) r t t k o) (* (- 1) r t k k) (* (- 1) r k k) (* r k o) (* t t k o) (* t k k) (* (- 1) t k o)) 0) (and (not (= (+ (* r t o) (* r k) (* (- 1) r o) (* (- 1) t o) (* (- 1) k) o) 0)) (not (and (= (+ (* r t o w) (* (- 1) r t o) (* r k w) (* (- 1) r o w) (* r o) (* (- 1) t k) (* (- 1) t o w) (* t o) (* (- 1) k w) k (* o w) (* (- 1) o)) 0) (not (and (= (+ (* r t k o o w) (* (- 1) r t k o o) (* (- 1) r t o o o w) (* r t o o o) (* r k k o w) (* (- 2) r k o o w) (* r k o o) (* r o o o w) (* (- 1) r o o o) (* (- 1) t k k o) (* (- 1) t k o o w) (* 2 t k o o) (* t o o o w) (* (- 1) t o o o) (* (- 1) k k o w) (* k k o) (* 2 k o o w) (* (- 2) k o o) (* (- 1) o o o w) (* o o o)) 0))))))))))
(check-sat)
