//! A device, and the kernels around the measured one: copies, poison, comparison. They do what
//! bench/kernels/ does for ours.
use wgpu::util::DeviceExt;

pub const COMPARE_WORKGROUP: u32 = 256;
const MOST_WORKGROUPS: u32 = 65_535; // across one dimension
const CHUNK: usize = 16 << 20; // words written or read at once

pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub info: wgpu::AdapterInfo,
    pub is_hardware: bool,
}

pub struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    pub workgroups: [u32; 2],
}

impl Dispatch {
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(self.workgroups[0], self.workgroups[1], 1);
    }
}

/// Two timestamps a case, for every round.
pub struct Stamps {
    pub queries: wgpu::QuerySet,
    words: wgpu::Buffer,
    cases: usize,
    round_bytes: u64,
}

impl Stamps {
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, round: u64) {
        let range = 0..2 * self.cases as u32;
        encoder.resolve_query_set(&self.queries, range, &self.words, round * self.round_bytes);
    }

    /// By round and case; nothing where a stamp ran backwards. Waits.
    pub fn read_ms(&self, gpu: &Gpu) -> Vec<Vec<Option<f64>>> {
        let words: Vec<u32> = gpu.read(&self.words);
        let ticks: Vec<u64> = words
            .chunks_exact(2)
            .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
            .collect();
        let ms_per_tick = f64::from(gpu.queue.get_timestamp_period()) / 1e6;
        ticks
            .chunks_exact(self.round_bytes as usize / 8)
            .map(|round| {
                round[..2 * self.cases]
                    .chunks_exact(2)
                    .map(|pair| {
                        (pair[1] > pair[0]).then(|| (pair[1] - pair[0]) as f64 * ms_per_tick)
                    })
                    .collect()
            })
            .collect()
    }
}

fn is_software(info: &wgpu::AdapterInfo) -> bool {
    info.device_type == wgpu::DeviceType::Cpu
}

