// Quads moved as vectors of four words, wherever their words lie. ${WORDS} vectors are a quad's own:
// the one where its first word lies, and those after it. Where that word is not the vector's first,
// the quad's last words lie in the vector after its own, which is the first own one of the quad after
// it in memory: another lane's. So lanes exchange what they lack, and each moves whole vectors.
//
// Of halves a quad is one vector of two words, and begins where a vector does.
#if HALF_OUTPUT
alias Vector = vec2<u32>;
#else
alias Vector = vec4<u32>;
#endif

// Vector v of a block. What is past the end is anything.
#if IN_PLACE
fn input_vector(block: u32, v: u32) -> Vector { return output[min(block, params.in_last) + v]; }
#else
#if SAME_BUFFER
@group(0) @binding(1) var<storage, read_write> input: array<Vector>;
#else
@group(0) @binding(1) var<storage, read> input: array<Vector>;
#endif
fn input_vector(block: u32, v: u32) -> Vector { return input[min(block, params.in_last) + v]; }
#endif
@group(0) @binding(${OUTPUT}) var<storage, read_write> output: array<Vector>;

#if HALF_OUTPUT
fn vector_of(x0: Element, x1: Element, x2: Element, x3: Element) -> Vector {
  return Vector(lower(x0) | (lower(x1) << 16u), lower(x2) | (lower(x3) << 16u));
}
#endif

// The own vectors of a quad begin at these; in_block and out_block are of quad 0.
fn in_block(quad: u32) -> u32 {
#if REVERSE
  return params.in_block - quad * ${WORDS}u;
#else
  return params.in_block + quad * ${WORDS}u;
#endif
}
fn out_block(quad: u32) -> u32 {
#if REVERSE
  return params.out_block - quad * ${WORDS}u;
#else
  return params.out_block + quad * ${WORDS}u;
#endif
}

#if !HALF_OUTPUT
// Four words of two vectors that are neighbours in memory, from word 1, 2 or 3 on.
fn from_word_1(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> { return vec4<u32>(a.yzw, b.x); }
fn from_word_2(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> { return vec4<u32>(a.zw, b.xy); }
fn from_word_3(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> { return vec4<u32>(a.w, b.xyz); }
#endif

// The lane that holds the quad after this one in memory, and the lane at whose end memory goes on in
// another row; likewise before it.
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
// What the quad after each lane's has in the first ${IN_SHIFT} words of its vector `x`; for the last
// lane that quad is in another row, whose vectors are `beyond`.
fn from_next(x: vec4<u32>, beyond: vec4<u32>, lane: u32) -> vec4<u32> {
  let given = select(x, beyond, lane == first_lane);
  let next = (lane + to_next) % 32u;
  var got = vec4<u32>();
#repeat c IN_SHIFT
  got[$c] = shuffle_word(given[$c], next);
#end
  return got;
}
#endif

#if OUT_SHIFT
// Likewise what the quad before each lane's has in the last ${OUT_SHIFT} words of its vector `x`.
fn from_previous(x: vec4<u32>, beyond: vec4<u32>, lane: u32) -> vec4<u32> {
  let given = select(x, beyond, lane == last_lane);
  let previous = (lane + 32u - to_next) % 32u;
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
