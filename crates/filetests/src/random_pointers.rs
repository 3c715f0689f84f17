//! Generates random compute shaders with variable pointers: pointers to storage buffers and to shared memory in phis, selections,
//! variables and function results, in divergent flow. GLSL has no such pointers, so the text is SPIR-V assembly.
//!
//! Each invocation has `ROOM` words of its own in each buffer and in shared memory, and every pointer points to one of them. A pointer
//! has its offset beside it, and a move by elements takes the offset modulo the room. So programs have no undefined behaviour, and
//! compute the same on every engine.

use std::fmt::Write;

use crate::data::Random;

/// Words of each invocation in each memory.
const ROOM: usize = 8;
/// Words that each invocation writes.
const OUTPUTS: usize = 4;
/// Greatest depth of conditionals and loops.
const DEPTH: usize = 3;

/// The memory that a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Storage,
    Shared,
}

const CLASSES: [Class; 2] = [Class::Storage, Class::Shared];

impl Class {
    /// The name of the pointer type.
    fn ty(self) -> &'static str {
        match self {
            Class::Storage => "%p_word",
            Class::Shared => "%p_shared",
        }
    }
}

/// A pointer with its offset in the room of the invocation: their ids.
#[derive(Clone, Debug)]
struct Pointer {
    class: Class,
    id: String,
    offset: String,
}

/// The values that code may use, all of them defined on every path to it.
#[derive(Clone, Debug)]
struct Scope {
    words: Vec<String>,
    pointers: Vec<Pointer>,
    /// The label of the block that is written.
    block: String,
}

/// Generates the text of the program for a seed. Lines that start with `;!` describe its inputs, as in `tests/run`.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x701a_7e55);
    let size = *random.pick(&[1usize, 5, 8, 16, 27, 32]);
    let mut writer = Writer { random, out: String::new(), next: 0, left: 40 };
    let body = writer.main();
    let words = size * ROOM;
    let mut constants = String::new();
    for number in 0..=40 {
        let _ = writeln!(constants, "%n{number} = OpConstant %uint {number}");
    }
    format!(
        ";! dispatch 1 1 1
;! inactive
;! buffer 0.0 = u32 {words} * bits
;! buffer 0.1 = u32 {words} * bits
;! buffer 0.2 = zero {bytes}
OpCapability Shader
OpCapability VariablePointers
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %a %b %found %all %number
OpExecutionMode %main LocalSize {size} 1 1
OpDecorate %number BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpDecorate %p_word ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %found DescriptorSet 0
OpDecorate %found Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
{constants}%room = OpConstant %uint {words}
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%p_block = OpTypePointer StorageBuffer %block
%p_word = OpTypePointer StorageBuffer %uint
%board = OpTypeArray %uint %room
%p_board = OpTypePointer Workgroup %board
%p_shared = OpTypePointer Workgroup %uint
%p_in = OpTypePointer Input %uint
%v_word = OpTypePointer Function %p_word
%v_shared = OpTypePointer Function %p_shared
%pick_words = OpTypeFunction %p_word %p_word %p_word %uint
%pick_shareds = OpTypeFunction %p_shared %p_shared %p_shared %uint
%a = OpVariable %p_block StorageBuffer
%b = OpVariable %p_block StorageBuffer
%found = OpVariable %p_block StorageBuffer
%all = OpVariable %p_board Workgroup
%number = OpVariable %p_in Input
{pick_word}{pick_shared}{body}",
        bytes = size * OUTPUTS * 4,
        pick_word = pick(Class::Storage),
        pick_shared = pick(Class::Shared),
    )
}

/// A function that adds to the word behind one of two pointers, and returns that pointer.
fn pick(class: Class) -> String {
    let (ty, name) = (class.ty(), &class.ty()[3..]);
    format!(
        "%pick_{name} = OpFunction {ty} None %pick_{name}s
%x_{name} = OpFunctionParameter {ty}
%y_{name} = OpFunctionParameter {ty}
%k_{name} = OpFunctionParameter %uint
%in_{name} = OpLabel
%bit_{name} = OpBitwiseAnd %uint %k_{name} %n1
%odd_{name} = OpINotEqual %bool %bit_{name} %n0
OpSelectionMerge %end_{name} None
OpBranchConditional %odd_{name} %yes_{name} %end_{name}
%yes_{name} = OpLabel
%old_{name} = OpLoad %uint %x_{name}
%new_{name} = OpIAdd %uint %old_{name} %k_{name}
OpStore %x_{name} %new_{name}
OpBranch %end_{name}
%end_{name} = OpLabel
%ptr_{name} = OpPhi {ty} %y_{name} %in_{name} %x_{name} %yes_{name}
OpReturnValue %ptr_{name}
OpFunctionEnd
"
    )
}

