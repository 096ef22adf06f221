//! lampshade's GPU scan, measured as `cumulo bench scan` measures ours: same sizes, same data, all
//! cases of a size interleaved, timestamps in the encoder around the work, behind copies that keep
//! the clock up, every timed result compared on the device.
//!
//! usage: lampshade_scan [SMALLEST LARGEST STEP [RUNS [ADAPTER]]]
//!
//! Sizes are 2^SMALLEST ... 2^LARGEST u32 (10 28 2, 11 runs); ADAPTER is part of an adapter's name
//! (else a hardware GPU). Prints a report of schema "cumulo-bench/2".
mod gpu;

use gpu::{Dispatch, Gpu};
use lampshade::Scanner;
use serde_json::{json, Value};
use std::time::Instant;

const WARMING_ROUNDS: usize = 2;
const HEAT_BYTES: u64 = 256 << 20;
const HEAT_COPIES: usize = 12; // before each round
const HEAT_SECONDS: f64 = 0.5;
const IMPOSSIBLE_GB_PER_S: f64 = 20_000.0;
const COPY_SHAPES: [(u32, u32); 12] = [
    (1, 128),
    (2, 128),
    (4, 128),
    (8, 128),
    (1, 256),
    (2, 256),
    (4, 256),
    (8, 256),
    (1, 512),
    (2, 512),
    (4, 512),
    (8, 512),
];

/// The data of bench/data.hpp for u32 sums.
fn hash(i: u32) -> u32 {
    let x = i.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let x = ((x >> ((x >> 28) + 4)) ^ x).wrapping_mul(277_803_737);
    (x >> 22) ^ x
}

enum Work {
    Nothing(Dispatch),
    Copy(Dispatch),
    Inclusive,
    Exclusive,
}

struct Case {
    name: String,
    role: &'static str,
    kind: Option<&'static str>,
    bytes: u64,
    work: Work,
    check: Option<Dispatch>,
    times_ms: Vec<f64>,
    failure: Option<String>,
}

impl Case {
    fn median_ms(&self) -> f64 {
        let mut times = self.times_ms.clone();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }
}

struct Arrays {
    input: wgpu::Buffer,
    output: wgpu::Buffer,
    prefixes: wgpu::Buffer,
    verdicts: wgpu::Buffer,
}

fn upload(gpu: &Gpu, n: u64, cases: u64) -> Arrays {
    let input: Vec<u32> = (0..n as u32).map(hash).collect();
    let mut prefixes = vec![0u32; n as usize + 1];
    for (i, value) in input.iter().enumerate() {
        prefixes[i + 1] = prefixes[i].wrapping_add(*value);
    }
    let arrays = Arrays {
        input: gpu.buffer("input", n * 4),
        output: gpu.buffer("output", n * 4),
        prefixes: gpu.buffer("prefixes", (n + 1) * 4),
        verdicts: gpu.buffer("verdicts", cases * 8),
    };
    gpu.write(&arrays.input, &input);
    gpu.write(&arrays.prefixes, &prefixes);
    arrays
}

fn make_cases(gpu: &Gpu, arrays: &Arrays, n: u64) -> Vec<Case> {
    let bytes = 2 * n * 4;
    let mut cases: Vec<Case> = Vec::new();
    let mut add =
        |name: String, role, kind, bytes, work, expected: Option<(&wgpu::Buffer, u32)>| {
            let verdict = cases.len() as u32;
            let check = expected.map(|(buffer, shift)| {
                gpu.comparison(
                    buffer,
                    &arrays.output,
                    &arrays.verdicts,
                    n as u32,
                    shift,
                    verdict,
                )
            });
            cases.push(Case {
                name,
                role,
                kind,
                bytes,
                work,
                check,
                times_ms: vec![],
                failure: None,
            });
        };
    let empty = Work::Nothing(gpu.empty(&arrays.verdicts));
    add("empty dispatch".into(), "empty", None, 0, empty, None);
    for (vectors, workgroup) in COPY_SHAPES {
        let copy = gpu.copy(&arrays.input, &arrays.output, vectors, workgroup, false);
        let name = format!("copy, vec4 x {vectors} by {workgroup}");
        add(
            name,
            "copy",
            None,
            bytes,
            Work::Copy(copy),
            Some((&arrays.input, 0)),
        );
    }
    let prefixes = &arrays.prefixes;
    add(
        "lampshade".into(),
        "scan",
        Some("inclusive"),
        bytes,
        Work::Inclusive,
        Some((prefixes, 1)),
    );
    add(
        "lampshade".into(),
        "scan",
        Some("exclusive"),
        bytes,
        Work::Exclusive,
        Some((prefixes, 0)),
    );
    cases
}

