//! Lists the features of a SPIR-V module.
//!
//! The features are those of one entry point: the opcodes of functions that no call reaches do not count, nor do built-ins and
//! variables that no reached function uses. Capabilities, extensions, instruction sets, types, constants and decorations
//! count if the module contains them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crestline::Stage;
use rspirv::grammar::{GLSL_STD_450_INSTRUCTION_TABLE, INSTRUCTION_TABLE};
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass,
};

/// A kind of features, which is a section of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `OpCapability`.
    Capability,
    /// `OpExtension`.
    Extension,
    /// `OpExtInstImport`.
    InstructionSet,
    /// `OpExecutionMode` and `OpExecutionModeId`.
    ExecutionMode,
    /// The storage class of a variable.
    StorageClass,
    /// The decoration `BuiltIn`.
    BuiltIn,
    /// An instruction.
    Opcode,
    /// An instruction of `GLSL.std.450`.
    Glsl450,
}

impl Kind {
    /// All kinds in the order of the page, with their names in `usage.tsv` and as titles.
    pub const ALL: [(Kind, &str, &str); 8] = [
        (Kind::Capability, "capability", "Capabilities"),
        (Kind::Extension, "extension", "Extensions"),
        (Kind::InstructionSet, "instruction set", "Sets of extended instructions"),
        (Kind::ExecutionMode, "execution mode", "Execution modes"),
        (Kind::StorageClass, "storage class", "Storage classes"),
        (Kind::BuiltIn, "builtin", "Built-ins"),
        (Kind::Opcode, "opcode", "Opcodes"),
        (Kind::Glsl450, "GLSL.std.450", "Instructions of GLSL.std.450"),
    ];

    /// The name in `usage.tsv`.
    pub fn name(self) -> &'static str {
        Kind::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

/// A feature. Names that SPIR-V gives to the same number are one feature, with the newest name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feature {
    /// Its kind.
    pub kind: Kind,
    /// Its name in the SPIR-V specification, without `Op`.
    pub name: String,
}

impl Feature {
    /// The feature of a kind with a name, which may be an older one.
    ///
    /// # Errors
    ///
    /// The text that is no kind or no name of SPIR-V.
    pub fn parse(kind: &str, name: &str) -> Result<Feature, String> {
        fn newest<T: std::str::FromStr + fmt::Debug>(name: &str) -> Option<String> {
            name.parse::<T>().ok().map(|value| format!("{value:?}"))
        }
        let row = Kind::ALL.iter().find(|row| row.1 == kind);
        let kind = row.ok_or_else(|| format!("{kind:?} is no kind of features"))?.0;
        let found = match kind {
            Kind::Capability => newest::<Capability>(name),
            Kind::ExecutionMode => newest::<ExecutionMode>(name),
            Kind::StorageClass => newest::<StorageClass>(name),
            Kind::BuiltIn => newest::<BuiltIn>(name),
            Kind::Opcode => opcode(name).map(str::to_owned),
            Kind::Glsl450 => {
                let mut rows = GLSL_STD_450_INSTRUCTION_TABLE.iter();
                rows.find(|row| row.opname == name).map(|row| row.opname.to_owned())
            }
            Kind::Extension | Kind::InstructionSet => Some(name.to_owned()),
        };
        let name = found.ok_or_else(|| format!("SPIR-V has no {} {name:?}", kind.name()))?;
        Ok(Feature { kind, name })
    }

    fn new(kind: Kind, name: impl fmt::Debug) -> Feature {
        Feature { kind, name: format!("{name:?}") }
    }
}

/// The newest name of an opcode. The grammar has only these; an older name differs in the suffix of the vendor.
fn opcode(name: &str) -> Option<&'static str> {
    let find = |name: &str| INSTRUCTION_TABLE.iter().map(|row| row.opname).find(|op| *op == name);
    let newer = |suffix: &str| {
        let stem = name.strip_suffix(suffix)?;
        ["EXT", "KHR", ""].iter().find_map(|suffix| find(&format!("{stem}{suffix}")))
    };
    find(name).or_else(|| ["NV", "AMD", "GOOGLE", "EXT", "KHR"].into_iter().find_map(newer))
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.name)
    }
}

/// An instruction: its opcode, and the words after the first.
struct Inst<'a> {
    op: Op,
    words: &'a [u32],
}

