//! Writes a program as a compute shader in GLSL. It stores the final variables of all invocations to the buffer 0.0.

use std::fmt::Write;

use super::{Binary, Combine, Elem, Expr, Extent, Leave, Op, Program, REPEATS, Stmt, VARIABLES};

/// The head of every shader: extensions, conversions as macros (only those that are used add capabilities), and the start of `main`.
const HEAD: &str = "\
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
#extension GL_KHR_shader_subgroup_rotate : enable
#extension GL_NV_shader_subgroup_partitioned : enable
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_subgroup_extended_types_int8 : enable
#extension GL_EXT_shader_subgroup_extended_types_int16 : enable
#extension GL_EXT_shader_subgroup_extended_types_int64 : enable
#extension GL_EXT_shader_subgroup_extended_types_float16 : enable
layout(set = 0, binding = 0) buffer Out { uint result[]; };
#define WIDE(x) packUint2x32(uvec2(x, (x) * 0x9e3779b9u))
#define FOLD(wide) (unpackUint2x32(wide).x + unpackUint2x32(wide).y * 31u)
#define WHOLE(x) ((x) > 1e4 ? 7777u : (x) < -1e4 ? 8888u : uint(int(x)))
#define HAS(lane) ((lane) < gl_SubgroupSize && (present >> ((lane) & 31u) & 1u) != 0u)
";

/// The text of a program.
pub fn text(program: &Program) -> String {
    let mut out = format!(
        "//! dispatch 1 1 1\n//! inactive\n//! buffer 0.0 = zero {}\n#version 450\n{HEAD}",
        program.invocations as usize * VARIABLES * 4
    );
    let _ = writeln!(out, "layout(local_size_x = {}) in;", program.invocations);
    code(&mut out, program, "gl_LocalInvocationIndex", VARIABLES, ["", ""]);
    out
}

/// The text of a shader of another stage. `declarations` follow the common head; `id` is the number of the invocation, whose record in
/// the buffer has `words` words, of which the first are the variables. `main` has the statements `around` the program.
pub fn stage(
    program: &Program,
    declarations: &str,
    id: &str,
    words: usize,
    around: [&str; 2],
) -> String {
    let mut out = format!("#version 450\n{HEAD}{declarations}");
    code(&mut out, program, id, words, around);
    out
}

/// Writes the functions.
fn code(out: &mut String, program: &Program, id: &str, words: usize, around: [&str; 2]) {
    let store: Vec<String> =
        (0..VARIABLES).map(|var| format!("result[ID * {words}u + {var}u] = v{var};")).collect();
    let _ = writeln!(out, "#define ID {id}\n#define STORE {}", store.join(" "));
    for var in 0..VARIABLES {
        let _ = writeln!(out, "uint v{var};");
    }
    let mut writer = Writer::default();
    writer.list(&program.body);
    out.extend(writer.functions);
    let _ = write!(out, "void main() {{\n{}    uint mixed;\n", around[0]);
    for var in 0..VARIABLES {
        let _ = writeln!(
            out,
            "    mixed = ((ID * 7u) ^ {}u) * 0x85ebca6bu;\n    v{var} = mixed ^ (mixed >> 13);",
            (var as u32).wrapping_mul(0x51ed)
        );
    }
    out.push_str(&writer.out);
    let _ = write!(out, "    STORE\n{}}}\n", around[1]);
}

#[derive(Default)]
struct Writer {
    /// The statements of the function that is being written.
    out: String,
    /// The functions that are complete, in the order in which they must stand.
    functions: Vec<String>,
    /// Number of constructs around a statement.
    depth: usize,
    /// Number of open loops.
    loops: usize,
    /// Number of functions around a statement, `main` not included.
    calls: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 4 * (self.depth + 1));
    }

    /// Writes a list of statements between a head and a tail.
    fn block(&mut self, head: &str, stmts: &[Stmt], tail: &str) {
        self.line(head);
        self.depth += 1;
        self.list(stmts);
        self.depth -= 1;
        self.line(tail);
    }

    fn list(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Set(var, value) => self.line(&format!("v{var} = {};", expr(value))),
            Stmt::Op(var, op, value) => {
                let text = operation(*var, op, &expr(value));
                self.line(&format!("{{ {text} }}"));
            }
            Stmt::If(cond, then, else_) => {
                self.block(&format!("if ({} != 0u) {{", expr(cond)), then, "} else {");
                self.depth += 1;
                self.list(else_);
                self.depth -= 1;
                self.line("}");
            }
            Stmt::Switch(selector, cases) => {
                self.line(&format!("switch ({} % {}u) {{", expr(selector), cases.len()));
                for (number, case) in cases.iter().enumerate() {
                    self.block(&format!("case {number}u: {{"), case, "} break;");
                }
                self.line("}");
            }
            Stmt::Loop(count, body) => {
                let at = self.loops;
                self.loops += 1;
                let count = expr(count);
                let head = format!(
                    "{{ uint n{at} = {count} & 7u; for (uint c{at} = 0u; c{at} < n{at}; c{at}++) {{"
                );
                self.block(&head, body, "} }");
                self.loops -= 1;
            }
            Stmt::Repeat(body, cond) => {
                let at = self.loops;
                self.loops += 1;
                self.block(&format!("{{ uint c{at} = 0u; do {{"), body, "}");
                self.loops -= 1;
                self.line(&format!(
                    "while ((uint(subgroupAny({} != 0u)) & uint(++c{at} < {REPEATS}u)) != 0u); }}",
                    expr(cond)
                ));
            }
            Stmt::Leave(how, cond, before) => {
                let leave = match how {
                    Leave::Break => "break; }",
                    Leave::Continue => "continue; }",
                    Leave::Return if self.calls > 0 => "return; }",
                    Leave::Return => "STORE return; }",
                };
                self.block(&format!("if ({} != 0u) {{", expr(cond)), before, leave);
            }
            Stmt::Call(body) => {
                let out = std::mem::take(&mut self.out);
                self.calls += 1;
                self.list(body);
                self.calls -= 1;
                let text = std::mem::replace(&mut self.out, out);
                let name = format!("f{}", self.functions.len());
                self.functions.push(format!("void {name}() {{\n{text}}}\n"));
                self.line(&format!("{name}();"));
            }
        }
    }
}

