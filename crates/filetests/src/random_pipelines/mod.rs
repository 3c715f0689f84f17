//! Generates random draw calls of two to five stages: vertex, tessellation and geometry shaders as text in the form of the files
//! of `tests/stages`, and for some of them a fragment shader. The shaders end, have no undefined behaviour, and compute the same
//! values on every engine:
//!
//! * floats and doubles are whole numbers from 0 to 1023 after each statement, half floats from 0 to 31, and no expression
//!   multiplies more than two of them, so all arithmetic is exact;
//! * each loop counts its own variable up to a small number; shift amounts and indices are masked;
//! * every output is stored before a vertex ends, and control points are read between barriers only;
//! * invocations share data only through atomics whose order and number do not matter;
//! * fragment shaders compute with flat inputs only. Interpolated inputs are copied to an attachment of their own.

mod body;
mod stages;

use std::fmt::Write;

use crate::data::Random;

/// A random draw call.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The draw call and the stages before the rasterizer.
    pub text: String,
    /// The fragment shader in GLSL, if there is a picture. It writes floats at location 0 and unsigned integers at location 1.
    pub fragment: Option<String>,
}

/// A user-defined varying: `count` elements of a vector with `comps` components, an array if `count` is not 0.
#[derive(Clone, Copy, Debug)]
struct Varying {
    kind: Kind,
    comps: usize,
    count: usize,
    location: usize,
    /// The stream, if it is an output of a geometry shader.
    stream: usize,
}

/// The type of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Float,
    Int,
    Uint,
    Double,
}

impl Kind {
    /// The name of the type with this number of components.
    fn name(self, comps: usize) -> String {
        let (scalar, vector) = match self {
            Kind::Float => ("float", "vec"),
            Kind::Int => ("int", "ivec"),
            Kind::Uint => ("uint", "uvec"),
            Kind::Double => ("double", "dvec"),
        };
        if comps == 1 { scalar.to_owned() } else { format!("{vector}{comps}") }
    }

    /// The name of the type in directives.
    fn directive(self) -> &'static str {
        match self {
            Kind::Float => "f32",
            Kind::Int => "i32",
            Kind::Uint => "u32",
            Kind::Double => "f64",
        }
    }
}

impl Varying {
    /// Number of locations.
    fn slots(&self) -> usize {
        let wide = self.kind == Kind::Double && self.comps > 2;
        self.count.max(1) * if wide { 2 } else { 1 }
    }

    /// A declaration, with `storage` before it and `vertices` behind the name.
    fn declaration(&self, storage: &str, name: &str, vertices: &str) -> String {
        let array = if self.count > 0 { format!("[{}]", self.count) } else { String::new() };
        let ty = self.kind.name(self.comps);
        let stream =
            if self.stream > 0 { format!("stream = {}, ", self.stream) } else { String::new() };
        format!(
            "layout({stream}location = {}) {storage} {ty} {name}{vertices}{array};",
            self.location
        )
    }
}

/// The location behind the last varying.
fn end(varyings: &[Varying]) -> usize {
    varyings.iter().map(|varying| varying.location + varying.slots()).max().unwrap_or(0)
}

/// The number of vertices of a draw call.
const VERTICES: usize = 12;

/// Elements of the buffer.
const TOTALS: usize = 8;

/// What the draw call has, for all stages.
#[derive(Clone, Copy, Debug)]
struct Features {
    /// Whether there is a fragment shader.
    picture: bool,
    doubles: bool,
    /// Whether the shaders compute with integers of 8 and 16 bits and half floats.
    small: bool,
    /// Whether there are push constants, uniform buffers and a buffer that is only read.
    constants: bool,
    /// Number of clip distances of the last stage.
    clip_distances: usize,
    point_size: bool,
    /// Whether the last stage writes a layer and a viewport index.
    layer: bool,
}

/// The tessellator's mode.
#[derive(Clone, Copy, Debug)]
struct Tessellator {
    domain: &'static str,
    spacing: &'static str,
    order: &'static str,
    point_mode: bool,
    /// Number of control points of an input patch.
    patch_vertices: usize,
}

impl Tessellator {
    /// The name of its primitives, and the number of their vertices.
    fn output(&self) -> (&'static str, usize) {
        match (self.point_mode, self.domain) {
            (true, _) => ("points", 1),
            (false, "isolines") => ("lines", 2),
            (false, _) => ("triangles", 3),
        }
    }
}

/// Generates the draw call for a seed.
pub fn generate(seed: u64) -> Pipeline {
    let mut random = Random::new(seed ^ 0x0be1_17e5);
    let tessellates = random.below(2) == 0;
    let has_geometry = !tessellates && random.below(4) > 0 || random.below(3) == 0;
    let picture = random.below(2) == 0;
    let features = Features {
        picture,
        doubles: random.below(4) == 0,
        small: random.below(4) == 0,
        constants: random.below(2) == 0,
        clip_distances: if random.below(3) == 0 { 1 + random.below(8) } else { 0 },
        point_size: random.below(4) == 0,
        layer: !picture && random.below(4) == 0,
    };
    let out = String::new();
    let (indent, loops, reads) = (0, 0, Vec::new());
    let mut writer = Writer { random, features, out, indent, loops, reads, returns: false };
    writer.pipeline(tessellates, has_geometry)
}

