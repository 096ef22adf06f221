// First step of a reduction: the totals of all tiles but the last. A workgroup totals ${BATCH} tiles, a
// batch, and stores the batch's total; the tiles that are left over get a workgroup each.
#import lib/params.wgsl
#import lib/grid.wgsl
#import lib/block_tree.wgsl
#if !ANY_ORDER
#import lib/block_counter.wgsl
#endif
// Four words, or halves, of which two are a word.
#if HALF_INPUT
alias Vector = vec2<u32>;
#else
alias Vector = vec4<u32>;
#endif
@group(0) @binding(1) var<storage, read> input: array<Vector>;
@group(0) @binding(2) var<storage, read_write> totals: array<Element>;

#if SHIFT
// The quads begin ${SHIFT} words, or halves, after a vector does.
@group(0) @binding(3) var<storage, read> input_words: array<u32>;

// A vector that the end of the binding may cut off; the words past it do not matter.
fn last_vector(i: u32) -> Vector {
  if (i < arrayLength(&input)) { return input[i]; }
  let last = arrayLength(&input_words) - 1u;
  return Vector(
#repeat c VECTOR_WORDS
      input_words[min(${VECTOR_WORDS}u * i + ${c}u, last)],
#end
  );
}
#endif

#if WIDE
fn element_of(w0: u32) -> Element { return lift(bitcast<Input>(w0)); }
#endif

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let number = flat_workgroup(group, groups);
  if (number >= params.tiles) { return; }
  let is_batch = number < params.batches;
  let first_tile = select(params.batches * ${BATCH - 1}u + number, number * ${BATCH}u, is_batch);
  let tiles = select(1u, ${BATCH}u, is_batch);
#if ANY_ORDER
  var total = absent();
#endif

  for (var t = 0u; t < tiles; t++) {
    // All vectors are asked for before the first is used, so that many bytes are on their way.
    let first = params.in_offset * ${INPUT_WORDS}u / 4u +
                ((first_tile + t) * ${QUADS}u + thread) * ${INPUT_WORDS}u;
#repeat r QUADS_PER_THREAD
#repeat v INPUT_WORDS
    let x${r}_$v = input[first + ${r * WORKGROUP * INPUT_WORDS + v}u];
#end
#if SHIFT
#if r < QUADS_PER_THREAD - 1
    let x${r}_$INPUT_WORDS = input[first + ${(r * WORKGROUP + 1) * INPUT_WORDS}u];
#else
    let x${r}_$INPUT_WORDS = last_vector(first + ${(r * WORKGROUP + 1) * INPUT_WORDS}u);
#endif
#endif
#end

    // Quads, each folded from first to last.
#repeat r QUADS_PER_THREAD
#repeat j 4
#if HALF_INPUT
    let e${r}_$j = lift(x${r}_${(SHIFT + j) / 4}[${(SHIFT + j) % 4 / 2}] >> ${(SHIFT + j) % 2 * 16}u);
#else
#if WIDE
    let e${r}_$j = element_of(
#else
    let e${r}_$j = element(
#endif
#repeat w INPUT_WORDS
        x${r}_${(SHIFT + j * INPUT_WORDS + w) / 4}[${(SHIFT + j * INPUT_WORDS + w) % 4}],
#end
    );
#endif
#end
    let quad$r = combine(combine(combine(e${r}_0, e${r}_1), e${r}_2), e${r}_3);
#end

#if ANY_ORDER
#repeat r QUADS_PER_THREAD
    total = combine(total, quad$r);
#end
  }
  sums[slot(thread)] = total;
  total_blocks(thread, ${WORKGROUP}u);
  if (thread == 0u) { totals[params.first_tile + number] = block(${WORKGROUP}u, ${WORKGROUP_BITS}u); }
#else
    workgroupBarrier();  // the tile before has been counted in
#repeat r QUADS_PER_THREAD
    sums[slot(${r * WORKGROUP}u + thread)] = quad$r;
#end
    total_blocks(thread, ${QUADS}u);
    if (thread == 0u) { count_in(t, block(${QUADS}u, ${QUADS_BITS}u)); }
  }
  // As many tiles as a power of two: one run of them.
  if (thread == 0u) { totals[params.first_tile + number] = pending[countTrailingZeros(tiles)]; }
#endif
}
