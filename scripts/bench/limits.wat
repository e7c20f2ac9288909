;; What this machine's memory can do from WebAssembly, one thread: the limits that rows of the
;; bench are measured against. Addresses and sizes in bytes.
(module
  (import "bench" "memory" (memory 1))

  ;; Store one vector everywhere. `bytes` is a multiple of 64.
  (func (export "fill") (param $to i32) (param $bytes i32) (param $value f32)
    (local $end i32)
    (local $vector v128)
    (local.set $end (i32.add (local.get $to) (local.get $bytes)))
    (local.set $vector (f32x4.splat (local.get $value)))
    (loop $next
      (v128.store offset=0 (local.get $to) (local.get $vector))
      (v128.store offset=16 (local.get $to) (local.get $vector))
      (v128.store offset=32 (local.get $to) (local.get $vector))
      (v128.store offset=48 (local.get $to) (local.get $vector))
      (local.set $to (i32.add (local.get $to) (i32.const 64)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $end)))))

  (func (export "copy") (param $to i32) (param $from i32) (param $bytes i32)
    (memory.copy (local.get $to) (local.get $from) (local.get $bytes)))

  ;; Read every vector once and add them up. `bytes` is a multiple of 64.
  (func (export "read") (param $from i32) (param $bytes i32) (result f32)
    (local $end i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $from) (local.get $bytes)))
    (loop $next
      (local.set $a (f32x4.add (local.get $a) (v128.load offset=0 (local.get $from))))
      (local.set $b (f32x4.add (local.get $b) (v128.load offset=16 (local.get $from))))
      (local.set $c (f32x4.add (local.get $c) (v128.load offset=32 (local.get $from))))
      (local.set $d (f32x4.add (local.get $d) (v128.load offset=48 (local.get $from))))
      (local.set $from (i32.add (local.get $from) (i32.const 64)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end))))
    (f32x4.extract_lane 0
      (f32x4.add
        (f32x4.add (local.get $a) (local.get $b))
        (f32x4.add (local.get $c) (local.get $d)))))

  ;; Row ids[t] of a table to row t, for `count` ids (int32, at least one).
  (func (export "gather")
    (param $to i32) (param $table i32) (param $ids i32) (param $count i32) (param $row i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $ids) (i32.mul (local.get $count) (i32.const 4))))
    (loop $next
      (memory.copy
        (local.get $to)
        (i32.add (local.get $table) (i32.mul (i32.load (local.get $ids)) (local.get $row)))
        (local.get $row))
      (local.set $to (i32.add (local.get $to) (local.get $row)))
      (local.set $ids (i32.add (local.get $ids) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $ids) (local.get $end)))))

  ;; Add a product to each of twelve vectors of floats, `turns` times: 48 multiply-adds a turn.
  (func (export "multiplyAddFloats") (param $turns i32) (result i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $e v128) (local $f v128)
    (local $g v128) (local $h v128) (local $i v128) (local $j v128) (local $k v128) (local $l v128)
    (local $x v128)
    (local.set $x (f32x4.splat (f32.const 1e-9)))
    (loop $next
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $x) (v128.load offset=0 (i32.const 0)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $x) (v128.load offset=16 (i32.const 0)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $x) (v128.load offset=32 (i32.const 0)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $x) (v128.load offset=48 (i32.const 0)))))
      (local.set $e (f32x4.add (local.get $e) (f32x4.mul (local.get $x) (v128.load offset=64 (i32.const 0)))))
      (local.set $f (f32x4.add (local.get $f) (f32x4.mul (local.get $x) (v128.load offset=80 (i32.const 0)))))
      (local.set $g (f32x4.add (local.get $g) (f32x4.mul (local.get $x) (v128.load offset=96 (i32.const 0)))))
      (local.set $h (f32x4.add (local.get $h) (f32x4.mul (local.get $x) (v128.load offset=112 (i32.const 0)))))
      (local.set $i (f32x4.add (local.get $i) (f32x4.mul (local.get $x) (v128.load offset=128 (i32.const 0)))))
      (local.set $j (f32x4.add (local.get $j) (f32x4.mul (local.get $x) (v128.load offset=144 (i32.const 0)))))
      (local.set $k (f32x4.add (local.get $k) (f32x4.mul (local.get $x) (v128.load offset=160 (i32.const 0)))))
      (local.set $l (f32x4.add (local.get $l) (f32x4.mul (local.get $x) (v128.load offset=176 (i32.const 0)))))
      (local.set $turns (i32.sub (local.get $turns) (i32.const 1)))
      (br_if $next (local.get $turns)))
    (i32x4.extract_lane 0
      (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (local.get $a) (local.get $b)) (local.get $c)) (local.get $d)) (local.get $e)) (local.get $f)) (local.get $g)) (local.get $h)) (local.get $i)) (local.get $j)) (local.get $k)) (local.get $l))))

  ;; The same in double: 24 multiply-adds a turn.
  (func (export "multiplyAddDoubles") (param $turns i32) (result i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $e v128) (local $f v128)
    (local $g v128) (local $h v128) (local $i v128) (local $j v128) (local $k v128) (local $l v128)
    (local $x v128)
    (local.set $x (f64x2.splat (f64.const 1e-9)))
    (loop $next
      (local.set $a (f64x2.add (local.get $a) (f64x2.mul (local.get $x) (v128.load offset=0 (i32.const 0)))))
      (local.set $b (f64x2.add (local.get $b) (f64x2.mul (local.get $x) (v128.load offset=16 (i32.const 0)))))
      (local.set $c (f64x2.add (local.get $c) (f64x2.mul (local.get $x) (v128.load offset=32 (i32.const 0)))))
      (local.set $d (f64x2.add (local.get $d) (f64x2.mul (local.get $x) (v128.load offset=48 (i32.const 0)))))
      (local.set $e (f64x2.add (local.get $e) (f64x2.mul (local.get $x) (v128.load offset=64 (i32.const 0)))))
      (local.set $f (f64x2.add (local.get $f) (f64x2.mul (local.get $x) (v128.load offset=80 (i32.const 0)))))
      (local.set $g (f64x2.add (local.get $g) (f64x2.mul (local.get $x) (v128.load offset=96 (i32.const 0)))))
      (local.set $h (f64x2.add (local.get $h) (f64x2.mul (local.get $x) (v128.load offset=112 (i32.const 0)))))
      (local.set $i (f64x2.add (local.get $i) (f64x2.mul (local.get $x) (v128.load offset=128 (i32.const 0)))))
      (local.set $j (f64x2.add (local.get $j) (f64x2.mul (local.get $x) (v128.load offset=144 (i32.const 0)))))
      (local.set $k (f64x2.add (local.get $k) (f64x2.mul (local.get $x) (v128.load offset=160 (i32.const 0)))))
      (local.set $l (f64x2.add (local.get $l) (f64x2.mul (local.get $x) (v128.load offset=176 (i32.const 0)))))
      (local.set $turns (i32.sub (local.get $turns) (i32.const 1)))
      (br_if $next (local.get $turns)))
    (i32x4.extract_lane 0
      (f64x2.add (f64x2.add (f64x2.add (f64x2.add (f64x2.add (f64x2.add (f64x2.add (f64x2.add (f64x2.add (f64x2.add (f64x2.add (local.get $a) (local.get $b)) (local.get $c)) (local.get $d)) (local.get $e)) (local.get $f)) (local.get $g)) (local.get $h)) (local.get $i)) (local.get $j)) (local.get $k)) (local.get $l)))))