fn expr(value: &Expr) -> String {
    match value {
        Expr::Const(value) => format!("{value}u"),
        Expr::Var(var) => format!("v{var}"),
        Expr::Id => "ID".to_owned(),
        Expr::Lane => "gl_SubgroupInvocationID".to_owned(),
        Expr::Counter(depth) => format!("c{depth}"),
        Expr::Binary(op, a, b) => {
            let (a, b) = (expr(a), expr(b));
            match op {
                Binary::Add => format!("({a} + {b})"),
                Binary::Mul => format!("({a} * {b})"),
                Binary::And => format!("({a} & {b})"),
                Binary::Xor => format!("({a} ^ {b})"),
                Binary::Shr => format!("({a} >> ({b} & 31u))"),
                Binary::Less => format!("uint({a} < {b})"),
                Binary::Equal => format!("uint({a} == {b})"),
            }
        }
    }
}

fn type_name(elem: Elem) -> &'static str {
    match elem {
        Elem::Bool => "bool",
        Elem::I8 => "int8_t",
        Elem::U8 => "uint8_t",
        Elem::I16 => "int16_t",
        Elem::U16 => "uint16_t",
        Elem::I32 => "int",
        Elem::U32 => "uint",
        Elem::I64 => "int64_t",
        Elem::U64 => "uint64_t",
        Elem::F16 => "float16_t",
        Elem::F32 => "float",
        Elem::F64 => "double",
    }
}

/// The value of a type that stands for 32 bits.
fn converted(elem: Elem, bits: &str, combine: Option<Combine>) -> String {
    let name = type_name(elem);
    match elem {
        Elem::Bool => format!("(({bits} & 1u) != 0u)"),
        Elem::I64 | Elem::U64 => format!("{name}(WIDE({bits}))"),
        _ if !elem.is_float() => format!("{name}({bits})"),
        _ => match combine {
            Some(Combine::Add) => format!("{name}({bits} & 31u)"),
            Some(Combine::Mul) => format!("{name}(1 - 2 * int({bits} & 1u))"),
            _ => format!("{name}(int({bits} & 1023u) - 512)"),
        },
    }
}

/// The 32 bits that stand for a value of a type.
fn back(elem: Elem, value: &str) -> String {
    match elem {
        Elem::Bool | Elem::U8 | Elem::U16 | Elem::I32 | Elem::U32 => format!("uint({value})"),
        Elem::I8 | Elem::I16 => format!("uint(int({value}))"),
        Elem::I64 => format!("FOLD(uint64_t({value}))"),
        Elem::U64 => format!("FOLD({value})"),
        Elem::F16 | Elem::F32 | Elem::F64 => format!("WHOLE(float({value}))"),
    }
}

