// The path of an expansion: laid on it, an item comes with its outputs behind it and weighs as much as
// ${WEIGHT} of them. Cut every ${TILE} it gives tiles that have as much to do whether they are one item's
// outputs or as many empty items (merge path, Green 2012).
struct Params {
  items: u32,  // counted on the device: at most
  // Outputs of this window, which a binding can hold.
  first: u32,
  end: u32,
  is_last: u32,
  capacity: u32,
  // Where things lie in their bindings, in elements.
  offsets_at: u32,
  values_at: u32,
  output_at: u32,
  report_at: u32,
  count_at: u32,
  tiles: u32,
  most_groups: u32,  // in one dimension of a grid
  rounds: u32,       // of the searches
  unused_a: u32,
  unused_b: u32,
  unused_c: u32,
#if FORMS
  forms: array<Form, ${FORMS}>,
#endif
}
@group(0) @binding(0) var<uniform> params: Params;

// Where a tile begins, and the one before it ends.
struct Begin {
  item: u32,    // at that place of the path
  output: u32,  // the first one there or behind it
  whole: u32,   // what is stored together is not cut: the tile's own outputs begin here
#if VECTORS
  between: array<u32, 3>,  // items of the outputs from `output` to `whole`
#endif
}
