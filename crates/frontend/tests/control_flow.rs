//! Tests random structured programs: the interpreter runs the translated module, and its results must be those of the
//! program.
//!
//! A program is a tree of statements that change one number. The test evaluates the tree itself, and writes it as
//! SPIR-V with merge instructions: selections, loops with conditional back-edges, switches that fall through, exits by
//! break, continue and return from any depth, in a function that `main` calls, and phis at selection merges.

mod common;

use std::fmt::Write;

use crestline_frontend::{TranslateOptions, translate};
use crestline_ssa::interp::{self, Resources};
use crestline_ssa::passes;
use crestline_ssa::verify::verify;

/// Number of invocations. Each starts with a different number.
const LANES: u32 = 16;

const PREAMBLE: &str = "
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %index
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%fn_uint = OpTypeFunction %uint %uint
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_uint = OpTypePointer StorageBuffer %uint
%ptr_input = OpTypePointer Input %uint
%ptr_function = OpTypePointer Function %uint
%index = OpVariable %ptr_input Input
%buffer = OpVariable %ptr_block StorageBuffer
";

/// A statement about the number `x`. A condition `test` is a pair `(d, r)` and means `x % d == r`.
enum Stmt {
    /// `x = x * 5 + n`.
    Step(u32),
    /// `if x % d == r { then } else { else_ }`.
    If {
        test: (u32, u32),
        then: Vec<Stmt>,
        else_: Vec<Stmt>,
    },
    /// `x = if x % d == r { x ^ n } else { x + n }`, with a phi for the two values.
    Phi {
        test: (u32, u32),
        n: u32,
    },
    /// A loop of at most `rounds` rounds. It ends early if the test holds: before the body or, with `late`, in the
    /// continue construct. After each round, `x` grows by `step`; after the loop, by the loop's counter.
    Loop {
        id: u32,
        rounds: u32,
        test: (u32, u32),
        late: bool,
        body: Vec<Stmt>,
        step: u32,
    },
    /// `switch first + x % (cases + 1)`. The literal of a case is its number plus `first`. The flag of a case means that it
    /// falls through to the next one. `default` is the number of the default case, which has no literal if `implicit`. The
    /// instruction names the cases from the last one on if `turned`; then none falls through.
    Switch {
        id: u32,
        cases: Vec<(Vec<Stmt>, bool)>,
        default: usize,
        implicit: bool,
        first: u32,
        turned: bool,
    },
    /// If the test holds, `exit`, which leaves the construct. Else `x = (x + n) * 3`: the sum is computed in the other
    /// branch and used behind the merge.
    Guard {
        test: (u32, u32),
        n: u32,
        exit: Box<Stmt>,
    },
    Break,
    Continue,
    Return,
}

/// How a statement ends.
#[derive(PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
    Return,
}

#[derive(Clone, Copy)]
struct Context {
    depth: u32,
    in_loop: bool,
    in_switch: bool,
}

