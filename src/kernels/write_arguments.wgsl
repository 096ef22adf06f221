// Arguments of indirect calls from a count in the caller's buffer. One invocation does it.
struct Settings {
  capacity: u32,     // a larger count is taken as this
  count_at: u32,     // where the count lies in its binding, in words
  most_groups: u32,  // in one dimension of a grid
  unused: u32,
  forms: array<Form, ${FORMS}>,
}
@group(0) @binding(0) var<uniform> settings: Settings;
#if SAME_BUFFER
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
#else
@group(0) @binding(1) var<storage, read> counts: array<u32>;
#endif
#import lib/arguments.wgsl

@compute @workgroup_size(1)
fn main() {
  let count = min(counts[settings.count_at], settings.capacity);
#repeat f FORMS
  write_arguments(settings.forms[$f], count, settings.most_groups);
#end
}
