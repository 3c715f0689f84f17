//! Generates random draw calls of two to four stages before the rasterizer, as text in the form of the files of
//! `tests/stages`. The shaders end, have no undefined behaviour, and compute the same values on every engine:
//!
//! * floats are whole numbers from 0 to 1023 after each statement, and no expression multiplies more than two of them, so all
//!   arithmetic is exact;
//! * each loop counts its own variable up to a small number; shift amounts and indices are masked;
//! * every output is stored before a vertex ends, and control points are read between barriers only;
//! * invocations share data only through atomics whose order and number do not matter.

use std::fmt::Write;

use crate::data::Random;

/// A user-defined varying: `count` elements of a vector with `comps` components, an array if `count` is not 0.
#[derive(Clone, Copy, Debug)]
struct Varying {
    kind: Kind,
    comps: usize,
    count: usize,
    location: usize,
}

/// The type of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Float,
    Int,
    Uint,
}

impl Kind {
    /// The name of the type with this number of components.
    fn name(self, comps: usize) -> String {
        let (scalar, vector) = match self {
            Kind::Float => ("float", "vec"),
            Kind::Int => ("int", "ivec"),
            Kind::Uint => ("uint", "uvec"),
        };
        if comps == 1 { scalar.to_owned() } else { format!("{vector}{comps}") }
    }
}

impl Varying {
    fn slots(&self) -> usize {
        self.count.max(1)
    }

    /// A declaration, with `storage` before it and `vertices` behind the name.
    fn declaration(&self, storage: &str, name: &str, vertices: &str) -> String {
        let array = if self.count > 0 { format!("[{}]", self.count) } else { String::new() };
        let ty = self.kind.name(self.comps);
        format!("layout(location = {}) {storage} {ty} {name}{vertices}{array};", self.location)
    }
}

/// The number of vertices of a draw call.
const VERTICES: usize = 12;

/// Elements of the buffer.
const TOTALS: usize = 8;

/// Generates the text of a draw call for a seed.
pub fn source(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x0be1_17e5);
    let tessellates = random.below(2) == 0;
    let has_geometry = !tessellates && random.below(4) > 0 || random.below(3) == 0;
    let mut writer = Writer { random, out: String::new(), indent: 0, loops: 0, reads: Vec::new() };
    writer.pipeline(tessellates, has_geometry);
    writer.out
}