/// The statements of an operation on a value.
fn operation(var: usize, op: &Op, bits: &str) -> String {
    let condition = format!("bool({bits} != 0u)");
    // A read of a lane whose number is the text `lane`, by the call `call`.
    let read = |elem: Elem, lane: &str, call: &dyn Fn(&str) -> String| {
        let (name, value) = (type_name(elem), converted(elem, bits, None));
        let (call, result) = (call("x"), back(elem, "y"));
        format!(
            "{name} x = {value}; uint lane = {lane}; uint present = subgroupBallot(true).x; {name} y = {call}; v{var} = HAS(lane) ? {result} : 5u;"
        )
    };
    match op {
        Op::Elect => format!("v{var} = uint(subgroupElect());"),
        Op::All => format!("v{var} = uint(subgroupAll({condition}));"),
        Op::Any => format!("v{var} = uint(subgroupAny({condition}));"),
        Op::AllEqual(elem) => {
            format!("v{var} = uint(subgroupAllEqual({}));", converted(*elem, bits, None))
        }
        Op::Ballot => format!("v{var} = subgroupBallot({condition}).x;"),
        Op::BitCount(extent) => {
            let name = match extent {
                Extent::Inclusive => "Inclusive",
                Extent::Exclusive => "Exclusive",
                _ => "",
            };
            format!("v{var} = subgroupBallot{name}BitCount(subgroupBallot({condition}));")
        }
        Op::FindLsb => format!(
            "uvec4 b = subgroupBallot({condition}); v{var} = b.x == 0u ? 99u : subgroupBallotFindLSB(b);"
        ),
        Op::FindMsb => format!(
            "uvec4 b = subgroupBallot({condition}); v{var} = b.x == 0u ? 99u : subgroupBallotFindMSB(b);"
        ),
        Op::BitExtract(number) => format!(
            "v{var} = uint(subgroupBallotBitExtract(subgroupBallot({condition}), {} % gl_SubgroupSize));",
            expr(number)
        ),
        Op::Inverse => format!("v{var} = uint(subgroupInverseBallot(uvec4({bits}, 0u, 0u, 0u)));"),
        Op::BroadcastFirst(elem) => {
            let (name, value) = (type_name(*elem), converted(*elem, bits, None));
            format!("{name} y = subgroupBroadcastFirst({value}); v{var} = {};", back(*elem, "y"))
        }
        Op::Broadcast(elem, number) => {
            read(*elem, &format!("{number}u"), &|x| format!("subgroupBroadcast({x}, {number}u)"))
        }
        Op::Shuffle(elem, lane) => {
            read(*elem, &expr(lane), &|x| format!("subgroupShuffle({x}, lane)"))
        }
        Op::ShuffleXor(elem, mask) => {
            let mask = expr(mask);
            let lane = format!("gl_SubgroupInvocationID ^ {mask}");
            read(*elem, &lane, &|x| format!("subgroupShuffleXor({x}, {mask})"))
        }
        Op::ShuffleUp(elem, by) => {
            let by = expr(by);
            let lane = format!("gl_SubgroupInvocationID - {by}");
            read(*elem, &lane, &|x| format!("subgroupShuffleUp({x}, {by})"))
        }
        Op::ShuffleDown(elem, by) => {
            let by = expr(by);
            let lane = format!("gl_SubgroupInvocationID + {by}");
            read(*elem, &lane, &|x| format!("subgroupShuffleDown({x}, {by})"))
        }
        Op::Rotate(elem, by) => {
            let lane = format!("(gl_SubgroupInvocationID + {by}u) % gl_SubgroupSize");
            read(*elem, &lane, &|x| format!("subgroupRotate({x}, {by}u)"))
        }
        Op::RotateCluster(elem, by, cluster) => {
            let lane = format!(
                "gl_SubgroupInvocationID / {cluster}u * {cluster}u + (gl_SubgroupInvocationID + {by}u) % {cluster}u"
            );
            read(*elem, &lane, &|x| format!("subgroupClusteredRotate({x}, {by}u, {cluster}u)"))
        }
        Op::QuadBroadcast(elem, number) => {
            let lane = format!("(gl_SubgroupInvocationID & ~3u) | {number}u");
            read(*elem, &lane, &|x| format!("subgroupQuadBroadcast({x}, {number}u)"))
        }
        Op::QuadSwap(elem, direction) => {
            let name = ["Horizontal", "Vertical", "Diagonal"][*direction as usize];
            let lane = format!("gl_SubgroupInvocationID ^ {}u", direction + 1);
            read(*elem, &lane, &|x| format!("subgroupQuadSwap{name}({x})"))
        }
        Op::Combine(combine, elem, extent) => {
            let (name, value) = (type_name(*elem), converted(*elem, bits, Some(*combine)));
            let what = match combine {
                Combine::Add => "Add",
                Combine::Mul => "Mul",
                Combine::Min => "Min",
                Combine::Max => "Max",
                Combine::And => "And",
                Combine::Or => "Or",
                Combine::Xor => "Xor",
            };
            let partition = format!("subgroupPartitionNV({bits} & 3u)");
            let call = match extent {
                Extent::All => format!("subgroup{what}({value})"),
                Extent::Inclusive => format!("subgroupInclusive{what}({value})"),
                Extent::Exclusive => format!("subgroupExclusive{what}({value})"),
                Extent::Cluster(size) => format!("subgroupClustered{what}({value}, {size}u)"),
                Extent::Partition => format!("subgroupPartitioned{what}NV({value}, {partition})"),
                Extent::PartitionInclusive => {
                    format!("subgroupPartitionedInclusive{what}NV({value}, {partition})")
                }
                Extent::PartitionExclusive => {
                    format!("subgroupPartitionedExclusive{what}NV({value}, {partition})")
                }
            };
            format!("{name} y = {call}; v{var} = {};", back(*elem, "y"))
        }
        Op::Partition => format!("v{var} = subgroupPartitionNV({bits} & 3u).x;"),
    }
}