fn heat(gpu: &Gpu, copy: &Dispatch) {
    let start = Instant::now();
    while gpu.is_hardware && start.elapsed().as_secs_f64() < HEAT_SECONDS {
        let mut encoder = gpu.encoder();
        for _ in 0..HEAT_COPIES {
            copy.record(&mut encoder);
        }
        gpu.submit(encoder);
        gpu.wait();
    }
}

/// One command buffer: every case between two timestamps, on a poisoned output.
fn record_round(
    gpu: &Gpu,
    scanner: &mut Scanner,
    arrays: &Arrays,
    cases: &mut [Case],
    n: u64,
    heat_copy: Option<&Dispatch>,
    poison: &Dispatch,
    stamps: &gpu::Stamps,
    round: u64,
) {
    let mut encoder = gpu.encoder();
    if let Some(copy) = heat_copy {
        for _ in 0..HEAT_COPIES {
            copy.record(&mut encoder);
        }
    }
    let mut stamp = 0;
    for case in cases.iter_mut() {
        poison.record(&mut encoder);
        encoder.write_timestamp(&stamps.queries, stamp);
        let (input, output) = (&arrays.input, &arrays.output);
        let recorded = match &case.work {
            Work::Nothing(dispatch) | Work::Copy(dispatch) => {
                dispatch.record(&mut encoder);
                Ok(())
            }
            Work::Inclusive => scanner.record_scan(&mut encoder, input, output, n as u32),
            Work::Exclusive => scanner.record_exclusive_scan(&mut encoder, input, output, n as u32),
        };
        if let Err(error) = recorded {
            case.failure = Some(error.to_string());
        }
        encoder.write_timestamp(&stamps.queries, stamp + 1);
        stamp += 2;
        if let Some(check) = &case.check {
            check.record(&mut encoder);
        }
    }
    stamps.resolve(&mut encoder, round);
    gpu.submit(encoder);
}

/// No time is believed whose result was wrong, or was not looked at.
fn judge(case: &mut Case, verdict: &[u32], n: u64, rounds: u32) {
    if case.failure.is_some() {
        return;
    }
    if let Some(check) = &case.check {
        if verdict[0] != 0 {
            let element = n - u64::from(verdict[0]);
            case.failure = Some(format!("its result is wrong at element {element}"));
            return;
        }
        if verdict[1] != rounds * check.workgroups[0] {
            case.failure = Some("its results could not all be checked".into());
            return;
        }
    }
    if case.times_ms.is_empty() {
        case.failure = Some("no run of it could be timed".into());
    } else if case.bytes as f64 / case.median_ms() / 1e6 > IMPOSSIBLE_GB_PER_S {
        case.failure = Some("it would have moved more bytes a second than any memory can".into());
    }
}

fn entry(case: &Case, n: u64, best_copy: Option<f64>, empty: Option<f64>) -> Value {
    let mut entry = json!({"name": case.name, "role": case.role, "n": n, "type": "u32",
                           "op": "add", "kind": case.kind});
    if let Some(failure) = &case.failure {
        entry["failure"] = json!(failure);
        return entry;
    }
    let ms = case.median_ms();
    let times = case.role != "empty";
    entry["median_ms"] = json!(ms);
    entry["least_ms"] = json!(case.times_ms.iter().copied().fold(f64::INFINITY, f64::min));
    entry["gb_per_s"] = json!(times.then(|| case.bytes as f64 / ms / 1e6));
    entry["of_copy"] = json!(best_copy.filter(|_| times).map(|copy| copy / ms));
    entry["above_empty_us"] = json!(empty.filter(|_| times).map(|least| 1000.0 * (ms - least)));
    entry["clock"] = json!("device");
    entry
}

