//! Generates random compute shaders: small WGSL programs that end, have no undefined behaviour, and compute the same
//! integers on every engine.
//!
//! Undefined and different results are avoided as follows:
//!
//! * each loop counts its own variable up to a small constant, and nothing else writes that variable;
//! * shift amounts and array indices are masked; WGSL defines division;
//! * floats are whole numbers so small that every operation on them is exact, so rounding and fused multiplication have
//!   no effect;
//! * an invocation writes only its own part of the output; invocations share data only through shared memory between
//!   barriers in uniform control flow, or through atomics whose order does not matter;
//! * no expression consists of literals only, because WGSL refuses constant expressions that overflow.

use std::fmt::Write;

use crestline_judges::lavapipe::{Buffer, BufferKind};

use crate::case::Case;
use crate::compare::Rule;
use crate::data::{self, Random};

/// Words that each invocation writes.
const OUTPUTS: usize = 6;
/// Elements of the private array.
const ARRAY: usize = 8;
/// Elements of shared memory.
const SHARED: usize = 64;

/// A random shader and its inputs.
#[derive(Debug)]
pub struct Program {
    /// WGSL.
    pub source: String,
    /// Buffers, dispatch, comparison.
    pub case: Case,
}

/// Generates the program for a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let size = *random.pick(&[1usize, 7, 8, 16, 20, 32, 64]);
    let groups = 1 + random.below(3);
    let mut writer = Writer {
        random,
        out: String::new(),
        indent: 1,
        loops: 0,
        in_loop: false,
        in_function: false,
        functions: 0,
        size,
    };
    let source = writer.module();
    let invocations = size * groups;
    let buffer = |binding, description: String| Buffer {
        set: 0,
        binding,
        element: 0,
        kind: BufferKind::Storage,
        contents: data::bytes(&description, seed).expect("a well-formed description"),
    };
    // Small numbers, random bits and edge values: each finds errors that the others miss.
    let words = format!(
        "u32 {n} * uniform 0 40; u32 {n} * bits; u32 {n} * edges",
        n = invocations.next_multiple_of(4)
    );
    let case = Case {
        groups: [groups as u32, 1, 1],
        entry: "main".into(),
        spec: Vec::new(),
        push: Vec::new(),
        addresses: Vec::new(),
        buffers: vec![
            buffer(0, words),
            buffer(1, format!("zero {}", 4 * OUTPUTS * invocations)),
            buffer(2, "u32 4 * fill 0".into()),
        ],
        rules: vec![Rule::exact(); 3],
        widths: vec![8, 16, 32],
        also: Vec::new(),
        scratch: 0,
        judged: true,
        in_bounds: true,
        inactive: false,
        expected: Vec::new(),
    };
    Program { source, case }
}

/// The types of expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ty {
    U32,
    I32,
    F32,
    Bool,
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
    size: usize,
}

impl Writer {
    /// Writes a whole module: functions, the entry point with random statements, and the stores of the results.
    fn module(&mut self) -> String {
        self.out.push_str(
            "@group(0) @binding(0) var<storage, read> source: array<u32>;\n\
             @group(0) @binding(1) var<storage, read_write> result: array<u32>;\n\
             @group(0) @binding(2) var<storage, read_write> totals: array<atomic<u32>, 4>;\n\
             struct State { count: u32, both: vec2<i32>, weight: f32 }\n",
        );
        let _ = writeln!(self.out, "var<workgroup> board: array<u32, {SHARED}>;");
        let _ = writeln!(self.out, "var<workgroup> tally: array<atomic<u32>, 4>;");
        for _ in 0..self.random.below(3) {
            self.function();
        }
        let _ = writeln!(self.out, "@compute @workgroup_size({})", self.size);
        self.out.push_str(
            "fn main(@builtin(global_invocation_id) id: vec3<u32>, \
             @builtin(local_invocation_index) local: u32, \
             @builtin(workgroup_id) group: vec3<u32>) {\n",
        );
        self.variables(
            "source[3u * id.x]",
            "bitcast<i32>(source[3u * id.x + 1u])",
            "source[3u * id.x + 2u]",
        );
        for _ in 0..1 + self.random.below(3) {
            let statements = 3 + self.random.below(4);
            self.block(statements, 3);
            if self.random.below(2) == 0 {
                self.exchange();
            }
        }
        for index in 0..OUTPUTS {
            let value = match index {
                0 => "u0".into(),
                1 => "bitcast<u32>(i0)".into(),
                2 => format!("cells[{} & {}u]", self.expression(Ty::U32, 1), ARRAY - 1),
                3 => "bitcast<u32>(state.both.x ^ state.both.y) + state.count".into(),
                4 => "bitcast<u32>(i32(f0) + i32(state.weight))".into(),
                _ => self.expression(Ty::U32, 3),
            };
            self.line(&format!("result[id.x * {OUTPUTS}u + {index}u] = {value};"));
        }
        self.out.push_str("}\n");
        std::mem::take(&mut self.out)
    }