fn generate(random: &mut fastrand::Rng, context: Context, ids: &mut u32) -> Vec<Stmt> {
    let mut list = Vec::new();
    for _ in 0..1 + random.u32(..3) {
        let inner = Context { depth: context.depth + 1, ..context };
        let test = (2 + random.u32(..3), random.u32(..2));
        let leaf = context.depth >= 5;
        list.push(match random.u32(..if leaf { 8 } else { 16 }) {
            0..=3 => Stmt::Step(random.u32(..100)),
            4 => Stmt::Phi { test, n: random.u32(..100) },
            5 if context.in_loop || context.in_switch => Stmt::Break,
            6 if context.in_loop => Stmt::Continue,
            7 if random.u32(..3) == 0 => Stmt::Return,
            8 => {
                let exit = match random.u32(..3) {
                    0 if context.in_loop => Stmt::Continue,
                    1 if context.in_loop || context.in_switch => Stmt::Break,
                    _ => Stmt::Return,
                };
                Stmt::Guard { test, n: random.u32(..50), exit: Box::new(exit) }
            }
            9..=11 => Stmt::If {
                test,
                then: generate(random, inner, ids),
                else_: if random.u32(..2) == 0 { vec![] } else { generate(random, inner, ids) },
            },
            12..=13 => {
                *ids += 1;
                let inner = Context { in_loop: true, in_switch: false, ..inner };
                let (id, late) = (*ids, random.u32(..2) == 0);
                let body = generate(random, inner, ids);
                Stmt::Loop {
                    id,
                    rounds: 1 + random.u32(..4),
                    test,
                    late,
                    body,
                    step: random.u32(..9),
                }
            }
            14..=15 => {
                *ids += 1;
                let inner = Context { in_switch: true, ..inner };
                let (id, count) = (*ids, 1 + random.u32(..9));
                let turned = random.u32(..3) == 0;
                let mut falls = |i: u32| !turned && i + 1 < count && random.u32(..3) == 0;
                let falls: Vec<bool> = (0..count).map(&mut falls).collect();
                let cases =
                    falls.into_iter().map(|falls| (generate(random, inner, ids), falls)).collect();
                // The default is often the last case, as people write it.
                let default = random.u32(..2 * count).min(count - 1) as usize;
                let first = [0, 0, 5, 2u32.wrapping_neg()][random.usize(..4)];
                Stmt::Switch { id, cases, default, implicit: random.bool(), first, turned }
            }
            _ => Stmt::Step(7),
        });
        if matches!(list.last(), Some(Stmt::Break | Stmt::Continue | Stmt::Return)) {
            break;
        }
    }
    list
}

fn holds(x: u32, test: (u32, u32)) -> bool {
    x % test.0 == test.1
}

/// Executes statements on `x`.
fn evaluate(list: &[Stmt], x: &mut u32) -> Flow {
    for stmt in list {
        let flow = match stmt {
            Stmt::Step(n) => {
                *x = x.wrapping_mul(5).wrapping_add(*n);
                Flow::On
            }
            Stmt::Phi { test, n } => {
                *x = if holds(*x, *test) { *x ^ n } else { x.wrapping_add(*n) };
                Flow::On
            }
            Stmt::If { test, then, else_ } => {
                evaluate(if holds(*x, *test) { then } else { else_ }, x)
            }
            Stmt::Guard { test, n, exit } => {
                if holds(*x, *test) {
                    evaluate(std::slice::from_ref(&**exit), x)
                } else {
                    *x = x.wrapping_add(*n).wrapping_mul(3);
                    Flow::On
                }
            }
            Stmt::Loop { rounds, test, late, body, step, .. } => {
                let mut count = 0u32;
                // The counter as the loop's header last loaded it, which is used behind the loop.
                let mut seen;
                let flow = loop {
                    seen = count;
                    if count >= *rounds || (!late && holds(*x, *test)) {
                        break Flow::On;
                    }
                    match evaluate(body, x) {
                        Flow::Break => break Flow::On,
                        Flow::Return => break Flow::Return,
                        Flow::On | Flow::Continue => {}
                    }
                    *x = x.wrapping_add(*step);
                    count += 1;
                    if *late && holds(*x, *test) {
                        break Flow::On;
                    }
                };
                if flow == Flow::On {
                    *x = x.wrapping_add(seen);
                }
                flow
            }
            Stmt::Switch { cases, default, .. } => {
                // The divisor is one more than the number of cases, so that some values match no case.
                let wanted = (*x % (cases.len() as u32 + 1)) as usize;
                let mut at = if wanted < cases.len() { wanted } else { *default };
                loop {
                    let (body, falls) = &cases[at];
                    match evaluate(body, x) {
                        Flow::On if *falls => at += 1,
                        Flow::On | Flow::Break => break Flow::On,
                        other => break other,
                    }
                }
            }
            Stmt::Break => Flow::Break,
            Stmt::Continue => Flow::Continue,
            Stmt::Return => Flow::Return,
        };
        if flow != Flow::On {
            return flow;
        }
    }
    Flow::On
}

