//! Hands the versions in Cargo.lock on to the report.
fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").expect("Cargo.lock");
    let version = |name: &str| {
        let entry = format!("name = \"{name}\"\nversion = \"");
        let after = lock.split(&entry).nth(1).expect("a locked version");
        after.split('"').next().unwrap_or("").to_owned()
    };
    println!(
        "cargo:rustc-env=LAMPSHADE_VERSIONS=lampshade {}, wgpu {}",
        version("lampshade"),
        version("wgpu")
    );
}