struct Writer {
    random: Random,
    out: String,
    indent: usize,
    /// Number of loops so far, for the names of their counters.
    loops: usize,
    /// Expressions of each kind that read the inputs of the current stage.
    reads: Vec<(Kind, String)>,
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
        (0..number)
            .map(|_| {
                let kind = *self.random.pick(&[Kind::Float, Kind::Int, Kind::Uint]);
                let comps = 1 + self.random.below(4);
                let count = if !captured && self.random.below(3) == 0 {
                    2 + self.random.below(3)
                } else {
                    0
                };
                let varying = Varying { kind, comps, count, location };
                location += varying.slots();
                varying
            })
            .collect()
    }

    fn pipeline(&mut self, tessellates: bool, has_geometry: bool) {
        let between = self.varyings(0, !tessellates && !has_geometry);
        let control = self.varyings(0, false);
        let behind = control.iter().map(|v| v.location + v.slots()).max().unwrap_or(0);
        let patch = self.varyings(behind, false);
        let evaluated = self.varyings(0, !has_geometry);
        let emitted = self.varyings(0, true);
        let points = evaluated.iter().map(|v| v.location + v.slots()).max().unwrap_or(0);
        let patch_vertices = *self.random.pick(&[1, 2, 3, 4]);
        let topologies = ["points", "lines", "triangles", "lines_adjacency", "triangles_adjacency"];
        let which = self.random.below(if has_geometry { 5 } else { 1 });
        let counts = [1, 2, 3, 4, 6];
        let (topology, mut input, mut count) = match tessellates {
            true => (format!("patches {patch_vertices}"), "triangles", 3),
            false => (topologies[which].to_owned(), topologies[which], counts[which]),
        };
        if tessellates && has_geometry && self.random.below(3) == 0 {
            (input, count) = ("points", 1);
        }
        let first = self.random.below(3);
        // Lavapipe does not begin the numbers of primitives with 0 in each instance.
        let instances = if tessellates || has_geometry { 1 } else { 2 };
        self.lines(&format!(
            "//! draw {VERTICES} {instances} {first} 1
            //! topology {topology}
            //! attribute 0 = f32 4: {} * iota 1 3
            //! attribute 1 = i32 4: {} * iota -40 7
            //! instanced 2 = u32 2: 8 * iota 5 11
            //! buffer 0.0 = zero {}",
            4 * (VERTICES + first),
            4 * (VERTICES + first),
            4 * TOTALS,
        ));
        let last = match (tessellates, has_geometry) {
            (_, true) => &emitted,
            (true, false) => &evaluated,
            (false, false) => &between,
        };
        for varying in last {
            for slot in 0..varying.slots() {
                let ty = match varying.kind {
                    Kind::Float => "f32",
                    Kind::Int => "i32",
                    Kind::Uint => "u32",
                };
                let (location, comps) = (varying.location + slot, varying.comps);
                self.line(&format!("//! output {location} = {comps} * {ty}"));
            }
        }
        if tessellates {
            self.line(&format!("//! points {points}"));
        }
        self.line("// A random draw call.");
        self.vertex(&between);
        if tessellates {
            self.control(&between, &control, &patch, patch_vertices);
            self.evaluation(&control, &patch, &evaluated, points, input == "points");
        }
        if has_geometry {
            let inputs = if tessellates { &evaluated } else { &between };
            self.geometry(inputs, &emitted, input, count);
        }
    }

    /// The begin of a stage: declarations that all stages have.
    fn stage(&mut self, name: &str) {
        self.lines(&format!(
            "//@ {name}
            #version 460
            layout(set = 0, binding = 0) buffer Data {{ uint totals[{TOTALS}]; }};"
        ));
        self.reads.clear();
    }

    fn declare(&mut self, varyings: &[Varying], storage: &str, name: &str, vertices: &str) {
        for (at, varying) in varyings.iter().enumerate() {
            let text = varying.declaration(storage, &format!("{name}{at}"), vertices);
            self.line(&text);
        }
    }

    /// Adds expressions that read varyings; `vertices` are the indices of vertices, with brackets.
    fn readable(&mut self, varyings: &[Varying], name: &str, vertices: &[String]) {
        for (at, varying) in varyings.iter().enumerate() {
            for vertex in vertices {
                let elements = match varying.count {
                    0 => vec![String::new()],
                    count => vec![format!("[{}]", count - 1), format!("[u0 % {count}u]")],
                };
                for element in elements {
                    let comp = &"xyzw"[self.random.below(varying.comps)..][..1];
                    let comp = if varying.comps == 1 { String::new() } else { format!(".{comp}") };
                    self.reads.push((varying.kind, format!("{name}{at}{vertex}{element}{comp}")));
                }
            }
        }
    }

    /// The begin of `main`: variables with values that depend on the invocation's numbers `a` and `b`.
    fn begin(&mut self, a: &str, b: &str) {
        self.line("void main() {");
        self.indent = 1;
        self.lines(&format!(
            "uint u0 = uint({a}), u1 = uint({b}) * 2654435761u, u2 = 77u;
            int i0 = int({b}) - 9, i1 = int({a}) * 3, i2 = 12;
            float f0 = float(u0 & 63u), f1 = float(i1 & 255), f2 = 5.0;
            uint list[4] = uint[4](u0, 7u, u1, 3u);"
        ));
    }

    fn end(&mut self) {
        self.indent = 0;
        self.line("}");
    }

    fn vertex(&mut self, outputs: &[Varying]) {
        self.stage("vertex");
        self.lines(
            "layout(location = 0) in vec4 place;
            layout(location = 1) in ivec4 number;
            layout(location = 2) in uvec2 own;",
        );
        self.declare(outputs, "out", "v", "");
        for comp in ["x", "y", "z", "w"] {
            self.reads.push((Kind::Float, format!("place.{comp}")));
            self.reads.push((Kind::Int, format!("number.{comp}")));
        }
        for read in ["own.x", "own.y", "uint(gl_BaseVertex)", "uint(gl_BaseInstance)"] {
            self.reads.push((Kind::Uint, read.to_owned()));
        }
        self.begin("gl_VertexIndex", "gl_InstanceIndex");
        self.line("gl_Position = place;");
        self.clear(outputs, "v", "");
        self.body(outputs, "v", "");
        self.end();
    }

    fn control(
        &mut self,
        inputs: &[Varying],
        outputs: &[Varying],
        patch: &[Varying],
        vertices: usize,
    ) {
        let limit = *self.random.pick(&[4, 8, 20]);
        let count = 1 + self.random.below(limit);
        self.stage("tess_control");
        self.line(&format!("layout(vertices = {count}) out;"));
        self.declare(inputs, "in", "v", "[]");
        self.declare(outputs, "out", "c", "[]");
        self.declare(patch, "patch out", "p", "");
        let own = "[gl_InvocationID]";
        let indices =
            ["0".to_owned(), format!("gl_InvocationID % {vertices}"), format!("u1 % {vertices}u")];
        let indices: Vec<String> = indices.iter().map(|index| format!("[{index}]")).collect();
        self.readable(inputs, "v", &indices);
        self.begin("gl_InvocationID", "gl_PrimitiveID");
        self.line(&format!(
            "gl_out{own}.gl_Position = gl_in[gl_InvocationID % {vertices}].gl_Position;"
        ));
        self.clear(outputs, "c", own);
        self.body(outputs, "c", own);
        self.line("barrier();");
        // Control points of others are read into variables, before any of them changes.
        let (to, from) = (self.random.below(3), self.random.below(count));
        if let Some(varying) = outputs.iter().find(|varying| varying.count == 0) {
            let at = outputs.iter().position(|o| o.location == varying.location).unwrap_or(0);
            let comp = if varying.comps > 1 { ".y" } else { "" };
            self.line(&format!(
                "u{to} += uint(c{at}[(gl_InvocationID + {from}) % {count}]{comp});"
            ));
        }
        self.line("barrier();");
        let writer = self.random.below(count);
        self.line(&format!("if (gl_InvocationID == {writer}) {{"));
        self.indent = 2;
        self.clear(patch, "p", "");
        self.body(patch, "p", "");
        let [a, b, c] = [(); 3].map(|()| 1 + self.random.below(3));
        self.lines(&format!(
            "gl_TessLevelOuter[0] = {a}.0;
            gl_TessLevelOuter[1] = {b}.0 + float(gl_PrimitiveID & 1);
            gl_TessLevelOuter[2] = {c}.0;
            gl_TessLevelInner[0] = {b}.0;"
        ));
        self.indent = 1;
        self.line("}");
        self.end();
    }

    fn evaluation(
        &mut self,
        inputs: &[Varying],
        patch: &[Varying],
        outputs: &[Varying],
        points: usize,
        point_mode: bool,
    ) {
        self.stage("tess_eval");
        let mode = if point_mode { ", point_mode" } else { "" };
        self.line(&format!("layout(triangles, equal_spacing{mode}) in;"));
        self.declare(inputs, "in", "c", "[]");
        self.declare(patch, "patch in", "p", "");
        self.declare(outputs, "out", "e", "");
        self.line(&format!("layout(location = {points}) out vec4 where;"));
        self.readable(inputs, "c", &["[0]".to_owned()]);
        self.readable(patch, "p", &[String::new()]);
        self.begin("gl_TessCoord.x * 8.0", "gl_PrimitiveID");
        self.line("f2 = floor(gl_TessCoord.y * 16.0);");
        self.line("gl_Position = gl_in[0].gl_Position;");
        self.line("where = vec4(gl_TessCoord, float(gl_PrimitiveID));");
        self.clear(outputs, "e", "");
        self.body(outputs, "e", "");
        self.end();
    }

    fn geometry(&mut self, inputs: &[Varying], outputs: &[Varying], input: &str, count: usize) {
        self.stage("geometry");
        let invocations = *self.random.pick(&[1, 1, 2, 3, 9]);
        let limit = *self.random.pick(&[3, 9, 40]);
        let most = 1 + self.random.below(limit);
        let output = *self.random.pick(&["points", "line_strip", "triangle_strip"]);
        let name = if self.random.below(2) == 0 { "v" } else { "w" };
        self.lines(&format!(
            "layout({input}, invocations = {invocations}) in;
            layout({output}, max_vertices = {most}) out;"
        ));
        self.declare(inputs, "in", name, "[]");
        self.declare(outputs, "out", "g", "");
        let indices = ["0".to_owned(), format!("{}", count - 1), format!("u1 % {count}u")];
        let indices: Vec<String> = indices.iter().map(|index| format!("[{index}]")).collect();
        self.readable(inputs, name, &indices);
        self.begin("gl_InvocationID", "gl_PrimitiveIDIn");
        let end = match self.random.below(3) {
            0 => format!("{most}"),
            1 => format!("int(u1 % {}u)", most + 1),
            _ => format!("int(uint({}) % {}u)", self.uint(1), most + 1),
        };
        self.line(&format!("int end = {end};"));
        self.line("for (int round = 0; round < end; ++round) {");
        self.indent = 2;
        self.line("u2 += uint(round);");
        self.line(&format!("gl_Position = gl_in[round % {count}].gl_Position;"));
        self.clear(outputs, "g", "");
        self.body(outputs, "g", "");
        self.line("EmitVertex();");
        if self.random.below(2) == 0 {
            let condition = self.condition();
            self.line(&format!("if ({condition}) EndPrimitive();"));
        }
        self.indent = 1;
        self.line("}");
        if self.random.below(3) == 0 {
            self.line("EndPrimitive();");
        }
        self.end();
    }

    /// Stores 0 to all outputs.
    fn clear(&mut self, outputs: &[Varying], name: &str, vertex: &str) {
        for (at, output) in outputs.iter().enumerate() {
            let ty = output.kind.name(output.comps);
            let elements = (0..output.slots()).map(|element| match output.count {
                0 => String::new(),
                _ => format!("[{element}]"),
            });
            for element in elements.collect::<Vec<_>>() {
                self.line(&format!("{name}{at}{vertex}{element} = {ty}(0);"));
            }
        }
    }

    /// Random statements, some of which store outputs, then a store to a part of each output.
    fn body(&mut self, outputs: &[Varying], name: &str, vertex: &str) {
        let statements = 2 + self.random.below(5);
        for _ in 0..statements {
            self.statement(2, outputs, name, vertex);
        }
        for at in 0..outputs.len() {
            self.store(at, outputs, name, vertex);
        }
    }

    /// A store to output number `at`: to all of it, to a component, or to an element.
    fn store(&mut self, at: usize, outputs: &[Varying], name: &str, vertex: &str) {
        let Some(output) = outputs.get(at) else { return };
        let element = match (output.count, self.random.below(2)) {
            (0, _) => String::new(),
            (count, 0) => format!("[{}]", self.random.below(count)),
            (count, _) => format!("[{} % {count}u]", self.uint(1)),
        };
        let value = match output.kind {
            Kind::Float => format!("float(int({}) & 1023)", self.float()),
            Kind::Int => self.int(1),
            Kind::Uint => self.uint(1),
        };
        let whole = format!("{name}{at}{vertex}{element}");
        match (output.comps, self.random.below(3)) {
            (1, _) => self.line(&format!("{whole} = {value};")),
            (comps, 0) => {
                let comp = &"xyzw"[self.random.below(comps)..][..1];
                self.line(&format!("{whole}.{comp} = {value};"));
            }
            (comps, _) => {
                self.line(&format!("{whole} = {}({value});", output.kind.name(comps)));
            }
        }
    }

    fn statement(&mut self, depth: usize, outputs: &[Varying], name: &str, vertex: &str) {
        let to = self.random.below(3);
        match self.random.below(if depth > 0 { 11 } else { 7 }) {
            0 => {
                let value = self.float();
                self.line(&format!("f{to} = float(int({value}) & 1023);"));
            }
            1 => {
                let value = self.uint(2);
                self.line(&format!("u{to} = {value};"));
            }
            2 => {
                let value = self.int(2);
                self.line(&format!("i{to} = {value};"));
            }
            3 => {
                let (index, value) = (self.uint(1), self.uint(1));
                self.line(&format!("list[{index} & 3u] = {value};"));
            }
            4 => {
                let (total, value) = (self.random.below(TOTALS), self.uint(1));
                // How often a stage runs for a vertex is not defined, so a repetition must not change the result.
                let call = if total % 2 == 0 { "atomicOr" } else { "atomicMax" };
                self.line(&format!("{call}(totals[{total}], {value});"));
            }
            5 | 6 => {
                let at = self.random.below(outputs.len());
                self.store(at, outputs, name, vertex);
            }
            7 | 8 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.nested(depth, outputs, name, vertex);
                if self.random.below(2) == 0 {
                    self.line("} else {");
                    self.nested(depth, outputs, name, vertex);
                }
                self.line("}");
            }
            _ => {
                let counter = format!("k{}", self.loops);
                self.loops += 1;
                let end = match self.random.below(2) {
                    0 => format!("int({} & 3u)", self.uint(0)),
                    _ => (1 + self.random.below(4)).to_string(),
                };
                self.line(&format!("for (int {counter} = 0; {counter} < {end}; ++{counter}) {{"));
                self.nested(depth, outputs, name, vertex);
                if self.random.below(2) == 0 {
                    let condition = self.condition();
                    let leave = *self.random.pick(&["break", "continue"]);
                    self.line(&format!("    if ({condition}) {leave};"));
                    self.line(&format!("    u{to} ^= uint({counter});"));
                }
                self.line("}");
            }
        }
    }

    fn nested(&mut self, depth: usize, outputs: &[Varying], name: &str, vertex: &str) {
        self.indent += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth - 1, outputs, name, vertex);
        }
        self.indent -= 1;
    }

    fn condition(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("{} < {}", self.float(), self.float()),
            1 => format!("{} > {}", self.int(1), self.int(1)),
            2 => format!("({} & 3u) == {}u", self.uint(1), self.random.below(4)),
            _ => format!("({} <= {} || u0 != {})", self.float(), self.float(), self.uint(1)),
        }
    }

    /// An input of a kind, if the stage has one.
    fn input(&mut self, kind: Kind) -> Option<String> {
        let all: Vec<&String> =
            self.reads.iter().filter(|(of, _)| *of == kind).map(|(_, text)| text).collect();
        if all.is_empty() { None } else { Some((*self.random.pick(&all)).clone()) }
    }

    /// A float expression: a whole number of less than 22 bits.
    fn float(&mut self) -> String {
        let [a, b, c] = [(); 3].map(|()| self.simple_float());
        match self.random.below(7) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b} + {c})"),
            3 => format!("min({a}, {b})"),
            4 => format!("max({a} - {b}, {c})"),
            5 => format!("floor({a} * 0.25)"),
            _ => a,
        }
    }

    fn simple_float(&mut self) -> String {
        match self.random.below(6) {
            0 | 1 => format!("f{}", self.random.below(3)),
            2 => format!("{}.0", self.random.below(100)),
            3 => format!("float({} & 255u)", self.uint(0)),
            _ => self.input(Kind::Float).unwrap_or_else(|| "f1".to_owned()),
        }
    }

    fn uint(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            return match self.random.below(7) {
                0..=2 => format!("u{}", self.random.below(3)),
                3 => format!("{}u", self.random.below(300)),
                4 => format!("list[{}]", self.random.below(4)),
                _ => self.input(Kind::Uint).unwrap_or_else(|| "u2".to_owned()),
            };
        }
        let (a, b) = (self.uint(depth - 1), self.uint(depth - 1));
        match self.random.below(9) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("({a} & {b})"),
            4 => format!("({a} ^ {b})"),
            5 => format!("({a} << ({b} & 7u))"),
            6 => format!("({a} / ({b} & 6u | 1u))"),
            7 => format!("uint({})", self.int(depth - 1)),
            _ => format!("(u1 > {a} ? {a} : {b})"),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            return match self.random.below(6) {
                0 | 1 => format!("i{}", self.random.below(3)),
                2 => format!("{}", self.random.below(200)),
                3 => format!("int(f{})", self.random.below(3)),
                _ => self.input(Kind::Int).unwrap_or_else(|| "i1".to_owned()),
            };
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        match self.random.below(7) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("max({a}, {b})"),
            4 => format!("({a} >> ({b} & 15))"),
            5 => format!("(-{a})"),
            _ => format!("int({})", self.uint(depth - 1)),
        }
    }
}