/// Writes statements as SPIR-V.
#[derive(Default)]
struct Writer {
    text: String,
    /// Declarations of constants and variables.
    constants: String,
    variables: String,
    seen: Vec<u32>,
    next: u32,
    /// Whether some selections lack a merge instruction, or name a wrong block in it.
    loose: bool,
}

/// The labels to which `Break` and `Continue` branch.
#[derive(Clone, Default)]
struct Targets {
    break_: String,
    continue_: String,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn constant(&mut self, value: u32) -> String {
        if !self.seen.contains(&value) {
            self.seen.push(value);
            writeln!(self.constants, "%c{value} = OpConstant %uint {value}").expect("a string");
        }
        format!("%c{value}")
    }

    /// Writes `x % divisor == remainder`; the ids of this condition and of `x`.
    fn test(&mut self, test: (u32, u32)) -> (String, String) {
        let n = self.fresh();
        let (divisor, remainder) = (self.constant(test.0), self.constant(test.1));
        self.line(format!("%x{n} = OpLoad %uint %x"));
        self.line(format!("%r{n} = OpUMod %uint %x{n} {divisor}"));
        self.line(format!("%b{n} = OpIEqual %bool %r{n} {remainder}"));
        (format!("%b{n}"), format!("%x{n}"))
    }

    fn update(&mut self, op: &str, amount: u32) {
        let n = self.fresh();
        let amount = self.constant(amount);
        self.line(format!("%o{n} = OpLoad %uint %x"));
        self.line(format!("%n{n} = {op} %uint %o{n} {amount}"));
        self.line(format!("OpStore %x %n{n}"));
    }

    /// Writes statements, then a branch to `end` unless they leave.
    fn list(&mut self, list: &[Stmt], targets: &Targets, end: &str) {
        for stmt in list {
            match stmt {
                Stmt::Step(n) => {
                    self.update("OpIMul", 5);
                    self.update("OpIAdd", *n);
                }
                Stmt::Phi { test, n } => self.phi(*test, *n),
                Stmt::If { test, then, else_ } => {
                    let n = self.fresh();
                    let (cond, _) = self.test(*test);
                    let no =
                        if else_.is_empty() { format!("%merge{n}") } else { format!("%else{n}") };
                    self.merge(n, &format!("%merge{n}"));
                    self.line(format!("OpBranchConditional {cond} %then{n} {no}"));
                    self.line(format!("%then{n} = OpLabel"));
                    self.list(then, targets, &format!("%merge{n}"));
                    if !else_.is_empty() {
                        self.line(format!("{no} = OpLabel"));
                        self.list(else_, targets, &format!("%merge{n}"));
                    }
                    self.lost(n);
                    self.line(format!("%merge{n} = OpLabel"));
                }
                Stmt::Loop { id, rounds, test, late, body, step } => {
                    self.looped(*id, *rounds, *test, *late, body, *step);
                }
                Stmt::Guard { test, n, exit } => {
                    let k = self.fresh();
                    let (amount, three) = (self.constant(*n), self.constant(3));
                    let (cond, x) = self.test(*test);
                    self.line(format!("OpSelectionMerge %past{k} None"));
                    self.line(format!("OpBranchConditional {cond} %leave{k} %stay{k}"));
                    self.line(format!("%leave{k} = OpLabel"));
                    self.list(std::slice::from_ref(&**exit), targets, "%nowhere");
                    self.line(format!("%stay{k} = OpLabel"));
                    self.line(format!("%kept{k} = OpIAdd %uint {x} {amount}"));
                    self.line(format!("OpBranch %past{k}"));
                    self.line(format!("%past{k} = OpLabel"));
                    self.line(format!("%used{k} = OpIMul %uint %kept{k} {three}"));
                    self.line(format!("OpStore %x %used{k}"));
                }
                Stmt::Switch { .. } => self.switch(stmt, targets),
                Stmt::Break => return self.line(format!("OpBranch {}", targets.break_)),
                Stmt::Continue => return self.line(format!("OpBranch {}", targets.continue_)),
                Stmt::Return => {
                    let n = self.fresh();
                    self.line(format!("%v{n} = OpLoad %uint %x"));
                    return self.line(format!("OpReturnValue %v{n}"));
                }
            }
        }
        self.line(format!("OpBranch {end}"));
    }