    /// A function with an unsigned and a signed parameter. It may return early.
    fn function(&mut self) {
        let _ = writeln!(self.out, "fn helper{}(a: u32, b: i32) -> u32 {{", self.functions);
        self.in_function = true;
        self.variables("a", "b", "a ^ 77u");
        let statements = 2 + self.random.below(3);
        self.block(statements, 2);
        let value = self.expression(Ty::U32, 2);
        self.line(&format!("return {value};"));
        self.out.push_str("}\n");
        self.in_function = false;
        self.functions += 1;
    }

    /// Declares the variables that all statements use.
    fn variables(&mut self, unsigned: &str, signed: &str, third: &str) {
        self.line(&format!("var u0: u32 = {unsigned};"));
        self.line(&format!("var i0: i32 = {signed};"));
        self.line(&format!("var u1: u32 = {third};"));
        self.line("var i1: i32 = i0 ^ 5;");
        self.line("var f0: f32 = f32(u0 & 255u);");
        self.line("var b0: bool = u1 > u0;");
        self.line(&format!("var cells: array<u32, {ARRAY}>;"));
        self.line("var state = State(u1 & 15u, vec2(i0, i1), f32(i0 & 31));");
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
    fn nested(&mut self, head: &str, depth: usize) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        let count = 1 + self.random.below(3);
        self.block(count, depth - 1);
        self.indent -= 1;
        self.line("}");
    }

    /// Writes a random statement. Compound statements nest at most `depth` levels.
    fn statement(&mut self, depth: usize) {
        let compound = if depth > 0 { self.random.below(10) } else { 9 };
        match compound {
            0 | 1 => {
                let condition = self.expression(Ty::Bool, 2);
                self.nested(&format!("if {condition}"), depth);
                if self.random.below(2) == 0 {
                    self.nested("else", depth);
                }
            }
            2 => self.counted_loop(depth),
            3 => self.switch(depth),
            4 if self.in_loop => {
                let condition = self.expression(Ty::Bool, 1);
                let jump = *self.random.pick(&["break", "continue"]);
                self.line(&format!("if {condition} {{ {jump}; }}"));
            }
            4 if self.in_function => {
                let (condition, value) =
                    (self.expression(Ty::Bool, 1), self.expression(Ty::U32, 1));
                self.line(&format!("if {condition} {{ return {value}; }}"));
            }
            _ => self.simple(),
        }
    }

    /// A loop of at most six iterations, whose counter nothing else writes.
    fn counted_loop(&mut self, depth: usize) {
        let counter = format!("k{}", self.loops);
        self.loops += 1;
        let was = std::mem::replace(&mut self.in_loop, true);
        let limit = match self.random.below(3) {
            0 => format!("{}u", 1 + self.random.below(6)),
            _ => format!("({} & 3u)", self.expression(Ty::U32, 1)),
        };
        // The bound is evaluated once: its variables may change in the loop.
        self.line(&format!("let n{counter} = {limit};"));
        self.nested(
            &format!("for (var {counter} = 0u; {counter} < n{counter}; {counter}++)"),
            depth,
        );
        self.in_loop = was;
    }

    /// Writes a `switch` with random selector and cases.
    fn switch(&mut self, depth: usize) {
        let selector = self.expression(Ty::U32, 1);
        self.line(&format!("switch {selector} & 3u {{"));
        self.indent += 1;
        // In a switch `continue` refers to the loop and `break` to the switch. Both are allowed.
        for case in ["case 0u:", "case 1u, 2u:", "default:"] {
            self.nested(case, depth);
        }
        self.indent -= 1;
        self.line("}");
    }

