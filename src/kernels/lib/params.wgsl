// The parameters of a slice, as a uniform.
#import lib/params_struct.wgsl
@group(0) @binding(0) var<uniform> params: Params;

// Tiles that a single pass waits for.
fn tile_count() -> u32 { return params.all_tiles; }

fn absent() -> Element {
  return element(
#repeat w WORDS
      params.absent[${w / 4}][${w % 4}],
#end
  );
}

fn initial() -> Element {
  return element(
#repeat w WORDS
      params.initial[${w / 4}][${w % 4}],
#end
  );
}
