//! Generates random fragment shaders: small GLSL programs that end, have no undefined behaviour, and compute the same
//! values on every engine.
//!
//! Undefined and different results are avoided as follows:
//!
//! * floats are whole numbers from 0 to 1023 after each statement, and no expression multiplies more than two of them, so all
//!   arithmetic is exact;
//! * derivatives are fine ones, are outside of flow that differs between invocations, and come before any `discard` (after a
//!   `demote` they are defined);
//! * each loop counts its own variable up to a small number; shift amounts and array indices are masked; divisors are small
//!   odd numbers;
//! * an invocation writes only its own element of the buffer. Invocations share data only through atomics whose order does
//!   not matter, and whose results are not used;
//! * helper invocations do not read the buffer: their stores have no effect, but an engine may forward the stored value to a
//!   load all the same, as lavapipe does;
//! * texture coordinates are centres of texels, and their differences give whole levels of detail.

use std::fmt::Write;

use crate::data::Random;

/// Width and height of the picture in pixels.
const SIDE: u32 = 32;

/// Bytes of the buffer: four totals and an element for each pixel.
pub const BUFFER_BYTES: usize = 16 + 4 * (SIDE * SIDE) as usize;

/// Generates the text of the shader for a seed. Its inputs are those that `tests/fragments/vertex.vert` writes, its outputs
/// floats at location 0 and unsigned integers at location 1. Set 0, binding 0 is a buffer of [`BUFFER_BYTES`] bytes; binding 1
/// is a texture of 32 by 32 texels with all levels.
pub fn source(seed: u64) -> String {
    let mut writer = Writer {
        random: Random::new(seed ^ 0x5eed_f4a6),
        out: String::new(),
        indent: 1,
        loops: 0,
        loop_depth: 0,
        derivatives: true,
    };
    writer.module();
    writer.out
}

struct Writer {
    random: Random,
    out: String,
    indent: usize,
    /// Number of loops so far, for the names of their counters.
    loops: usize,
    /// Number of loops around the current statement.
    loop_depth: u32,
    /// Whether derivatives are defined: no invocation was discarded before, or may have left the flow.
    derivatives: bool,
}

