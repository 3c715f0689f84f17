//! Sorts the instructions of a module by section: entry points, execution modes, names, decorations, types, constants
//! and variables, functions and their blocks.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use crestline_ssa::ir::Stage;
use rspirv::grammar::reflect::is_block_terminator;
use rspirv::spirv::{AddressingModel, Decoration, ExecutionMode, ExecutionModel, Op};

use super::capability;
use super::lines::{self, SourceLine};
use super::reader::{self, Inst};
use crate::error::{ErrorCode, FrontendError, Result};
use crate::ids::IdMap;

/// A decoration and its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deco<'w> {
    /// Which.
    pub(crate) kind: Decoration,
    /// Its operand words.
    pub(crate) args: &'w [u32],
    /// Index of the decorating instruction.
    pub(crate) inst: usize,
}

/// An entry point.
#[derive(Clone, Debug)]
pub(crate) struct EntryPoint {
    /// Its stage.
    pub(crate) model: Option<ExecutionModel>,
    /// Its function.
    pub(crate) function: u32,
    /// Its name.
    pub(crate) name: String,
    /// Index of its instruction.
    pub(crate) inst: usize,
}

/// An imported set of extended instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExtSet {
    /// GLSL.std.450.
    Glsl450,
    /// Has no effect on what the shader computes.
    NonSemantic,
    /// SPV_AMD_shader_trinary_minmax.
    TrinaryMinMax,
    /// SPV_AMD_gcn_shader.
    GcnShader,
    /// SPV_AMD_shader_ballot.
    AmdBallot,
    /// Any other, by name.
    Other(String),
}

/// The merge instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// `OpSelectionMerge`: the merge block.
    Selection(u32),
    /// `OpLoopMerge`: the merge block and the continue target.
    Loop(u32, u32),
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Its label.
    pub(crate) label: u32,
    /// Its instructions without label, merge and terminator.
    pub(crate) insts: Range<usize>,
    /// Its merge instruction.
    pub(crate) merge: Option<Merge>,
    /// Index of its terminator.
    pub(crate) terminator: usize,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub(crate) struct Func {
    /// Index of its `OpFunction`.
    pub(crate) inst: usize,
    /// Ids of its parameters.
    pub(crate) params: Vec<u32>,
    /// Its blocks; the first is the entry.
    pub(crate) blocks: Vec<Block>,
    /// Index in `blocks` by label.
    pub(crate) by_label: IdMap<usize>,
}

/// A module, sorted into its sections.
#[derive(Debug)]
pub(crate) struct Module<'w> {
    /// All instructions in order.
    pub(crate) insts: Vec<Inst<'w>>,
    /// The lines to which [`Inst::line`] refers.
    pub(crate) lines: Vec<SourceLine>,
    /// Index + 1 in `insts` of the definition of each id, 0 if none.
    defs: Vec<u32>,
    /// Entry points in order.
    pub(crate) entry_points: Vec<EntryPoint>,
    /// Execution modes: entry point function and index of the instruction.
    pub(crate) modes: Vec<(u32, usize)>,
    /// Imported instruction sets.
    pub(crate) ext_sets: IdMap<ExtSet>,
    /// Instructions that define types, constants and module variables, in order.
    pub(crate) globals: Vec<usize>,
    /// Functions by id.
    pub(crate) functions: IdMap<Func>,
    names: IdMap<String>,
    decorations: IdMap<Vec<Deco<'w>>>,
    member_decorations: HashMap<(u32, u32), Vec<Deco<'w>>>,
    /// Number of decorations that decoration groups have added so far.
    grouped: usize,
}

impl<'w> Module<'w> {
    /// Reads a module and sorts it.
    pub(crate) fn read(words: &'w [u32]) -> Result<Module<'w>> {
        let (mut insts, bound) = reader::read(words)?;
        capability::check(&insts)?;
        let lines = lines::assign(&mut insts);
        let mut module = Module {
            insts,
            lines,
            defs: Vec::new(),
            entry_points: Vec::new(),
            modes: Vec::new(),
            ext_sets: IdMap::default(),
            globals: Vec::new(),
            functions: IdMap::default(),
            names: IdMap::default(),
            decorations: IdMap::default(),
            member_decorations: HashMap::new(),
            grouped: 0,
        };
        module.find_definitions(bound)?;
        let mut index = 0;
        while index < module.insts.len() {
            index = if module.insts[index].op == Op::Function {
                module.function(index)?
            } else {
                module.global(index)?;
                index + 1
            };
        }
        Ok(module)
    }

    /// The instruction that defines `id`.
    pub(crate) fn def(&self, id: u32) -> Option<&Inst<'w>> {
        self.insts.get(self.def_index(id)?)
    }