struct Writer {
    random: Random,
    features: Features,
    out: String,
    indent: usize,
    /// Number of loops so far, for the names of their counters.
    loops: usize,
    /// Expressions of each kind that read the inputs of the current stage.
    reads: Vec<(Kind, String)>,
    /// Whether the current stage may return early.
    returns: bool,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.indent));
    }

    fn lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(line.trim()));
    }

    /// Random varyings from location `location` on, without arrays if `captured` is set: lavapipe cannot capture elements.
    fn varyings(&mut self, mut location: usize, captured: bool) -> Vec<Varying> {
        let number = 1 + self.random.below(4);
        let kinds: &[Kind] = match self.features.doubles {
            true => &[Kind::Float, Kind::Int, Kind::Uint, Kind::Double],
            false => &[Kind::Float, Kind::Int, Kind::Uint],
        };
        (0..number)
            .map(|_| {
                let kind = *self.random.pick(kinds);
                let comps = 1 + self.random.below(4);
                let count = if !captured && self.random.below(3) == 0 {
                    2 + self.random.below(3)
                } else {
                    0
                };
                let varying = Varying { kind, comps, count, location, stream: 0 };
                location += varying.slots();
                varying
            })
            .collect()
    }

    fn tessellator(&mut self) -> Tessellator {
        let domain = self.random.pick(&["triangles", "quads", "isolines"]);
        let spacings = ["equal_spacing", "fractional_odd_spacing", "fractional_even_spacing"];
        let spacing = spacings[self.random.below(spacings.len())];
        let order = self.random.pick(&["cw", "ccw"]);
        let point_mode = self.random.below(4) == 0;
        let patch_vertices = *self.random.pick(&[1, 2, 3, 4, 6]);
        Tessellator { domain, spacing, order, point_mode, patch_vertices }
    }

    fn pipeline(&mut self, tessellates: bool, has_geometry: bool) -> Pipeline {
        let between = self.varyings(0, !tessellates && !has_geometry);
        let control = self.varyings(0, false);
        let patch = self.varyings(end(&control), false);
        let evaluated = self.varyings(0, !has_geometry);
        let mut emitted = self.varyings(0, true);
        let points = end(&evaluated);
        let tessellator = self.tessellator();
        let topologies = ["points", "lines", "triangles", "lines_adjacency", "triangles_adjacency"];
        let which = self.random.below(if has_geometry { 5 } else { 3 });
        let counts = [1, 2, 3, 4, 6];
        let unknown = if self.random.below(4) == 0 { " unknown" } else { "" };
        let (topology, (input, count)) = match tessellates {
            true => {
                let topology = format!("patches {}{unknown}", tessellator.patch_vertices);
                (topology, tessellator.output())
            }
            false => (topologies[which].to_owned(), (topologies[which], counts[which])),
        };
        let output = *self.random.pick(&["points", "line_strip", "triangle_strip"]);
        let streams = if output == "points" && !self.features.picture && self.random.below(3) == 0 {
            2 + self.random.below(3)
        } else {
            1
        };
        for varying in &mut emitted {
            varying.stream = self.random.below(streams);
        }
        let first = self.random.below(3);
        // Lavapipe does not begin the numbers of primitives with 0 in each instance.
        let instances = if tessellates || has_geometry { 1 } else { 2 };
        let last = match (tessellates, has_geometry) {
            (_, true) => &emitted,
            (true, false) => &evaluated,
            (false, false) => &between,
        };
        let draw = format!("{VERTICES} {instances} {first} 1");
        self.directives(&draw, &topology, VERTICES + first, last);
        if tessellates {
            self.line(&format!("//! points {points}"));
        }
        self.line("// A random draw call.");
        self.vertex(&between, !tessellates && !has_geometry);
        if tessellates {
            self.control(&between, &control, &patch, &tessellator);
            self.evaluation(&control, &patch, &evaluated, points, &tessellator, !has_geometry);
        }
        if has_geometry {
            let inputs = if tessellates { &evaluated } else { &between };
            self.geometry(inputs, &emitted, (input, count), output, streams);
        }
        let text = std::mem::take(&mut self.out);
        let fragment = self.features.picture.then(|| {
            self.fragment(last);
            std::mem::take(&mut self.out)
        });
        Pipeline { text, fragment }
    }

    /// The lines before the shaders. `last` are the varyings that are captured.
    fn directives(&mut self, draw: &str, topology: &str, vertices: usize, last: &[Varying]) {
        self.lines(&format!(
            "//! draw {draw}
            //! topology {topology}
            //! attribute 0 = f32 4: {} * iota 1 3
            //! attribute 1 = i32 4: {} * iota -40 7
            //! instanced 2 = u32 2: 8 * iota 5 11
            //! buffer 0.0 = zero {}",
            4 * vertices,
            4 * vertices,
            4 * TOTALS,
        ));
        if self.features.constants {
            self.lines(
                "//! push = f32 3 141 59 26; u32 0x80000001 7 33 4000000000
                //! uniform 0.1 = f32 32 * iota 2 31
                //! uniform 0.2 = u32 32 * iota 1 123456789
                //! buffer 0.3 = i32 16 * iota -90 13",
            );
        }
        // Doubles must be captured at multiples of 8 bytes, so they come first.
        let mut last: Vec<&Varying> = last.iter().collect();
        last.sort_by_key(|varying| varying.kind != Kind::Double);
        for varying in last {
            let Varying { kind, comps, location, stream, .. } = *varying;
            let of_stream = if stream > 0 { format!(" stream {stream}") } else { String::new() };
            self.line(&format!(
                "//! output {location}{of_stream} = {comps} * {}",
                kind.directive()
            ));
        }
        self.line("//! output position = 4 * f32");
        if self.features.clip_distances > 0 {
            self.line(&format!(
                "//! output clip_distance = {} * f32",
                self.features.clip_distances
            ));
        }
        if self.features.point_size {
            self.line("//! output point_size = f32");
        }
        if self.features.layer {
            self.line("//! output layer = i32");
            self.line("//! output viewport_index = i32");
        }
    }
}