    /// Writes the merge instruction of a selection: its merge block is `join`, a block that control cannot reach, or there is
    /// no merge instruction.
    fn merge(&mut self, number: u32, join: &str) {
        match (self.loose, number % 3) {
            (true, 0) => {}
            (true, 1) => self.line(format!("OpSelectionMerge %lost{number} None")),
            _ => self.line(format!("OpSelectionMerge {join} None")),
        }
    }

    /// Writes the block that control cannot reach, if [`merge`](Self::merge) named it.
    fn lost(&mut self, number: u32) {
        if self.loose && number % 3 == 1 {
            self.line(format!("%lost{number} = OpLabel"));
            self.line("OpUnreachable");
        }
    }

    fn phi(&mut self, test: (u32, u32), n: u32) {
        let k = self.fresh();
        let amount = self.constant(n);
        let (cond, x) = self.test(test);
        self.merge(k, &format!("%join{k}"));
        self.line(format!("OpBranchConditional {cond} %left{k} %right{k}"));
        self.line(format!("%left{k} = OpLabel"));
        self.line(format!("%p{k} = OpBitwiseXor %uint {x} {amount}"));
        self.line(format!("OpBranch %join{k}"));
        self.line(format!("%right{k} = OpLabel"));
        self.line(format!("%q{k} = OpIAdd %uint {x} {amount}"));
        self.line(format!("OpBranch %join{k}"));
        self.lost(k);
        self.line(format!("%join{k} = OpLabel"));
        self.line(format!("%j{k} = OpPhi %uint %p{k} %left{k} %q{k} %right{k}"));
        self.line(format!("OpStore %x %j{k}"));
    }

    fn looped(
        &mut self,
        id: u32,
        rounds: u32,
        test: (u32, u32),
        late: bool,
        body: &[Stmt],
        step: u32,
    ) {
        let (zero, one, limit) = (self.constant(0), self.constant(1), self.constant(rounds));
        writeln!(self.variables, "%i{id} = OpVariable %ptr_function Function").expect("a string");
        self.line(format!("OpStore %i{id} {zero}"));
        self.line(format!("OpBranch %header{id}"));
        self.line(format!("%header{id} = OpLabel"));
        self.line(format!("%count{id} = OpLoad %uint %i{id}"));
        self.line(format!("%more{id} = OpULessThan %bool %count{id} {limit}"));
        self.line(format!("OpLoopMerge %after{id} %cont{id} None"));
        self.line(format!("OpBranchConditional %more{id} %enter{id} %after{id}"));
        self.line(format!("%enter{id} = OpLabel"));
        if !late {
            let (cond, _) = self.test(test);
            self.line(format!("OpBranchConditional {cond} %after{id} %body{id}"));
            self.line(format!("%body{id} = OpLabel"));
        }
        let targets = Targets { break_: format!("%after{id}"), continue_: format!("%cont{id}") };
        self.list(body, &targets, &targets.continue_);
        self.line(format!("%cont{id} = OpLabel"));
        self.update("OpIAdd", step);
        // Uses a value of the header in the continue construct.
        self.line(format!("%next{id} = OpIAdd %uint %count{id} {one}"));
        self.line(format!("OpStore %i{id} %next{id}"));
        if late {
            let (cond, _) = self.test(test);
            self.line(format!("OpBranchConditional {cond} %after{id} %header{id}"));
        } else {
            self.line(format!("OpBranch %header{id}"));
        }
        self.line(format!("%after{id} = OpLabel"));
        self.line(format!("%before{id} = OpLoad %uint %x"));
        self.line(format!("%counted{id} = OpIAdd %uint %before{id} %count{id}"));
        self.line(format!("OpStore %x %counted{id}"));
    }