impl Inst<'_> {
    fn word(&self, at: usize) -> u32 {
        self.words.get(at).copied().unwrap_or_default()
    }

    /// The literal string that starts at a word.
    fn string(&self, at: usize) -> String {
        let words = self.words.get(at..).unwrap_or_default();
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn instructions(words: &[u32]) -> Result<Vec<Inst<'_>>, String> {
    let mut rest = words.get(5..).ok_or("expected a header of five words")?;
    let mut insts = Vec::new();
    while let Some(&first) = rest.first() {
        let (count, code) = ((first >> 16) as usize, first & 0xffff);
        let op = Op::from_u32(code).ok_or_else(|| format!("{code} is no opcode"))?;
        let words = rest.get(1..count).ok_or_else(|| format!("{op:?} has {count} words"))?;
        insts.push(Inst { op, words });
        rest = &rest[count..];
    }
    Ok(insts)
}

/// The stage of an execution model; `None` if these devices have none.
fn stage(model: u32) -> Option<Stage> {
    Some(match ExecutionModel::from_u32(model)? {
        ExecutionModel::Vertex => Stage::Vertex,
        ExecutionModel::TessellationControl => Stage::TessControl,
        ExecutionModel::TessellationEvaluation => Stage::TessEval,
        ExecutionModel::Geometry => Stage::Geometry,
        ExecutionModel::Fragment => Stage::Fragment,
        ExecutionModel::GLCompute => Stage::Compute,
        _ => return None,
    })
}

/// The stage and the features of an entry point. `of_stage` selects between entry points of one name.
///
/// # Errors
///
/// Why the module cannot be read, or that it has no such entry point.
pub fn features(
    words: &[u32],
    entry: &str,
    of_stage: Option<Stage>,
) -> Result<(Stage, BTreeSet<Feature>), String> {
    let insts = instructions(words)?;
    let found = insts.iter().filter(|inst| inst.op == Op::EntryPoint).find_map(|inst| {
        let stage = stage(inst.word(0))?;
        let fits = inst.string(2) == entry && of_stage.is_none_or(|wanted| wanted == stage);
        fits.then_some((stage, inst.word(1)))
    });
    let (stage, entry) = found.ok_or_else(|| format!("no entry point {entry:?}"))?;
    Ok((stage, list(&insts, &Reached::new(&insts, entry), Some(entry))))
}

/// The features of a whole module.
///
/// # Errors
///
/// Why the module cannot be read.
pub fn all_features(words: &[u32]) -> Result<BTreeSet<Feature>, String> {
    let insts = instructions(words)?;
    Ok(list(&insts, &Reached::all(&insts), None))
}

/// The features of these functions and of the instructions before the functions. `entry` selects the execution modes of an entry
/// point.
fn list(insts: &[Inst<'_>], reached: &Reached<'_>, entry: Option<u32>) -> BTreeSet<Feature> {
    let mut features = BTreeSet::new();
    let mut glsl = BTreeSet::new();
    for inst in insts.iter().take(reached.first_function).chain(reached.insts.iter().copied()) {
        features.insert(Feature::new(Kind::Opcode, inst.op));
        let operand = inst.word(0);
        match inst.op {
            Op::Capability => {
                let name = Capability::from_u32(operand);
                features.extend(name.map(|name| Feature::new(Kind::Capability, name)));
            }
            Op::Extension => {
                _ = features.insert(Feature { kind: Kind::Extension, name: inst.string(0) });
            }
            Op::ExtInstImport => {
                let name = inst.string(1);
                if name == "GLSL.std.450" {
                    glsl.insert(operand);
                }
                features.insert(Feature { kind: Kind::InstructionSet, name });
            }
            Op::ExtInst if glsl.contains(&inst.word(2)) => {
                let mut rows = GLSL_STD_450_INSTRUCTION_TABLE.iter();
                let row = rows.find(|row| u32::from(row.opcode) == inst.word(3));
                let feature = |name: &str| Feature { kind: Kind::Glsl450, name: name.to_owned() };
                features.extend(row.map(|row| feature(row.opname)));
            }
            Op::ExecutionMode | Op::ExecutionModeId if entry.is_none_or(|id| id == operand) => {
                let name = ExecutionMode::from_u32(inst.word(1));
                features.extend(name.map(|name| Feature::new(Kind::ExecutionMode, name)));
            }
            Op::Variable if reached.uses(inst.word(1)) => {
                let name = StorageClass::from_u32(inst.word(2));
                features.extend(name.map(|name| Feature::new(Kind::StorageClass, name)));
            }
            _ => {}
        }
    }
    features.extend(reached.builtins(insts).map(|name| Feature::new(Kind::BuiltIn, name)));
    features
}

/// The operands of an instruction that can be pointers to variables. None of them is a literal.
fn pointers<'a>(inst: &Inst<'a>) -> &'a [u32] {
    let range = match inst.op {
        Op::Load | Op::ArrayLength | Op::ImageTexelPointer | Op::CopyObject => 2..3,
        Op::Variable if inst.word(2) == StorageClass::Function as u32 => 1..2,
        Op::Store | Op::CopyMemory => 0..2,
        Op::AtomicStore => 0..1,
        Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::InBoundsPtrAccessChain
        | Op::FunctionCall
        | Op::Select
        | Op::Phi => 2..inst.words.len(),
        Op::ExtInst => 4..inst.words.len(),
        op if format!("{op:?}").starts_with("Atomic") => 2..3,
        _ => 0..0,
    };
    inst.words.get(range).unwrap_or_default()
}

