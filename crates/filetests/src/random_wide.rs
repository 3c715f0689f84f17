//! Generates random compute shaders with values of 8, 16 and 64 bits, and with pointers: small GLSL programs that end, have no
//! undefined behaviour, and compute the same integers on every engine.
//!
//! Undefined and different results are avoided as in [`crate::random`], and as follows:
//!
//! * divisors are positive, and only unsigned numbers have a remainder;
//! * each invocation has four nodes of its own behind a physical address. Every pointer points to one of them, so no other
//!   invocation changes what it points to. At the end the pointers in the nodes are cleared, because addresses differ between engines.

use std::fmt::Write;

use crate::data::Random;

/// Nodes of each invocation.
const NODES: usize = 4;
/// Bytes of a node.
const NODE_BYTES: usize = 64;
/// Words that each invocation writes.
const OUTPUTS: usize = 16;

/// The head of each shader. The node has members of all sizes.
const HEAD: &str = "\
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node {
    uint8_t a; int8_t b; uint16_t c; uint d; uint64_t e; Node next; i16vec4 f; int8_t g[8]; uint h[4]; uint64_t pad;
};
layout(push_constant) uniform Push { Node nodes; };
layout(set = 0, binding = 0, std430) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Result { uint result[]; };
struct State { uint8_t small; int64_t wide; u16vec4 four; };
";

/// A type of variables and expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Int {
    bits: u32,
    signed: bool,
}

/// All types. Each has two variables.
const TYPES: [Int; 8] = [
    Int { bits: 8, signed: false },
    Int { bits: 8, signed: true },
    Int { bits: 16, signed: false },
    Int { bits: 16, signed: true },
    Int { bits: 32, signed: false },
    Int { bits: 32, signed: true },
    Int { bits: 64, signed: false },
    Int { bits: 64, signed: true },
];

const UINT: Int = TYPES[4];