fn entries(cases: &[Case], n: u64) -> Vec<Value> {
    let best = |role| {
        cases
            .iter()
            .filter(|case| case.role == role && case.failure.is_none())
            .map(Case::median_ms)
            .min_by(f64::total_cmp)
    };
    let (best_copy, empty) = (best("copy"), best("empty"));
    cases
        .iter()
        .map(|case| entry(case, n, best_copy, empty))
        .collect()
}

fn measure(gpu: &Gpu, scanner: &mut Scanner, n: u64, runs: usize) -> Vec<Value> {
    let arrays = upload(gpu, n, COPY_SHAPES.len() as u64 + 3);
    let mut cases = make_cases(gpu, &arrays, n);
    let poison = gpu.copy(&arrays.input, &arrays.output, 4, 256, true);
    let heat_copy = gpu.is_hardware.then(|| {
        let (from, to) = (
            gpu.buffer("heat", HEAT_BYTES),
            gpu.buffer("heat", HEAT_BYTES),
        );
        gpu.copy(&from, &to, 4, 256, false)
    });
    if let Some(copy) = &heat_copy {
        heat(gpu, copy);
    }
    let rounds = WARMING_ROUNDS + runs;
    let stamps = gpu.stamps(cases.len(), rounds);
    for round in 0..rounds {
        record_round(
            gpu,
            scanner,
            &arrays,
            &mut cases,
            n,
            heat_copy.as_ref(),
            &poison,
            &stamps,
            round as u64,
        );
    }
    let times = stamps.read_ms(gpu);
    let verdicts: Vec<u32> = gpu.read(&arrays.verdicts);
    for round in &times[WARMING_ROUNDS..] {
        for (case, ms) in cases.iter_mut().zip(round) {
            case.times_ms.extend(ms);
        }
    }
    for (i, case) in cases.iter_mut().enumerate() {
        judge(case, &verdicts[2 * i..2 * i + 2], n, rounds as u32);
    }
    entries(&cases, n)
}

/// The date by the proleptic Gregorian calendar (Hinnant's civil_from_days).
fn today() -> String {
    let seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let z = (seconds / 86_400) as i64 + 719_468;
    let era = z / 146_097;
    let doe = z % 146_097;
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn stop(message: &str, status: i32) -> ! {
    eprintln!("lampshade_scan: {message}");
    std::process::exit(status)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, otherwise: u32| match arguments.get(i).map(|word| word.parse()) {
        None => otherwise,
        Some(Ok(value)) => value,
        Some(Err(_)) => stop("usage: [SMALLEST LARGEST STEP [RUNS [ADAPTER]]]", 2),
    };
    let (smallest, largest, step) = (number(0, 10), number(1, 28), number(2, 2));
    let runs = number(3, 11) as usize;
    if largest > 30 || smallest > largest || step == 0 || runs == 0 {
        stop(
            "sizes are powers of two up to 30, and there is at least one run",
            2,
        );
    }
    let gpu = match Gpu::open(arguments.get(4).map(String::as_str)) {
        Ok(gpu) => gpu,
        Err(reason) => stop(&reason, 3),
    };
    let mut scanner = Scanner::new_for_adapter(&gpu.device, &gpu.queue, &gpu.info);
    let measurements: Vec<Value> = (smallest..=largest)
        .step_by(step as usize)
        .flat_map(|k| measure(&gpu, &mut scanner, 1 << k, runs))
        .collect();
    let ok = measurements
        .iter()
        .all(|entry| entry.get("failure").is_none());
    let report = json!({
        "schema": "cumulo-bench/2", "program": "lampshade", "ok": ok,
        "device": {"name": gpu.info.name, "backend": "webgpu",
                   "kind": if gpu.is_hardware { "discrete" } else { "software" },
                   "api": format!("{:?}", gpu.info.backend),
                   "driver": format!("{} {}", gpu.info.driver, gpu.info.driver_info).trim()},
        "versions": env!("LAMPSHADE_VERSIONS"), "date": today(), "runs": runs, "clock": "device",
        "measurements": measurements});
    println!("{report:#}");
    std::process::exit(if ok { 0 } else { 1 });
}