/// The functions that an entry point reaches by calls, and the variables that they use.
struct Reached<'a> {
    /// The index of the first `OpFunction`.
    first_function: usize,
    /// The instructions of the functions.
    insts: Vec<&'a Inst<'a>>,
    /// The ids that these instructions take as pointers, among them those of variables.
    pointers: BTreeSet<u32>,
}

impl<'a> Reached<'a> {
    fn new(insts: &'a [Inst<'a>], entry: u32) -> Reached<'a> {
        let is_function = |inst: &Inst<'_>| inst.op == Op::Function;
        let first_function = insts.iter().position(is_function).unwrap_or(insts.len());
        let mut bodies = BTreeMap::new();
        for body in insts[first_function..].split_inclusive(|inst| inst.op == Op::FunctionEnd) {
            bodies.insert(body[0].word(1), body);
        }
        let (mut reached, mut waiting) = (BTreeSet::new(), vec![entry]);
        let mut found = Vec::new();
        while let Some(id) = waiting.pop() {
            if !reached.insert(id) {
                continue;
            }
            for inst in bodies.get(&id).copied().unwrap_or_default() {
                if inst.op == Op::FunctionCall {
                    waiting.push(inst.word(2));
                }
                found.push(inst);
            }
        }
        let pointers = found.iter().flat_map(|inst| pointers(inst)).copied().collect();
        Reached { first_function, insts: found, pointers }
    }

    /// All functions of a module.
    fn all(insts: &'a [Inst<'a>]) -> Reached<'a> {
        let is_function = |inst: &Inst<'_>| inst.op == Op::Function;
        let first_function = insts.iter().position(is_function).unwrap_or(insts.len());
        let found: Vec<_> = insts[first_function..].iter().collect();
        let pointers = found.iter().flat_map(|inst| pointers(inst)).copied().collect();
        Reached { first_function, insts: found, pointers }
    }

    /// Whether an instruction takes the id as a pointer.
    fn uses(&self, id: u32) -> bool {
        self.pointers.contains(&id)
    }

    /// The built-ins that the functions use. A member of a block counts if a pointer to it is made, or if the block is used whole.
    fn builtins(&self, insts: &[Inst<'_>]) -> impl Iterator<Item = BuiltIn> {
        let mut found = BTreeSet::new();
        let mut members: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let types: BTreeMap<u32, &Inst<'_>> = insts
            .iter()
            .filter(|inst| {
                matches!(
                    inst.op,
                    Op::TypePointer | Op::TypeArray | Op::TypeStruct | Op::TypeRuntimeArray
                )
            })
            .map(|inst| (inst.word(0), inst))
            .collect();
        let constants: BTreeMap<u32, u32> = insts
            .iter()
            .filter(|inst| inst.op == Op::Constant)
            .map(|inst| (inst.word(1), inst.word(2)))
            .collect();
        let is_builtin = |word| word == Decoration::BuiltIn as u32;
        for inst in insts {
            match inst.op {
                Op::Decorate if is_builtin(inst.word(1)) && self.uses(inst.word(0)) => {
                    found.insert(inst.word(2));
                }
                // The workgroup's size is a constant, which other constants may use.
                Op::Decorate if is_builtin(inst.word(1)) => {
                    let size = BuiltIn::WorkgroupSize as u32;
                    found.extend((inst.word(2) == size).then_some(size));
                }
                Op::MemberDecorate if is_builtin(inst.word(2)) => {
                    members.insert((inst.word(0), inst.word(1)), inst.word(3));
                }
                _ => {}
            }
        }
        for variable in insts.iter().filter(|inst| inst.op == Op::Variable) {
            let (mut arrays, mut ty) = (0, types.get(&variable.word(0)).map_or(0, |p| p.word(2)));
            while let Some(array) = types.get(&ty).filter(|inst| inst.op == Op::TypeArray) {
                (arrays, ty) = (arrays + 1, array.word(1));
            }
            let own = members.range((ty, 0)..=(ty, u32::MAX));
            let own: BTreeMap<u32, u32> = own.map(|(&(_, member), &name)| (member, name)).collect();
            if own.is_empty() {
                continue;
            }
            for inst in &self.insts {
                let at = match inst.op {
                    Op::AccessChain | Op::InBoundsAccessChain => 2,
                    Op::Load => 2,
                    Op::Store => 0,
                    _ => continue,
                };
                if inst.word(at) != variable.word(1) {
                    continue;
                }
                let index = inst.words.get(at + 1 + arrays);
                match index.filter(|_| at == 2 && inst.op != Op::Load) {
                    Some(index) => {
                        let member = constants.get(index);
                        found.extend(member.and_then(|member| own.get(member)));
                    }
                    None => found.extend(own.values()),
                }
            }
        }
        found.into_iter().filter_map(BuiltIn::from_u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"
        OpCapability Shader
        OpExtension "SPV_KHR_multiview"
        %glsl = OpExtInstImport "GLSL.std.450"
        OpMemoryModel Logical GLSL450
        OpEntryPoint Vertex %main "main" %out %index %unused
        OpDecorate %index BuiltIn VertexIndex
        OpDecorate %unused BuiltIn InstanceIndex
        OpDecorate %block Block
        OpMemberDecorate %block 0 BuiltIn Position
        OpMemberDecorate %block 1 BuiltIn PointSize
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
        %one = OpConstant %int 1
        %vec4 = OpTypeVector %float 4
        %block = OpTypeStruct %vec4 %float
        %pblock = OpTypePointer Output %block
        %pfloat = OpTypePointer Output %float
        %pint = OpTypePointer Input %int
        %ppriv = OpTypePointer Private %int
        %out = OpVariable %pblock Output
        %index = OpVariable %pint Input
        %unused = OpVariable %pint Input
        %dead = OpVariable %ppriv Private
        %main = OpFunction %void None %fn
        %start = OpLabel
        %i = OpLoad %int %index
        %f = OpConvertSToF %float %i
        %g = OpExtInst %float %glsl Floor %f
        %size = OpAccessChain %pfloat %out %one
        OpStore %size %g
        OpReturn
        OpFunctionEnd
        %other = OpFunction %void None %fn
        %begin = OpLabel
        %x = OpLoad %int %dead
        %y = OpIMul %int %x %x
        OpReturn
        OpFunctionEnd"#;

    #[test]
    fn only_what_the_entry_point_reaches_counts() {
        let words = crestline_frontend::assemble(MODULE, 0x10000).expect("a module");
        let (stage, features) = features(&words, "main", None).expect("features");
        assert_eq!(stage, Stage::Vertex);
        let has = |kind: &str, name: &str| {
            features.contains(&Feature::parse(kind, name).expect("a feature"))
        };
        for (kind, name) in [
            ("capability", "Shader"),
            ("extension", "SPV_KHR_multiview"),
            ("instruction set", "GLSL.std.450"),
            ("builtin", "VertexIndex"),
            ("builtin", "PointSize"),
            ("storage class", "Input"),
            ("storage class", "Output"),
            ("opcode", "ConvertSToF"),
            ("GLSL.std.450", "Floor"),
        ] {
            assert!(has(kind, name), "{kind} {name}");
        }
        for (kind, name) in [
            ("builtin", "InstanceIndex"),
            ("builtin", "Position"),
            ("storage class", "Private"),
            ("opcode", "IMul"),
        ] {
            assert!(!has(kind, name), "{kind} {name}");
        }
    }

    #[test]
    fn older_names_are_the_same_feature() {
        let parse = |name| Feature::parse("capability", name);
        assert_eq!(parse("StorageUniformBufferBlock16"), parse("StorageBuffer16BitAccess"));
        assert!(parse("NoSuchThing").is_err());
        assert!(Feature::parse("opcode", "OpLoad").is_err());
    }
}