impl Gpu {
    pub fn open(wanted: Option<&str>) -> Result<Self, String> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::PRIMARY,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let adapter = adapters
            .iter()
            .find(|adapter| {
                let info = adapter.get_info();
                match wanted {
                    Some(word) => info.name.to_lowercase().contains(&word.to_lowercase()),
                    None => !is_software(&info),
                }
            })
            .ok_or("no such adapter")?;
        let stamps =
            wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        if !adapter.features().contains(stamps) {
            return Err("the adapter has no timestamps in encoders".into());
        }
        let subgroups = adapter.features() & wgpu::Features::SUBGROUP;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("lampshade_scan"),
            required_features: stamps | subgroups,
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        }))
        .map_err(|error| error.to_string())?;
        let info = adapter.get_info();
        let is_hardware = !is_software(&info);
        Ok(Self {
            device,
            queue,
            info,
            is_hardware,
        })
    }

    /// A whole number of 16-byte vectors long.
    pub fn buffer(&self, label: &str, bytes: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.next_multiple_of(16),
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    pub fn write(&self, buffer: &wgpu::Buffer, words: &[u32]) {
        for (i, part) in words.chunks(CHUNK).enumerate() {
            let bytes: Vec<u8> = part.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.queue
                .write_buffer(buffer, (i * CHUNK * 4) as u64, &bytes);
            self.queue.submit([]);
            self.wait();
        }
    }

    /// Waits for the work submitted so far.
    pub fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read-back"),
            size: buffer.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.submit(encoder);
        staging.map_async(wgpu::MapMode::Read, .., |mapped| {
            mapped.expect("a read-back")
        });
        self.wait();
        let bytes = staging.get_mapped_range(..).expect("a mapped buffer");
        bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect()
    }

    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&Default::default())
    }

    pub fn submit(&self, encoder: wgpu::CommandEncoder) {
        self.queue.submit([encoder.finish()]);
    }

    pub fn wait(&self) {
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .expect("the device works");
    }

    pub fn stamps(&self, cases: usize, rounds: usize) -> Stamps {
        let round_bytes = (cases as u64 * 16).next_multiple_of(256);
        let queries = self.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("timestamps"),
            ty: wgpu::QueryType::Timestamp,
            count: 2 * cases as u32,
        });
        let words = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("timestamps"),
            size: rounds as u64 * round_bytes,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Stamps {
            queries,
            words,
            cases,
            round_bytes,
        }
    }

    fn dispatch(&self, wgsl: String, buffers: &[&wgpu::Buffer], workgroups: [u32; 2]) -> Dispatch {
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(wgsl.into()),
            });
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: Default::default(),
                cache: None,
            });
        let entries: Vec<wgpu::BindGroupEntry> = buffers
            .iter()
            .enumerate()
            .map(|(i, buffer)| wgpu::BindGroupEntry {
                binding: i as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Dispatch {
            pipeline,
            group,
            workgroups,
        }
    }

    /// Does nothing with the buffer.
    pub fn empty(&self, unused: &wgpu::Buffer) -> Dispatch {
        let wgsl = "@group(0) @binding(0) var<storage, read_write> unused: array<u32>;
                    @compute @workgroup_size(1) fn main() { _ = &unused; }";
        self.dispatch(wgsl.into(), &[unused], [1, 1])
    }

    /// Vectors of 16 bytes, a workgroup's width apart, all loaded before the first is stored.
    /// Inverted, it stores their complements: poison.
    pub fn copy(
        &self,
        from: &wgpu::Buffer,
        to: &wgpu::Buffer,
        vectors: u32,
        workgroup: u32,
        inverted: bool,
    ) -> Dispatch {
        let tile = vectors * workgroup;
        let sign = if inverted { "~" } else { "" };
        let lines = |line: &dyn Fn(u32, u32) -> String| -> String {
            (0..vectors)
                .map(|k| line(k, k * workgroup) + "\n")
                .collect()
        };
        let loads = lines(&|k, at| format!("let v{k} = origin[first + {at}u];"));
        let stores = lines(&|k, at| format!("destination[first + {at}u] = {sign}v{k};"));
        let guarded = lines(&|_, at| {
            format!(
                "if (first + {at}u < end) {{ \
                 destination[first + {at}u] = {sign}origin[first + {at}u]; }}"
            )
        });
        let wgsl = format!(
            "@group(0) @binding(0) var<storage, read> origin: array<vec4<u32>>;
             @group(0) @binding(1) var<storage, read_write> destination: array<vec4<u32>>;
             @compute @workgroup_size({workgroup})
             fn main(@builtin(workgroup_id) group: vec3<u32>,
                     @builtin(num_workgroups) groups: vec3<u32>,
                     @builtin(local_invocation_index) lane: u32) {{
               let tile = group.y * groups.x + group.x;
               let first = tile * {tile}u + lane;
               let end = arrayLength(&origin);
               if ((tile + 1u) * {tile}u <= end) {{\n{loads}{stores}}} else {{\n{guarded}}}
             }}"
        );
        let tiles = (from.size() / 16).div_ceil(u64::from(tile)) as u32;
        let rows = tiles.div_ceil(MOST_WORKGROUPS);
        self.dispatch(wgsl, &[from, to], [tiles.div_ceil(rows), rows])
    }

    /// found[i] == expected[shift + i] for all words, by the same kernel that checks ours.
    pub fn comparison(
        &self,
        expected: &wgpu::Buffer,
        found: &wgpu::Buffer,
        verdicts: &wgpu::Buffer,
        words: u32,
        shift: u32,
        verdict: u32,
    ) -> Dispatch {
        // The kernel's Parameters: nothing before `found`, nothing after, no halves.
        let contents: Vec<u8> = [words, shift, 0, 0, verdict, 0]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let parameters = self
            .device
            .create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("comparison"),
                contents: &contents,
                usage: wgpu::BufferUsages::UNIFORM,
            });
        let wgsl = include_str!("../../../kernels/compare.wgsl")
            .replace("$WORKGROUP", &COMPARE_WORKGROUP.to_string());
        let workgroups = (words / (COMPARE_WORKGROUP * 16)).clamp(1, 4096);
        self.dispatch(
            wgsl,
            &[&parameters, expected, found, verdicts],
            [workgroups, 1],
        )
    }
}