struct Writer {
    random: Random,
    out: String,
    /// The number of the next id.
    next: usize,
    /// Statements that may still be written.
    left: usize,
}

impl Writer {
    fn id(&mut self) -> String {
        self.next += 1;
        format!("%i{}", self.next)
    }

    /// Writes an instruction without a result.
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }

    /// Writes an instruction, and returns its result.
    fn value(&mut self, op: &str, ty: &str, operands: &str) -> String {
        let id = self.id();
        self.line(&format!("{id} = {op} {ty} {operands}"));
        id
    }

    fn main(&mut self) -> String {
        self.line("%main = OpFunction %void None %fn\n%start = OpLabel");
        self.line("%keeps_word = OpVariable %v_word Function");
        self.line("%keeps_shared = OpVariable %v_shared Function");
        let number = self.value("OpLoad", "%uint", "%number");
        self.line(&format!("%first = OpIMul %uint {number} %n{ROOM}"));
        let mut scope =
            Scope { words: vec![number.clone()], pointers: vec![], block: "%start".to_owned() };
        for at in 0..ROOM {
            let place = self.value("OpIAdd", "%uint", &format!("%first %n{at}"));
            let shared = self.value("OpAccessChain", "%p_shared", &format!("%all {place}"));
            let start = self.value("OpIMul", "%uint", &format!("{place} %n{}", at * 3 + 5));
            self.line(&format!("OpStore {shared} {start}"));
            let buffer = if self.random.below(2) == 0 { "%a" } else { "%b" };
            let word = self.value("OpAccessChain", "%p_word", &format!("{buffer} %n0 {place}"));
            for (class, id) in [(Class::Shared, shared), (Class::Storage, word)] {
                scope.pointers.push(Pointer { class, id, offset: format!("%n{at}") });
            }
        }
        for (name, class) in [("word", Class::Storage), ("shared", Class::Shared)] {
            let kept = self.pointer(&scope, class);
            // The variable always has the pointer with this offset.
            self.line(&format!("OpStore %keeps_{name} {}", kept.id));
        }
        while self.left > 0 {
            self.statement(&mut scope, 0);
        }
        let first = self.value("OpIMul", "%uint", &format!("{number} %n{OUTPUTS}"));
        for at in 0..OUTPUTS {
            let class = *self.random.pick(&CLASSES);
            let pointer = self.pointer(&scope, class);
            let word = self.value("OpLoad", "%uint", &pointer.id);
            let other = self.word(&scope);
            let sum = self.value("OpIAdd", "%uint", &format!("{word} {other}"));
            let place = self.value("OpIAdd", "%uint", &format!("{first} %n{at}"));
            let to = self.value("OpAccessChain", "%p_word", &format!("%found %n0 {place}"));
            self.line(&format!("OpStore {to} {sum}"));
        }
        self.line("OpReturn\nOpFunctionEnd");
        std::mem::take(&mut self.out)
    }

    /// A word of the scope, mostly one of the last.
    fn word(&mut self, scope: &Scope) -> String {
        let count = scope.words.len();
        let from = if self.random.below(3) == 0 { 0 } else { count.saturating_sub(4) };
        scope.words[from + self.random.below(count - from)].clone()
    }

    /// A pointer of the scope to a memory, mostly one of the last.
    fn pointer(&mut self, scope: &Scope, class: Class) -> Pointer {
        let all: Vec<&Pointer> = scope.pointers.iter().filter(|p| p.class == class).collect();
        let from = if self.random.below(3) == 0 { 0 } else { all.len().saturating_sub(4) };
        all[from + self.random.below(all.len() - from)].clone()
    }

    /// A condition that differs between invocations.
    fn condition(&mut self, scope: &Scope) -> String {
        let word = self.word(scope);
        let shift = self.random.below(5);
        let moved = self.value("OpShiftRightLogical", "%uint", &format!("{word} %n{shift}"));
        let bit = self.value("OpBitwiseAnd", "%uint", &format!("{moved} %n1"));
        self.value("OpINotEqual", "%bool", &format!("{bit} %n0"))
    }

    fn statement(&mut self, scope: &mut Scope, depth: usize) {
        self.left = self.left.saturating_sub(1);
        let class = *self.random.pick(&CLASSES);
        let from = self.pointer(scope, class);
        match self.random.below(if depth < DEPTH { 12 } else { 9 }) {
            0 | 1 => {
                let word = self.value("OpLoad", "%uint", &from.id);
                scope.words.push(word);
            }
            2 => {
                let word = self.word(scope);
                self.line(&format!("OpStore {} {word}", from.id));
            }
            3 => {
                let op = *self.random.pick(&["OpIAdd", "OpIMul", "OpBitwiseXor", "OpISub"]);
                let (a, b) = (self.word(scope), self.word(scope));
                let word = self.value(op, "%uint", &format!("{a} {b}"));
                scope.words.push(word);
            }
            4 => {
                let moved = self.moved(scope, &from);
                scope.pointers.push(moved);
            }
            5 | 6 => {
                let other = self.pointer(scope, class);
                let cond = self.condition(scope);
                let choose = |w: &mut Self, ty: &str, a: &str, b: &str| {
                    w.value("OpSelect", ty, &format!("{cond} {a} {b}"))
                };
                let id = choose(self, class.ty(), &from.id, &other.id);
                let offset = choose(self, "%uint", &from.offset, &other.offset);
                scope.pointers.push(Pointer { class, id, offset });
            }
            7 => {
                let name = &class.ty()[3..];
                let other = self.pointer(scope, class);
                let key = self.word(scope);
                let operands = format!("%pick_{name} {} {} {key}", from.id, other.id);
                let id = self.value("OpFunctionCall", class.ty(), &operands);
                let bit = self.value("OpBitwiseAnd", "%uint", &format!("{key} %n1"));
                let odd = self.value("OpINotEqual", "%bool", &format!("{bit} %n0"));
                let operands = format!("{odd} {} {}", from.offset, other.offset);
                let offset = self.value("OpSelect", "%uint", &operands);
                scope.pointers.push(Pointer { class, id, offset });
            }
            8 => {
                // A variable that keeps a pointer. What it kept before gives a word only, for its offset is not known.
                let name = &class.ty()[3..];
                let kept = self.value("OpLoad", class.ty(), &format!("%keeps_{name}"));
                let word = self.value("OpLoad", "%uint", &kept);
                scope.words.push(word);
                self.line(&format!("OpStore %keeps_{name} {}", from.id));
            }
            9 | 10 => self.conditional(scope, class, depth),
            _ => self.repeat(scope, class, depth),
        }
    }

    /// A pointer moved by elements.
    fn moved(&mut self, scope: &Scope, from: &Pointer) -> Pointer {
        let word = self.word(scope);
        let sum = self.value("OpIAdd", "%uint", &format!("{word} {}", from.offset));
        let offset = self.value("OpBitwiseAnd", "%uint", &format!("{sum} %n{}", ROOM - 1));
        if from.class == Class::Shared {
            // Pointers to memory without a layout have no distance between elements.
            let place = self.value("OpIAdd", "%uint", &format!("%first {offset}"));
            let id = self.value("OpAccessChain", "%p_shared", &format!("%all {place}"));
            return Pointer { class: from.class, id, offset };
        }
        let by = self.value("OpISub", "%uint", &format!("{offset} {}", from.offset));
        let signed = self.value("OpBitcast", "%int", &by);
        let id = self.value("OpPtrAccessChain", from.class.ty(), &format!("{} {signed}", from.id));
        Pointer { class: from.class, id, offset }
    }

    /// Starts a block.
    fn label(&mut self, scope: &mut Scope, label: &str) {
        self.line(&format!("{label} = OpLabel"));
        label.clone_into(&mut scope.block);
    }

    /// Phis of a pointer with its offset and of a word, which have values in two earlier blocks.
    fn merge(&mut self, scope: &mut Scope, class: Class, from: [(&str, &Pointer, &str); 2]) {
        let of = |part: &dyn Fn(&Pointer) -> String| {
            let parts = from.map(|(block, pointer, _)| format!("{} {block}", part(pointer)));
            parts.join(" ")
        };
        let id = self.value("OpPhi", class.ty(), &of(&|pointer| pointer.id.clone()));
        let offset = self.value("OpPhi", "%uint", &of(&|pointer| pointer.offset.clone()));
        let words = from.map(|(block, _, word)| format!("{word} {block}")).join(" ");
        let word = self.value("OpPhi", "%uint", &words);
        scope.pointers.push(Pointer { class, id, offset });
        scope.words.push(word);
    }

    fn conditional(&mut self, scope: &mut Scope, class: Class, depth: usize) {
        let cond = self.condition(scope);
        let [then, other, end] = [(); 3].map(|()| self.id());
        self.line(&format!("OpSelectionMerge {end} None"));
        self.line(&format!("OpBranchConditional {cond} {then} {other}"));
        let mut ends = Vec::new();
        for label in [&then, &other] {
            let mut inner = scope.clone();
            self.label(&mut inner, label);
            for _ in 0..1 + self.random.below(3) {
                self.statement(&mut inner, depth + 1);
            }
            let (pointer, word) = (self.pointer(&inner, class), self.word(&inner));
            self.line(&format!("OpBranch {end}"));
            ends.push((inner.block, pointer, word));
        }
        self.label(scope, &end);
        let from = [0, 1].map(|at: usize| {
            let (block, pointer, word) = &ends[at];
            (block.as_str(), pointer, word.as_str())
        });
        self.merge(scope, class, from);
    }

    /// A loop whose number of turns differs between invocations, with a pointer and a word that change in each turn.
    fn repeat(&mut self, scope: &mut Scope, class: Class, depth: usize) {
        let (first, start) = (self.pointer(scope, class), self.word(scope));
        let key = self.word(scope);
        let count = self.value("OpBitwiseAnd", "%uint", &format!("{key} %n3"));
        let [head, test, body, next, end] = [(); 5].map(|()| self.id());
        let [pointer, offset, word, turn] = [(); 4].map(|()| self.id());
        let [new_pointer, new_offset, new_word, new_turn] = [(); 4].map(|()| self.id());
        let before = scope.block.clone();
        self.line(&format!("OpBranch {head}"));
        self.label(scope, &head);
        let phi = |w: &mut Self, id: &str, ty: &str, old: &str, new: &str| {
            w.line(&format!("{id} = OpPhi {ty} {old} {before} {new} {next}"));
        };
        phi(self, &pointer, class.ty(), &first.id, &new_pointer);
        phi(self, &offset, "%uint", &first.offset, &new_offset);
        phi(self, &word, "%uint", &start, &new_word);
        phi(self, &turn, "%uint", "%n0", &new_turn);
        self.line(&format!("OpLoopMerge {end} {next} None\nOpBranch {test}"));
        self.label(scope, &test);
        let goes_on = self.value("OpULessThan", "%bool", &format!("{turn} {count}"));
        self.line(&format!("OpBranchConditional {goes_on} {body} {end}"));
        scope.pointers.push(Pointer { class, id: pointer, offset });
        scope.words.extend([word, turn.clone()]);
        let mut inner = scope.clone();
        self.label(&mut inner, &body);
        for _ in 0..1 + self.random.below(3) {
            self.statement(&mut inner, depth + 1);
        }
        let (last, last_word) = (self.pointer(&inner, class), self.word(&inner));
        self.line(&format!("OpBranch {next}"));
        self.label(&mut inner, &next);
        self.line(&format!("{new_pointer} = OpCopyObject {} {}", class.ty(), last.id));
        self.line(&format!("{new_offset} = OpCopyObject %uint {}", last.offset));
        self.line(&format!("{new_word} = OpCopyObject %uint {last_word}"));
        self.line(&format!("{new_turn} = OpIAdd %uint {turn} %n1\nOpBranch {head}"));
        self.label(scope, &end);
    }
}