    fn switch(&mut self, switch: &Stmt, outer: &Targets) {
        let Stmt::Switch { id, cases, default, implicit, first, turned } = switch else { return };
        let n = self.fresh();
        let count = self.constant(cases.len() as u32 + 1);
        let base = self.constant(*first);
        self.line(format!("%s{n} = OpLoad %uint %x"));
        self.line(format!("%r{n} = OpUMod %uint %s{n} {count}"));
        self.line(format!("%m{n} = OpIAdd %uint %r{n} {base}"));
        self.line(format!("OpSelectionMerge %out{id} None"));
        let mut branch = format!("OpSwitch %m{n} %case{id}_{default}");
        for i in 0..cases.len() {
            let i = if *turned { cases.len() - 1 - i } else { i };
            if i != *default || !implicit {
                let literal = first.wrapping_add(i as u32);
                write!(branch, " {literal} %case{id}_{i}").expect("a string");
            }
        }
        self.line(branch);
        let targets = Targets { break_: format!("%out{id}"), ..outer.clone() };
        for (i, (body, falls)) in cases.iter().enumerate() {
            self.line(format!("%case{id}_{i} = OpLabel"));
            let end = if *falls { format!("%case{id}_{}", i + 1) } else { format!("%out{id}") };
            self.list(body, &targets, &end);
        }
        self.line(format!("%out{id} = OpLabel"));
    }
}

/// A module with the program in the function `%work`, which `main` calls twice.
fn module(program: &[Stmt], loose: bool) -> String {
    let mut writer = Writer { loose, ..Writer::default() };
    let zero = writer.constant(0);
    writer.list(program, &Targets::default(), "%end");
    format!(
        "{PREAMBLE}{}
        %work = OpFunction %uint None %fn_uint
        %start = OpFunctionParameter %uint
        %entry = OpLabel
        %x = OpVariable %ptr_function Function
        {}
        OpStore %x %start
        {}
        %end = OpLabel
        %result = OpLoad %uint %x
        OpReturnValue %result
        OpFunctionEnd
        %main = OpFunction %void None %fn
        %top = OpLabel
        %lane = OpLoad %uint %index
        %first = OpFunctionCall %uint %work %lane
        %second = OpFunctionCall %uint %work %first
        %place = OpAccessChain %ptr_uint %buffer {zero} %lane
        OpStore %place %second
        OpReturn
        OpFunctionEnd",
        writer.constants, writer.variables, writer.text
    )
}

fn run(shader: &crestline_ssa::ir::Shader) -> Vec<u32> {
    let mut resources = Resources::default();
    resources.bind(0, 0, vec![0; LANES as usize * 4]);
    interp::run(shader, &mut resources, [1, 1, 1], &interp::Options::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let bytes = resources.buffer(0, 0).expect("the buffer was bound");
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn random_control_flow_means_what_it_says() {
    check(false);
}

#[test]
fn branches_may_join_without_merge_instructions() {
    check(true);
}

fn check(loose: bool) {
    for seed in 0..crestline_testing::rounds("CRESTLINE_PROGRAMS", 120) as u64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let context = Context { depth: 0, in_loop: false, in_switch: false };
        let program = generate(&mut random, context, &mut 0);
        let text = module(&program, loose);
        let show = |what: &str| {
            let file = std::env::temp_dir().join("crestline-control-flow.spvasm");
            std::fs::write(&file, &text).expect("the temporary directory is writable");
            format!("seed {seed}: {what}; module in {}", file.display())
        };
        let expected: Vec<u32> = (0..LANES)
            .map(|lane| {
                let mut x = lane;
                evaluate(&program, &mut x);
                evaluate(&program, &mut x);
                x
            })
            .collect();
        let words = common::assemble(&text);
        let mut shader = translate(&words, &TranslateOptions::default())
            .unwrap_or_else(|e| panic!("{}", show(&e.to_string())));
        verify(&shader).unwrap_or_else(|e| panic!("{}", show(&e.to_string())));
        assert_eq!(run(&shader), expected, "{}", show("as translated"));
        passes::optimize(&mut shader, &passes::Options::default(), &mut |_, _| {}).unwrap();
        assert_eq!(run(&shader), expected, "{}", show("after all passes"));
    }
}