impl Writer {
    fn module(&mut self) {
        self.out.push_str(
            "#version 450\n\
             #extension GL_EXT_demote_to_helper_invocation : require\n\
             layout(location = 0) in vec4 plain;\n\
             layout(location = 1) noperspective in vec4 linear;\n\
             layout(location = 2) flat in ivec4 number;\n\
             layout(location = 4) in float rows[3];\n\
             layout(location = 0) out vec4 colour;\n\
             layout(location = 1) out uvec4 bits;\n\
             layout(set = 0, binding = 0) buffer Data { uint totals[4]; uint data[]; };\n\
             layout(set = 0, binding = 1) uniform sampler2D texels;\n\
             void main() {\n\
             \x20   uvec2 pixel = uvec2(gl_FragCoord.xy);\n\
             \x20   uint at = pixel.x + 32u * pixel.y;\n\
             \x20   uint u0 = pixel.x, u1 = at * 2654435761u, u2 = uint(number.y);\n\
             \x20   int i0 = int(pixel.y) - 9, i1 = number.x, i2 = int(at);\n\
             \x20   float f0 = floor(plain.x), f1 = floor(linear.z) + 64.0, f2 = float(pixel.y);\n\
             \x20   uint list[4] = uint[4](u0, 7u, at, u1);\n\
             \x20   colour = vec4(0.0);\n\
             \x20   bits = uvec4(0u);\n",
        );
        let statements = 5 + self.random.below(6);
        self.block(statements, 3, true);
        self.line("bits = uvec4(u0, u1, uint(i0) ^ uint(i1), uint(i2) + u2);");
        self.line("colour = vec4(f0, f1, f2, float(list[u0 & 3u] & 255u));");
        self.out.push_str("}\n");
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.indent));
    }

    /// Writes statements. `uniform` states whether all invocations of a quad execute them together.
    fn block(&mut self, statements: usize, depth: usize, uniform: bool) {
        for _ in 0..statements {
            self.statement(depth, uniform);
        }
    }

    fn nested(&mut self, depth: usize, uniform: bool) {
        self.indent += 1;
        let statements = 1 + self.random.below(3);
        self.block(statements, depth - 1, uniform);
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize, uniform: bool) {
        match self.random.below(if depth > 0 { 16 } else { 10 }) {
            0..=1 => self.assign_float(uniform),
            2..=3 => {
                let (to, value) = (self.random.below(3), self.uint(2));
                self.line(&format!("u{to} = {value};"));
            }
            4..=5 => {
                let (to, value) = (self.random.below(3), self.int(2));
                self.line(&format!("i{to} = {value};"));
            }
            6 => {
                let (index, value) = (self.uint(1), self.uint(1));
                self.line(&format!("list[{index} & 3u] = {value};"));
            }
            7 => {
                let value = self.uint(1);
                let op = *self.random.pick(&["=", "+=", "^="]);
                self.line(&format!("data[at] {op} {value};"));
            }
            8 => {
                let call = *self.random.pick(&["atomicAdd", "atomicMax", "atomicXor", "atomicOr"]);
                let (index, value) = (self.random.below(4), self.uint(1));
                // Each total has one kind of operation, because operations of different kinds do not commute.
                let total = match call {
                    "atomicAdd" => 0,
                    "atomicMax" => 1,
                    "atomicXor" => 2,
                    _ => 3,
                };
                let _ = index;
                self.line(&format!("{call}(totals[{total}], {value});"));
            }
            9 => self.texture(uniform),
            10..=11 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.nested(depth, false);
                if self.random.below(2) == 0 {
                    self.line("} else {");
                    self.nested(depth, false);
                }
                self.line("}");
            }
            12 => {
                let odd = self.random.below(2);
                let value = *self.random.pick(&["number.x", "number.z", "int(pixel.x >> 1)"]);
                self.line(&format!("if (({value} & 1) == {odd}) {{"));
                self.nested(depth, uniform);
                self.line("}");
            }
            13 => self.looped(depth, uniform),
            14 => {
                let condition = self.condition();
                let leave = match self.random.below(4) {
                    0..=1 => "demote;",
                    2 => "discard;",
                    _ => {
                        "{ bits = uvec4(u0, u1, 3u, 4u); colour = vec4(f0, f1, f2, 1.0); return; }"
                    }
                };
                self.derivatives &= leave == "demote;";
                self.line(&format!("if ({condition} && (at & 3u) == 1u) {leave}"));
            }
            _ => {
                let value = self.condition();
                let to = self.random.below(3);
                self.line(&format!("u{to} += uint({value}) + uint(helperInvocationEXT()) * 0u;"));
            }
        }
    }

    fn looped(&mut self, depth: usize, uniform: bool) {
        let name = format!("k{}", self.loops);
        self.loops += 1;
        let divergent = self.random.below(2) == 0;
        let end = if divergent {
            format!("int({} & 3u)", self.uint(0))
        } else {
            (1 + self.random.below(4)).to_string()
        };
        let start = self.out.len();
        // A later iteration executes what comes before a `discard` after it.
        let before = self.derivatives;
        self.derivatives = false;
        self.line(&format!("for (int {name} = 0; {name} < {end}; {name}++) {{"));
        self.loop_depth += 1;
        self.nested(depth, uniform && !divergent);
        self.indent += 1;
        if self.random.below(2) == 0 {
            let (condition, leave) = (self.condition(), *self.random.pick(&["break", "continue"]));
            self.line(&format!("if ({condition}) {leave};"));
            self.nested_line();
        }
        self.indent -= 1;
        self.loop_depth -= 1;
        self.line("}");
        let body = &self.out[start..];
        let leaves = body.contains("discard") || body.contains("return");
        self.derivatives = before && !leaves;
    }

    fn nested_line(&mut self) {
        let (to, value) = (self.random.below(3), self.uint(1));
        self.line(&format!("u{to} = {value};"));
    }

    fn assign_float(&mut self, uniform: bool) {
        let to = self.random.below(3);
        let value = if uniform && self.derivatives && self.random.below(3) == 0 {
            let call = *self.random.pick(&["dFdxFine", "dFdyFine", "fwidthFine"]);
            format!("{call}(f{})", self.random.below(3))
        } else {
            self.float()
        };
        self.line(&format!("f{to} = float(int({value}) & 1023);"));
    }

    fn texture(&mut self, uniform: bool) {
        let to = self.random.below(3);
        let component = *self.random.pick(&["x", "y", "z"]);
        let read = if uniform && self.derivatives && self.random.below(2) == 0 {
            // The differences of coordinates are 1, 2 or 4 texels of level 0.
            let scale = 1 << self.random.below(3);
            let place = *self.random.pick(&["gl_FragCoord.xy", "gl_FragCoord.yx"]);
            match self.random.below(3) {
                0 => format!("texture(texels, {place} * {scale}.0 / 32.0, 1.0)"),
                1 => format!("textureOffset(texels, {place} * {scale}.0 / 32.0, ivec2(1, -2))"),
                _ => format!("texture(texels, {place} * {scale}.0 / 32.0)"),
            }
        } else {
            let (x, y, level) = (self.uint(0), self.uint(0), self.random.below(4));
            let mask = (SIDE >> level) - 1;
            match self.random.below(2) {
                0 => format!("texelFetch(texels, ivec2({x} & {mask}u, {y} & {mask}u), {level})"),
                _ => format!(
                    "textureLod(texels, (vec2({x} & {mask}u, {y} & {mask}u) + 0.5) / {}.0, {level}.0)",
                    SIDE >> level
                ),
            }
        };
        self.line(&format!("f{to} = floor({read}.{component});"));
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("{} < {}", self.float(), self.float()),
            1 => format!("{} > {}", self.int(1), self.int(1)),
            2 => format!("({} & {}u) == {}u", self.uint(1), 3, self.random.below(4)),
            3 => format!(
                "({} <= {} || {} != {})",
                self.float(),
                self.float(),
                self.uint(0),
                self.uint(1)
            ),
            4 => format!("!({} >= {}) && {} > 5u", self.float(), self.float(), self.uint(0)),
            _ => format!(
                "({}) != gl_FrontFacing",
                format_args!("{} == {}", self.uint(0), self.uint(0))
            ),
        }
    }

    /// A float expression: a whole number of less than 22 bits.
    fn float(&mut self) -> String {
        let [a, b, c] = [(); 3].map(|()| self.simple_float());
        match self.random.below(8) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b} + {c})"),
            3 => format!("min({a}, {b})"),
            4 => format!("max({a} - {b}, {c})"),
            5 => format!("abs({a} - {b})"),
            6 => format!("floor({a} * 0.25)"),
            _ => a,
        }
    }

    fn simple_float(&mut self) -> String {
        match self.random.below(6) {
            0..=2 => format!("f{}", self.random.below(3)),
            3 => format!("{}.0", self.random.below(100)),
            4 => format!("float({} & 255u)", self.uint(0)),
            _ => format!("floor(rows[{} & 1u])", self.uint(0)),
        }
    }

    fn uint(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            return match self.random.below(8) {
                0..=3 => format!("u{}", self.random.below(3)),
                4 => format!("{}u", self.random.below(300)),
                5 => "at".to_owned(),
                6 => format!("list[{}]", self.random.below(4)),
                _ => "(helperInvocationEXT() ? 0u : data[at])".to_owned(),
            };
        }
        let (a, b) = (self.uint(depth - 1), self.uint(depth - 1));
        match self.random.below(11) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("({a} & {b})"),
            4 => format!("({a} ^ {b})"),
            5 => format!("({a} << ({b} & 7u))"),
            6 => format!("({a} >> ({b} & 15u))"),
            7 => format!("({a} / ({b} & 6u | 1u))"),
            8 => format!("({a} % ({b} & 14u | 1u))"),
            9 => format!("uint({})", self.int(depth - 1)),
            _ => format!("({} ? {a} : {b})", self.small_condition()),
        }
    }

    fn small_condition(&mut self) -> String {
        format!("u{} > i{}", self.random.below(3), self.random.below(3)).replace(" i", " uint(i")
            + ")"
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            return match self.random.below(6) {
                0..=2 => format!("i{}", self.random.below(3)),
                3 => format!("{}", self.random.below(200)),
                4 => format!("number.{}", *self.random.pick(&["x", "y", "z"])),
                _ => format!("int(f{})", self.random.below(3)),
            };
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        match self.random.below(8) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("max({a}, {b})"),
            4 => format!("min({a}, {b})"),
            5 => format!("({a} >> ({b} & 15))"),
            6 => format!("(-{a})"),
            _ => format!("int({})", self.uint(depth - 1)),
        }
    }
}