    /// Writes a random assignment or atomic.
    fn simple(&mut self) {
        let text = match self.random.below(12) {
            0 | 1 => format!("u0 = {};", self.expression(Ty::U32, 3)),
            2 | 3 => format!("i0 = {};", self.expression(Ty::I32, 3)),
            4 => format!("u1 = {};", self.expression(Ty::U32, 2)),
            5 => format!("i1 = {};", self.expression(Ty::I32, 2)),
            6 => format!("b0 = {};", self.expression(Ty::Bool, 2)),
            7 => format!("f0 = {};", self.expression(Ty::F32, 2)),
            8 => format!(
                "cells[{} & {}u] = {};",
                self.expression(Ty::U32, 1),
                ARRAY - 1,
                self.expression(Ty::U32, 2)
            ),
            9 => {
                let member = *self.random.pick(&["x", "y"]);
                format!("state.both.{member} = {};", self.expression(Ty::I32, 2))
            }
            10 => format!(
                "state = State(state.count + 1u, state.both.yx, {});",
                self.expression(Ty::F32, 1)
            ),
            _ => {
                // Each slot is used with one operation only, because different ones do not commute. No code reads the
                // results of the atomics.
                let slot = self.random.below(4);
                let op = ["Add", "Or", "Xor", "Max"][slot];
                let memory = *self.random.pick(&["tally", "totals"]);
                format!("atomic{op}(&{memory}[{slot}], {});", self.expression(Ty::U32, 2))
            }
        };
        self.line(&text);
    }

    /// Passes values to other invocations of the workgroup: write, barrier, read, barrier.
    fn exchange(&mut self) {
        let value = self.expression(Ty::U32, 2);
        let size = self.size;
        self.line(&format!("board[local] = {value};"));
        self.line("workgroupBarrier();");
        self.line(&format!("u1 = board[({}) % {size}u];", "local * 5u + 3u"));
        self.line("workgroupBarrier();");
    }