impl Int {
    fn name(self) -> &'static str {
        match (self.bits, self.signed) {
            (8, false) => "uint8_t",
            (8, true) => "int8_t",
            (16, false) => "uint16_t",
            (16, true) => "int16_t",
            (32, false) => "uint",
            (32, true) => "int",
            (_, false) => "uint64_t",
            (_, true) => "int64_t",
        }
    }

    /// The prefix of the names of its variables.
    fn prefix(self) -> String {
        format!("{}{}_", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

/// Generates the text of the program for a seed. Lines that start with `//!` describe its inputs, as in `tests/run`.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x9a7e_55ed);
    let size = *random.pick(&[1usize, 7, 8, 16, 20, 32, 64]);
    let groups = 1 + random.below(2);
    let invocations = size * groups;
    let words = invocations.next_multiple_of(4);
    let mut writer = Writer {
        random,
        out: String::new(),
        indent: 1,
        loops: 0,
        in_loop: false,
        in_function: false,
        functions: 0,
    };
    let code = writer.module(size);
    format!(
        "//! dispatch {groups} 1 1\n//! inactive\n\
         //! push = zero 8\n\
         //! buffer 0.0 = u32 {words} * uniform 0 40; u32 {words} * bits; u32 {words} * edges\n\
         //! buffer 0.1 = zero {}\n\
         //! buffer 0.2 = u32 {} * bits\n\
         //! address push:0 = 0.2\n{HEAD}layout(local_size_x = {size}) in;\n{code}",
        invocations * OUTPUTS * 4,
        invocations * NODES * NODE_BYTES / 4,
    )
}

struct Writer {
    random: Random,
    out: String,
    indent: usize,
    /// Number of loops so far, for the names of their counters.
    loops: usize,
    in_loop: bool,
    in_function: bool,
    /// Number of functions written so far. Later code may call them.
    functions: usize,
}

impl Writer {
    fn module(&mut self, size: usize) -> String {
        let _ = writeln!(self.out, "shared uint64_t board[{size}];");
        for _ in 0..self.random.below(3) {
            self.function();
        }
        self.out.push_str("void main() {\n");
        self.line("uint id = gl_GlobalInvocationID.x;");
        self.line(&format!("Node base = nodes + {NODES}u * id;"));
        self.line("uint x = source[3u * id], y = source[3u * id + 1u], z = source[3u * id + 2u];");
        for node in 0..NODES {
            let next = self.random.below(NODES);
            self.line(&format!("base[{node}].next = base + {next};"));
        }
        self.variables();
        for _ in 0..1 + self.random.below(3) {
            let statements = 3 + self.random.below(4);
            self.block(statements, 3);
            if self.random.below(2) == 0 {
                let value = self.expression(TYPES[6], 2);
                self.line(&format!("board[gl_LocalInvocationIndex] = {value};"));
                self.line("barrier();");
                self.line(&format!(
                    "u64_1 = board[(gl_LocalInvocationIndex * 5u + 3u) % {size}u];"
                ));
                self.line("barrier();");
            }
        }
        let mut values: Vec<String> = Vec::new();
        for ty in TYPES {
            let name = format!("{}0", ty.prefix());
            values.push(format!("uint({name})"));
            if ty.bits == 64 {
                values.push(format!("uint({name} >> 32)"));
            }
        }
        values.extend([
            "uint(uint64_t(p0) - uint64_t(base))".to_owned(),
            "uint(state.small) + uint(state.wide) + uint(state.wide >> 32) * 3u".to_owned(),
            "uint(state.four.x) + uint(state.four.w) * 65536u".to_owned(),
            "uint(cells[u32_0 & 7u]) + uint(wides[u32_1 & 3u] >> 7)".to_owned(),
            self.expression(UINT, 3),
            self.expression(UINT, 3),
        ]);
        for (index, value) in values.iter().take(OUTPUTS).enumerate() {
            self.line(&format!("result[id * {OUTPUTS}u + {index}u] = {value};"));
        }
        for node in 0..NODES {
            self.line(&format!("base[{node}].next = Node(0ul);"));
        }
        self.out.push_str("}\n");
        std::mem::take(&mut self.out)
    }

    /// A function with a pointer and two numbers. It may return early.
    fn function(&mut self) {
        let _ = writeln!(self.out, "uint helper{}(Node base, uint x, uint y) {{", self.functions);
        self.in_function = true;
        self.line("uint z = x ^ 77u;");
        self.variables();
        let statements = 2 + self.random.below(3);
        self.block(statements, 2);
        let value = self.expression(UINT, 2);
        self.line(&format!("return {value};"));
        self.out.push_str("}\n");
        self.in_function = false;
        self.functions += 1;
    }

    /// Declares the variables that all statements use.
    fn variables(&mut self) {
        for ty in TYPES {
            let (name, prefix) = (ty.name(), ty.prefix());
            let first = match ty.bits {
                64 => format!("{name}(x) * {name}(0x123456789abcdl) ^ {name}(y)"),
                _ => format!("{name}(x)"),
            };
            self.line(&format!(
                "{name} {prefix}0 = {first}; {name} {prefix}1 = {name}(z) ^ {name}(y);"
            ));
        }
        self.line("Node p0 = base; Node p1 = base + int(x & 3u);");
        self.line("int16_t cells[8]; for (int k = 0; k < 8; k++) cells[k] = int16_t(k * 77);");
        self.line(
            "uint64_t wides[4]; for (int k = 0; k < 4; k++) wides[k] = uint64_t(y) * uint64_t(k);",
        );
        self.line("State state = State(uint8_t(x), int64_t(y) << 9, u16vec4(x, y, z, 3));");
        self.line("double f64_0 = double(x & 1023u); float16_t f16_0 = float16_t(x & 15u); bool b0 = x > z;");
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * self.indent);
    }

    fn block(&mut self, statements: usize, depth: usize) {
        for _ in 0..statements {
            self.statement(depth);
        }
    }

    /// A block in braces after `head`.
    fn nested(&mut self, head: &str, depth: usize, tail: &str) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        let count = 1 + self.random.below(3);
        self.block(count, depth - 1);
        self.indent -= 1;
        self.line(&format!("}}{tail}"));
    }

    /// Writes a random statement. Compound statements nest at most `depth` levels.
    fn statement(&mut self, depth: usize) {
        match if depth > 0 { self.random.below(10) } else { 9 } {
            0 | 1 => {
                let condition = self.condition(2);
                self.nested(&format!("if ({condition})"), depth, "");
                if self.random.below(2) == 0 {
                    self.nested("else", depth, "");
                }
            }
            2 => {
                let counter = format!("k{}", self.loops);
                self.loops += 1;
                let was = std::mem::replace(&mut self.in_loop, true);
                let limit = self.expression(UINT, 1);
                // The bound is evaluated once: its variables may change in the loop.
                self.line(&format!("uint n{counter} = {limit} & 3u;"));
                let head =
                    format!("for (uint {counter} = 0u; {counter} < n{counter}; {counter}++)");
                self.nested(&head, depth, "");
                self.in_loop = was;
            }
            3 => {
                let ty = *self.random.pick(&TYPES[2..6]);
                let selector = self.expression(ty, 1);
                self.line(&format!("switch (int({selector}) & 3) {{"));
                self.indent += 1;
                for case in ["case 0:", "case 1: case 2:", "default:"] {
                    // Without `break` the next case follows.
                    let tail = *self.random.pick(&[" break;", " break;", ""]);
                    self.nested(case, depth, if case == "default:" { " break;" } else { tail });
                }
                self.indent -= 1;
                self.line("}");
            }
            4 if self.in_loop => {
                let condition = self.condition(1);
                let jump = *self.random.pick(&["break", "continue"]);
                self.line(&format!("if ({condition}) {{ {jump}; }}"));
            }
            4 if self.in_function => {
                let (condition, value) = (self.condition(1), self.expression(UINT, 1));
                self.line(&format!("if ({condition}) {{ return {value}; }}"));
            }
            _ => self.simple(),
        }
    }

    /// The name of a variable.
    fn variable(&mut self, ty: Int) -> String {
        format!("{}{}", ty.prefix(), self.random.below(2))
    }

    fn pointer(&mut self) -> &'static str {
        if self.random.below(2) == 0 { "p0" } else { "p1" }
    }

    /// The value of an expression of any type, converted to `ty`.
    fn converted(&mut self, ty: Int, depth: usize) -> String {
        let from = *self.random.pick(&TYPES);
        format!("{}({})", ty.name(), self.expression(from, depth))
    }

    /// A member of a node, or an element of one, and its type.
    fn member(&mut self) -> (String, Int) {
        let pointer = self.pointer();
        let (name, ty) = *self.random.pick(&[
            ("a", TYPES[0]),
            ("b", TYPES[1]),
            ("c", TYPES[2]),
            ("d", TYPES[4]),
            ("e", TYPES[6]),
            ("f.x", TYPES[3]),
            ("f.w", TYPES[3]),
            ("g[3]", TYPES[1]),
            ("g[u32_0 & 7u]", TYPES[1]),
            ("h[u32_1 & 3u]", TYPES[4]),
            ("h[0]", TYPES[4]),
        ]);
        (format!("{pointer}.{name}"), ty)
    }

    /// Writes a random assignment.
    fn simple(&mut self) {
        let text = match self.random.below(16) {
            0..=5 => {
                let ty = *self.random.pick(&TYPES);
                let variable = self.variable(ty);
                format!("{variable} = {};", self.expression(ty, 3))
            }
            6 => format!(
                "cells[{} & 7u] = {};",
                self.expression(UINT, 1),
                self.expression(TYPES[3], 2)
            ),
            7 => format!(
                "wides[{} & 3u] = {};",
                self.expression(UINT, 1),
                self.expression(TYPES[6], 2)
            ),
            8 => {
                let (member, ty) = *self.random.pick(&[
                    ("small", TYPES[0]),
                    ("wide", TYPES[7]),
                    ("four.y", TYPES[2]),
                    ("four[u32_0 & 3u]", TYPES[2]),
                ]);
                format!("state.{member} = {};", self.expression(ty, 2))
            }
            9 => "state.four = state.four.wzxy + uint16_t(3);".to_owned(),
            10 | 11 => {
                let (member, ty) = self.member();
                format!("{member} = {};", self.expression(ty, 2))
            }
            12 => {
                let (to, from) = (self.pointer(), self.pointer());
                match self.random.below(3) {
                    0 => format!("{to} = {from}.next;"),
                    1 => format!("{to}.next = {from};"),
                    _ => format!("if ({}) {to} = {from}.next;", self.condition(1)),
                }
            }
            13 => {
                let index = self.expression(UINT, 1);
                format!("{} = base + int({index} & 3u);", self.pointer())
            }
            14 => format!("f64_0 = {};", self.float("double")),
            _ => match self.random.below(3) {
                0 => format!("b0 = {};", self.condition(2)),
                1 => format!("f16_0 = {};", self.float("float16_t")),
                _ => {
                    let op = *self.random.pick(&["Add", "Xor", "Max", "Exchange"]);
                    let pointer = self.pointer();
                    format!("u32_1 = atomic{op}({pointer}.d, {});", self.expression(UINT, 2))
                }
            },
        };
        self.line(&text);
    }

    /// An expression of a float type whose value is a small whole number, so that it is exact.
    fn float(&mut self, name: &str) -> String {
        let (a, b) = (self.expression(UINT, 1), self.variable(TYPES[5]));
        let (a, b) = (format!("{name}({a} & 31u)"), format!("{name}({b} & 31)"));
        match self.random.below(6) {
            0 => format!("{a} * {b}"),
            1 => format!("{a} - {b}"),
            2 => format!("min({a}, {b})"),
            3 => format!("abs({a} - {b})"),
            4 => format!("floor({a} * {name}(0.5))"),
            _ => format!("{a} * {b} + {a}"),
        }
    }

    /// A random condition.
    fn condition(&mut self, depth: usize) -> String {
        let ty = *self.random.pick(&TYPES);
        let compare = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.random.below(7) {
            0 => "b0".to_owned(),
            1 => format!("uint64_t(p0) {compare} uint64_t(p1)"),
            2 if depth > 0 => {
                format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1))
            }
            3 if depth > 0 => {
                format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1))
            }
            4 => "f64_0 > double(f16_0)".to_owned(),
            _ => {
                let depth = depth.saturating_sub(1);
                let (a, b) = (self.variable(ty), self.expression(ty, depth));
                format!("({a} {compare} {b})")
            }
        }
    }

    /// A random expression of a type, nested at most `depth` levels.
    fn expression(&mut self, ty: Int, depth: usize) -> String {
        let name = ty.name();
        if depth == 0 || self.random.below(6) == 0 {
            return match self.random.below(8) {
                0 => {
                    let (member, _) = self.member();
                    format!("{name}({member})")
                }
                1 => format!("{name}(cells[{} & 7u])", self.variable(UINT)),
                2 => format!("{name}(wides[{} & 3u])", self.variable(UINT)),
                3 => {
                    let members = ["small", "wide", "four.z", "four[u32_1 & 3u]"];
                    format!("{name}(state.{})", self.random.pick(&members))
                }
                4 => match self.random.below(2) {
                    0 => format!("{name}(int(f64_0))"),
                    _ => format!("{name}(int(f16_0))"),
                },
                _ => self.variable(ty),
            };
        }
        let a = self.expression(ty, depth - 1);
        let bits = 1 + self.random.below(14);
        let literal =
            format!("{name}({})", 1 + self.random.below(1 << bits.min(ty.bits as usize - 2)));
        match self.random.below(20) {
            0 => format!("({a} + {literal})"),
            1 => format!("({a} * {literal})"),
            2 => format!("({a} / {literal})"),
            3 if !ty.signed => format!("({a} % {literal})"),
            4 => format!("({a} & {literal})"),
            5 => {
                let op = *self.random.pick(&["<<", ">>"]);
                format!("({a} {op} {})", self.random.below(ty.bits as usize))
            }
            6 => format!("(~{a})"),
            7 => format!("(-{a})"),
            8 if ty.signed => format!("abs({a})"),
            9..=11 => self.converted(ty, depth - 1),
            12 => {
                let (b, condition) = (self.variable(ty), self.condition(1));
                format!("({condition} ? {a} : {b})")
            }
            13 if ty == UINT && self.functions > 0 && !self.in_function => {
                let function = self.random.below(self.functions);
                format!("helper{function}(base, {a}, {})", self.variable(UINT))
            }
            14 if ty.bits == 32 => {
                let function =
                    *self.random.pick(&["bitCount", "findLSB", "findMSB", "bitfieldReverse"]);
                format!("{name}({function}({a}))")
            }
            15 if ty == TYPES[6] => {
                format!(
                    "packUint2x32(uvec2({}, {}))",
                    self.variable(UINT),
                    self.expression(UINT, depth - 1)
                )
            }
            15 if ty == UINT => {
                let wide = self.expression(TYPES[6], depth - 1);
                match self.random.below(3) {
                    0 => format!("unpackUint2x32({wide}).y"),
                    1 => format!("uint(unpack8({a}).z)"),
                    _ => format!("pack32(u16vec2({a}, {}))", self.variable(TYPES[2])),
                }
            }
            _ => {
                let b = self.expression(ty, depth - 1);
                let last = ty.bits - 1;
                match self.random.below(10) {
                    0 => format!("min({a}, {b})"),
                    1 => format!("max({a}, {b})"),
                    2 => format!("({a} << (int({b}) & {last}))"),
                    3 => format!("({a} >> (int({b}) & {last}))"),
                    4 => format!("({a} / (({b} & {name}(15)) + {name}(1)))"),
                    index => {
                        let op = ["+", "-", "*", "&", "^"][index % 5];
                        format!("({a} {op} {b})")
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_a_program() {
        assert_eq!(program(7), program(7));
        assert_ne!(program(7), program(8));
    }
}