    /// The index of the instruction that defines an id.
    pub(crate) fn def_index(&self, id: u32) -> Option<usize> {
        (*self.defs.get(id as usize)? as usize).checked_sub(1)
    }

    /// The debug name of an id, empty if it has none.
    pub(crate) fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// An id as errors show it: its debug name in quotes, or `%ID` if it has none.
    pub(crate) fn shown_name(&self, id: u32) -> String {
        match self.name(id) {
            "" => format!("%{id}"),
            name => format!("{name:?}"),
        }
    }

    /// The decorations of an id.
    pub(crate) fn decorations(&self, id: u32) -> &[Deco<'w>] {
        self.decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The decorations of a structure member.
    pub(crate) fn member_decorations(&self, id: u32, member: u32) -> &[Deco<'w>] {
        self.member_decorations.get(&(id, member)).map_or(&[], Vec::as_slice)
    }

    /// Whether an id has a decoration.
    pub(crate) fn has(&self, id: u32, kind: Decoration) -> bool {
        self.decorations(id).iter().any(|d| d.kind == kind)
    }

    /// The first operand of a decoration of an id, if it has the decoration.
    pub(crate) fn decoration_word(&self, id: u32, kind: Decoration) -> Result<Option<u32>> {
        self.first_word(self.decorations(id), kind)
    }

    /// The first operand of a decoration of a member, if it has the decoration.
    pub(crate) fn member_word(
        &self,
        id: u32,
        member: u32,
        kind: Decoration,
    ) -> Result<Option<u32>> {
        self.first_word(self.member_decorations(id, member), kind)
    }

    /// The first operand of a decoration in `list`, if it is there.
    pub(crate) fn first_word(&self, list: &[Deco<'_>], kind: Decoration) -> Result<Option<u32>> {
        let Some(deco) = list.iter().find(|d| d.kind == kind) else { return Ok(None) };
        deco.args.first().copied().map(Some).ok_or_else(|| {
            self.insts[deco.inst]
                .error(ErrorCode::BadDecoration, format!("expected an operand of {kind:?}"))
        })
    }

    /// Fills [`Module::defs`]. Two definitions of an id are an error.
    fn find_definitions(&mut self, bound: u32) -> Result<()> {
        let last = self.insts.iter().map(|i| i.result).max().unwrap_or(0).min(bound);
        self.defs = vec![0; last as usize + 1];
        for (index, inst) in self.insts.iter().enumerate().filter(|(_, i)| i.result != 0) {
            let slot = &mut self.defs[inst.result as usize];
            if *slot != 0 {
                let first = self.insts[*slot as usize - 1].at;
                let detail = format!(
                    "expected a new id, found %{}, which word {first} defines",
                    inst.result
                );
                return Err(inst.error(ErrorCode::Redefined, detail));
            }
            *slot = index as u32 + 1;
        }
        Ok(())
    }

    /// Adds one instruction from outside functions to the table of its section.
    fn global(&mut self, index: usize) -> Result<()> {
        let inst = self.insts[index];
        match inst.op {
            Op::MemoryModel => {
                let model = AddressingModel::from_u32(inst.word(0)?);
                // The instructions that use physical storage buffers are refused, not the addressing model.
                let known = [AddressingModel::Logical, AddressingModel::PhysicalStorageBuffer64];
                if !model.is_some_and(|m| known.contains(&m)) {
                    return Err(inst.error(
                        ErrorCode::UnsupportedModel,
                        format!("expected logical addressing, found model {}", inst.word(0)?),
                    ));
                }
            }
            Op::ExtInstImport => {
                let name = inst.string(0)?;
                let set = match name.as_str() {
                    "GLSL.std.450" => ExtSet::Glsl450,
                    "SPV_AMD_shader_trinary_minmax" => ExtSet::TrinaryMinMax,
                    "SPV_AMD_gcn_shader" => ExtSet::GcnShader,
                    "SPV_AMD_shader_ballot" => ExtSet::AmdBallot,
                    name if name.starts_with("NonSemantic.") => ExtSet::NonSemantic,
                    name if name.ends_with("DebugInfo.100") => ExtSet::NonSemantic,
                    "DebugInfo" => ExtSet::NonSemantic,
                    _ => ExtSet::Other(name),
                };
                self.ext_sets.insert(inst.result, set);
            }
            Op::EntryPoint => {
                let model = ExecutionModel::from_u32(inst.word(0)?);
                let name = inst.lossy_string(2)?;
                let function = inst.word(1)?;
                self.entry_points.push(EntryPoint { model, function, name, inst: index });
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                // An unknown mode could change what the shader means.
                if ExecutionMode::from_u32(inst.word(1)?).is_none() {
                    let detail = format!("expected an execution mode, found {}", inst.word(1)?);
                    return Err(inst.error(ErrorCode::BadEnumerant, detail));
                }
                self.modes.push((inst.word(0)?, index));
            }
            Op::Name => {
                let name = inst.lossy_string(1)?;
                self.names.insert(inst.word(0)?, name);
            }
            Op::Decorate | Op::DecorateId => {
                if let Some(kind) = Decoration::from_u32(inst.word(1)?) {
                    let deco = Deco { kind, args: inst.rest(2), inst: index };
                    self.decorations.entry(inst.word(0)?).or_default().push(deco);
                }
            }
            Op::MemberDecorate => {
                if let Some(kind) = Decoration::from_u32(inst.word(2)?) {
                    let deco = Deco { kind, args: inst.rest(3), inst: index };
                    let key = (inst.word(0)?, inst.word(1)?);
                    self.member_decorations.entry(key).or_default().push(deco);
                }
            }
            Op::GroupDecorate => {
                let group = self.decorations(inst.word(0)?).to_vec();
                self.count_group(&inst, group.len())?;
                for &target in inst.rest(1) {
                    self.decorations.entry(target).or_default().extend(&group);
                }
            }
            Op::GroupMemberDecorate => {
                let group = self.decorations(inst.word(0)?).to_vec();
                self.count_group(&inst, group.len())?;
                for pair in inst.rest(1).chunks_exact(2) {
                    self.member_decorations.entry((pair[0], pair[1])).or_default().extend(&group);
                }
            }
            Op::Variable | Op::Undef => self.globals.push(index),
            op if op.is_type() || op.is_constant() || is_spec_constant(op) => {
                self.globals.push(index);
            }
            Op::Capability => {}
            op if is_debug(op) => {}
            _ => {
                return Err(inst.error(
                    ErrorCode::Misplaced,
                    "expected a declaration outside of functions, found an instruction of a block",
                ));
            }
        }
        Ok(())
    }

    /// Limits the decorations that groups add: a short module can apply many decorations to many targets.
    fn count_group(&mut self, inst: &Inst<'w>, decorations: usize) -> Result<()> {
        const MAX_GROUPED: usize = 1 << 20;
        let added = decorations.saturating_mul(inst.operands.len());
        self.grouped = self.grouped.saturating_add(added);
        if self.grouped <= MAX_GROUPED {
            return Ok(());
        }
        let detail = format!("expected at most {MAX_GROUPED} decorations from decoration groups");
        Err(inst.error(ErrorCode::BadDecoration, detail))
    }

    /// Adds the function that starts at instruction `index`. Returns the index after its `OpFunctionEnd`.
    fn function(&mut self, index: usize) -> Result<usize> {
        let head = self.insts[index];
        let mut func =
            Func { inst: index, params: vec![], blocks: vec![], by_label: IdMap::default() };
        let mut at = index + 1;
        loop {
            let Some(&inst) = self.insts.get(at) else {
                return Err(head.error(
                    ErrorCode::BadFunction,
                    "expected OpFunctionEnd, found the end of the module",
                ));
            };
            at = match inst.op {
                Op::FunctionEnd => break,
                Op::FunctionParameter if func.blocks.is_empty() => {
                    func.params.push(inst.result);
                    at + 1
                }
                Op::Label => {
                    let block = self.block(at)?;
                    let next = block.terminator + 1;
                    func.by_label.insert(block.label, func.blocks.len());
                    func.blocks.push(block);
                    next
                }
                op if is_debug(op) || op == Op::ExtInst => at + 1,
                _ => {
                    let expected = match func.blocks.is_empty() {
                        true => "expected a parameter, label or function end",
                        false => "expected a label or function end",
                    };
                    return Err(inst.error(ErrorCode::BadFunction, expected));
                }
            };
        }
        self.functions.insert(head.result, func);
        Ok(at + 1)
    }

    /// The block whose label is instruction `index`.
    fn block(&self, index: usize) -> Result<Block> {
        let label = self.insts[index];
        let mut merge = None;
        let mut end = index + 1;
        for (at, inst) in self.insts.iter().enumerate().skip(index + 1) {
            match inst.op {
                Op::SelectionMerge => merge = Some(Merge::Selection(inst.word(0)?)),
                Op::LoopMerge => merge = Some(Merge::Loop(inst.word(0)?, inst.word(1)?)),
                Op::Label | Op::Function | Op::FunctionEnd | Op::FunctionParameter => break,
                op if is_block_terminator(op) => {
                    let insts = index + 1..end;
                    return Ok(Block { label: label.result, insts, merge, terminator: at });
                }
                op if is_debug(op) => {
                    if merge.is_none() {
                        end = at + 1;
                    }
                }
                _ if merge.is_some() => {
                    return Err(inst.error(
                        ErrorCode::BadFunction,
                        "expected a branch after the merge instruction",
                    ));
                }
                _ => end = at + 1,
            }
        }
        Err(label.error(ErrorCode::BadFunction, "expected a terminator at the end of the block"))
    }

    /// The entry point to translate: the only one with that name and stage. If `stage` is `None`, a compute entry point
    /// takes precedence over those of other stages.
    pub(crate) fn entry_point(
        &self,
        name: Option<&str>,
        stage: Option<Stage>,
    ) -> Result<&EntryPoint> {
        let compute = |e: &&EntryPoint| e.model == Some(ExecutionModel::GLCompute);
        let asked = |e: &&EntryPoint| {
            name.is_none_or(|name| e.name == name)
                && stage.is_none_or(|stage| e.model == Some(model(stage)))
        };
        let mut found: Vec<&EntryPoint> = self.entry_points.iter().filter(asked).collect();
        if found.iter().any(compute) {
            found.retain(compute);
        }
        if let [entry] = found[..] {
            return Ok(entry);
        }
        let mut wanted = name.map_or("an entry point".into(), |n| format!("\"{n}\""));
        if let Some(stage) = stage {
            wanted += &format!(" of stage {stage:?}");
        }
        let (code, wanted, found) = if found.is_empty() {
            (ErrorCode::NoEntryPoint, wanted, self.entry_points.iter().collect())
        } else {
            (
                ErrorCode::ManyEntryPoints,
                format!("the name or stage of one of {} entry points", found.len()),
                found,
            )
        };
        /// The most entry points that the message lists.
        const SHOWN: usize = 32;
        let mut names: Vec<String> = found.iter().take(SHOWN).map(|e| e.to_string()).collect();
        if found.len() > SHOWN {
            names.push(format!("{} more", found.len() - SHOWN));
        }
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        Err(FrontendError::new(code, format!("expected {wanted}, found {names}")))
    }
}

impl EntryPoint {
    /// Its stage, if a supported device has it.
    pub(crate) fn stage(&self) -> Option<Stage> {
        let stages = [
            Stage::Vertex,
            Stage::TessControl,
            Stage::TessEval,
            Stage::Geometry,
            Stage::Fragment,
            Stage::Compute,
        ];
        stages.into_iter().find(|stage| self.model == Some(model(*stage)))
    }
}

impl fmt::Display for EntryPoint {
    /// Its stage and name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.model {
            Some(model) => write!(f, "{model:?} {:?}", self.name),
            None => write!(f, "{:?} of an unknown stage", self.name),
        }
    }
}

/// The execution model of a stage.
fn model(stage: Stage) -> ExecutionModel {
    match stage {
        Stage::Vertex => ExecutionModel::Vertex,
        Stage::TessControl => ExecutionModel::TessellationControl,
        Stage::TessEval => ExecutionModel::TessellationEvaluation,
        Stage::Geometry => ExecutionModel::Geometry,
        Stage::Fragment => ExecutionModel::Fragment,
        Stage::Compute => ExecutionModel::GLCompute,
    }
}

/// Whether an instruction may appear anywhere: debug information, and extended instructions outside blocks, which have
/// no effect there.
pub(crate) fn is_debug(op: Op) -> bool {
    matches!(
        op,
        Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::String
            | Op::ModuleProcessed
            | Op::MemberName
            | Op::Extension
            | Op::ConditionalExtensionINTEL
            | Op::DecorationGroup
            | Op::DecorateString
            | Op::MemberDecorateString
            | Op::ExtInst
            | Op::ExtInstWithForwardRefsKHR
    )
}

pub(super) fn is_spec_constant(op: Op) -> bool {
    matches!(
        op,
        Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
    )
}