    /// A random expression of a type, nested at most `depth` levels.
    fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.random.below(6) == 0 {
            return self.leaf(ty);
        }
        match ty {
            Ty::U32 => self.unsigned(depth - 1),
            Ty::I32 => self.signed(depth - 1),
            Ty::F32 => self.float(depth - 1),
            Ty::Bool => self.boolean(depth - 1),
        }
    }

    /// A random variable or similar expression of a type.
    fn leaf(&mut self, ty: Ty) -> String {
        let leaves: &[&str] = match ty {
            Ty::U32 => &["u0", "u1", "state.count", "cells[u0 & 7u]", "cells[3]"],
            Ty::I32 => &["i0", "i1", "state.both.x", "state.both.y"],
            Ty::F32 => &["f32(u0 & 511u)", "f32(i1 & 255)", "(-f32(u1 & 127u))"],
            Ty::Bool => &["b0", "(u0 < u1)", "(i0 < i1)", "((u1 & 1u) == 0u)"],
        };
        let more: &[&str] = match (ty, self.in_function) {
            (Ty::U32, false) => &["id.x", "local", "group.x"],
            _ => &[],
        };
        let index = self.random.below(leaves.len() + more.len());
        leaves.iter().chain(more).nth(index).unwrap_or(&leaves[0]).to_string()
    }

    /// A random `u32` expression with operands of nesting `depth`.
    fn unsigned(&mut self, depth: usize) -> String {
        let a = self.expression(Ty::U32, depth);
        let bits = 1 + self.random.below(20);
        let literal = 1 + self.random.below(1 << bits);
        match self.random.below(20) {
            0 => format!("({a} + {literal}u)"),
            1 => format!("({a} * {literal}u)"),
            2 => format!("({a} / {literal}u)"),
            3 => format!("({a} % {literal}u)"),
            4 => format!("({a} & {literal}u)"),
            5 => format!("({a} {} {}u)", self.random.pick(&["<<", ">>"]), literal & 31),
            6 => format!("~{a}"),
            7 => {
                let function = *self.random.pick(&[
                    "countOneBits",
                    "reverseBits",
                    "firstTrailingBit",
                    "firstLeadingBit",
                    "countLeadingZeros",
                    "countTrailingZeros",
                ]);
                format!("{function}({a})")
            }
            8 => format!("extractBits({a}, {} & 31u, {}u)", self.leaf(Ty::U32), literal & 15),
            9 => format!("bitcast<u32>({})", self.expression(Ty::I32, depth)),
            10 => {
                format!("select({a}, {}, {})", self.leaf(Ty::U32), self.expression(Ty::Bool, depth))
            }
            11 if self.functions > 0 => {
                let function = self.random.below(self.functions);
                format!("helper{function}({a}, {})", self.expression(Ty::I32, depth))
            }
            // The xor avoids a bug of lavapipe: `select(u, insertBits(u, ...), c)`, also in the form of a conditional
            // assignment, gives `u` for every `c`.
            12 => format!(
                "(insertBits({a}, {}, {}u, {}u) ^ 1u)",
                self.leaf(Ty::U32),
                literal & 15,
                literal >> 3 & 15
            ),
            13 => format!("clamp({a}, {}u, {}u)", literal & 0xff, 256 + literal),
            _ => {
                let b = self.expression(Ty::U32, depth);
                match self.random.below(9) {
                    0 => format!("min({a}, {b})"),
                    1 => format!("max({a}, {b})"),
                    2 => format!("({a} << ({b} & 31u))"),
                    3 => format!("({a} >> ({b} & 31u))"),
                    index => {
                        let op = ["+", "-", "*", "&", "|", "^", "/", "%"][index % 8];
                        format!("({a} {op} {b})")
                    }
                }
            }
        }
    }

    /// A random `i32` expression with operands of nesting `depth`.
    fn signed(&mut self, depth: usize) -> String {
        let a = self.expression(Ty::I32, depth);
        let literal = 1 + self.random.below(1000);
        match self.random.below(16) {
            0 => format!("({a} + {literal})"),
            1 => format!("({a} * -{literal})"),
            2 => format!("({a} / {literal})"),
            3 => format!("({a} / -{literal})"),
            4 => format!("({a} >> {}u)", literal & 31),
            5 => format!("abs({a})"),
            6 => format!("sign({a})"),
            7 => format!("-({a})"),
            8 => format!("bitcast<i32>({})", self.expression(Ty::U32, depth)),
            9 => format!("i32({})", self.expression(Ty::F32, depth.min(1))),
            10 => {
                format!("select({a}, {}, {})", self.leaf(Ty::I32), self.expression(Ty::Bool, depth))
            }
            11 => format!("extractBits({a}, {}u, {}u)", literal & 15, 1 + (literal & 15)),
            12 => {
                format!("({a} {} ({} & 31u))", self.random.pick(&["<<", ">>"]), self.leaf(Ty::U32))
            }
            _ => {
                let b = self.expression(Ty::I32, depth);
                match self.random.below(10) {
                    0 => format!("min({a}, {b})"),
                    1 => format!("max({a}, {b})"),
                    index => {
                        let op = ["+", "-", "*", "&", "|", "^", "/", "%"][index % 8];
                        format!("({a} {op} {b})")
                    }
                }
            }
        }
    }

    /// A float expression whose value is a whole number below 2^20: leaves are below 2^9, and only leaves are
    /// multiplied.
    fn float(&mut self, depth: usize) -> String {
        let (a, b) = (self.leaf(Ty::F32), self.leaf(Ty::F32));
        match self.random.below(10) {
            0 => format!("({a} * {b})"),
            1 => format!("({a} * {b} + {})", self.leaf(Ty::F32)),
            2 => format!("({a} - {b})"),
            3 => format!("min({a}, {b})"),
            4 => format!("max({a}, 3.0 - {b})"),
            5 => format!("abs({a} - {b})"),
            6 => format!("floor({a} * 0.5)"),
            7 => format!("sign({a} - {b})"),
            8 => format!("select({a}, {b}, {})", self.expression(Ty::Bool, depth)),
            _ => format!("trunc(({a} - {b}) * 0.25)"),
        }
    }

    /// A random `bool` expression with operands of nesting `depth`.
    fn boolean(&mut self, depth: usize) -> String {
        let ty = *self.random.pick(&[Ty::U32, Ty::I32, Ty::F32]);
        let compare = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.random.below(6) {
            0 => format!("!{}", self.expression(Ty::Bool, depth)),
            1 => format!("({} && {})", self.expression(Ty::Bool, depth), self.leaf(Ty::Bool)),
            2 => format!("({} || {})", self.leaf(Ty::Bool), self.expression(Ty::Bool, depth)),
            3 => format!("({} != {})", self.leaf(Ty::Bool), self.expression(Ty::Bool, depth)),
            _ => {
                let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
                format!("({a} {compare} {b})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_a_program() {
        assert_eq!(program(7).source, program(7).source);
        assert_ne!(program(7).source, program(8).source);
    }
}
