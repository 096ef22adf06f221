// x as f32, whatever a compiler would like to fuse or cancel it with: params.zero is 0, but that is
// not known to it, so the bits of x must be made before they are used.
fn rounded(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) | params.zero); }
