// Quads moved as vectors of four words, wherever their words lie. ${WORDS} vectors are a quad's own:
// the one where its first word lies, and those after it. Where that word is not the vector's first,
// the quad's last words lie in the vector after its own, which is the first own one of the quad after
// it in memory. Lanes that are neighbours move vectors that are: so they fill whole lines of memory at
// once. What a lane lacks of its quad another one has, and they exchange it.
//
// Of halves a quad is one vector of two words, and begins where a vector does.
#if HALF_OUTPUT
alias Vector = vec2<u32>;
#else
alias Vector = vec4<u32>;
#endif

// A vector of the input. What is past the end is anything.
#if IN_PLACE
fn input_vector(i: u32) -> Vector { return output[i]; }
#else
#if SAME_BUFFER
@group(0) @binding(1) var<storage, read_write> input: array<Vector>;
#else
@group(0) @binding(1) var<storage, read> input: array<Vector>;
#endif
fn input_vector(i: u32) -> Vector { return input[i]; }
#endif
@group(0) @binding(${OUTPUT}) var<storage, read_write> output: array<Vector>;

#if HALF_OUTPUT
fn vector_of(x0: Element, x1: Element, x2: Element, x3: Element) -> Vector {
  return Vector(lower(x0) | (lower(x1) << 16u), lower(x2) | (lower(x3) << 16u));
}
#endif

// Vector number v of those that scan order meets from a quad's own on; in_block and out_block are where
// the own vectors of quad 0 begin.
fn in_vector(quad: u32, v: u32) -> u32 {
#if REVERSE
  return params.in_block + ${WORDS - 1}u - (quad * ${WORDS}u + v);
#else
  return params.in_block + quad * ${WORDS}u + v;
#endif
}
fn out_vector(quad: u32, v: u32) -> u32 {
#if REVERSE
  return params.out_block + ${WORDS - 1}u - (quad * ${WORDS}u + v);
#else
  return params.out_block + quad * ${WORDS}u + v;
#endif
}

#if PAIRED_LANES
// Two rows of vectors, each the halves of 16 quads; or two of quads' first and second halves, in the
// lanes of lib/subgroup32.wgsl. One from the other: a lane has one half already, its pair the other.
struct Pair {
  first: vec4<u32>,
  second: vec4<u32>,
}

fn halves_of_quads(first: vec4<u32>, second: vec4<u32>, place: u32) -> Pair {
  let is_odd = (place & 1u) != 0u;
  let given = select(second, first, is_odd);
  var got = vec4<u32>();
#repeat c 4
  got[$c] = shuffle_word(given[$c], place ^ 1u);
#end
  return Pair(select(first, got, is_odd), select(got, second, is_odd));
}
#endif

#if !HALF_OUTPUT
// Four words of two vectors that are neighbours in memory, from word 1, 2 or 3 on.
fn from_word_1(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> { return vec4<u32>(a.yzw, b.x); }
fn from_word_2(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> { return vec4<u32>(a.zw, b.xy); }
fn from_word_3(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> { return vec4<u32>(a.w, b.xyz); }
#endif

// How far it is to the lane whose vector comes after a lane's own in memory; the lanes whose vectors are
// first and last in a row of them.
#if REVERSE
const to_next = 31u;
const first_lane = 31u;
const last_lane = 0u;
#else
const to_next = 1u;
const first_lane = 0u;
const last_lane = 31u;
#endif

#if IN_SHIFT
// What the vector after each lane's own has in its first ${IN_SHIFT} words, in a row of vectors `x`; the one
// after the last is in another row, `beyond`.
fn from_next(x: vec4<u32>, beyond: vec4<u32>, place: u32) -> vec4<u32> {
  let given = select(x, beyond, place == first_lane);
  let next = (place + to_next) % 32u;
  var got = vec4<u32>();
#repeat c IN_SHIFT
  got[$c] = shuffle_word(given[$c], next);
#end
  return got;
}
#endif

#if OUT_SHIFT
// Likewise what the vector before has in its last ${OUT_SHIFT} words.
fn from_previous(x: vec4<u32>, beyond: vec4<u32>, place: u32) -> vec4<u32> {
  let given = select(x, beyond, place == last_lane);
  let previous = (place + 32u - to_next) % 32u;
  var got = vec4<u32>();
#repeat c OUT_SHIFT
  got[${3 - c}] = shuffle_word(given[${3 - c}], previous);
#end
  return got;
}
#endif

#if REST
// The words at the end of the input that are no whole vector.
@group(0) @binding(${INPUT_WORDS}) var<storage, read> input_words: array<u32>;
fn input_rest() -> vec4<u32> {
  let at = params.in_last * 4u + 4u;
  return vec4<u32>(input_words[at], input_words[at + ${1 - (REST == 1)}u], input_words[at + ${REST - 1}u], 0u);
}
#endif

// Stores a vector of results; what lies past them, or before, is left alone. Where the output's
// binding ends before the words that are no whole vector, they go to `total` from word ${TAIL_AT} on.
fn put(at: u32, x: Vector) {
  if (at - params.out_first < params.out_whole) {
    output[at] = x;
  }
#if TAIL
  else if (at == params.out_first + params.out_whole) {
#repeat c TAIL
    total[${TAIL_AT + c}u] = x[$c];
#end
  }
#endif
#if EDGE
  else if (at == params.out_first + params.out_whole) {
#if HALF_OUTPUT
#repeat w EDGE / 2
    output[at][$w] = x[$w];
#end
#if EDGE % 2
    output[at][${EDGE / 2}] = (output[at][${EDGE / 2}] & 0xffff0000u) | (x[${EDGE / 2}] & 0xffffu);
#endif
#else
#repeat c EDGE
    output[at][$c] = x[$c];
#end
#endif
  }
#endif
#if HEAD
  else if (at == params.out_first - 1u) {
#repeat c 4 - HEAD
    output[at][${HEAD + c}] = x[${HEAD + c}];
#end
  }
#endif
}

#if PIECES
// Stores one word of results.
fn put_word(at: u32, c: u32, x: u32) {
  if (at * 4u + c - params.out_begin < params.out_words) {
#if TAIL
    if (at == params.out_first + params.out_whole) { total[${TAIL_AT}u + c] = x; } else { output[at][c] = x; }
#else
    output[at][c] = x;
#endif
  }
}
#endif
