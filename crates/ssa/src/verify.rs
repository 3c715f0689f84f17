//! The verifier checks that a shader satisfies the invariants of the IR.
//!
//! It assumes nothing, not even that ids are in range, and runs in time linear in the size of the code. All passes
//! and the back end may rely on what it checks:
//!
//! - every reachable region and instruction has exactly one owner, and the nesting is at most [`MAX_DEPTH`] deep;
//! - the last instruction of a region, and no other, is a terminator that is allowed there; its sources match the
//!   results or parameters that they become;
//! - a value is used only from its definition to the end of its region, including nested regions;
//! - sources read components that exist, of the bit sizes that the operation's row requires;
//! - slots are declared and accessed as the stage allows, and streams exist;
//! - bindings, variables and paths exist, and each kind of memory is used as its kind allows.

mod error;
mod io;
mod subgroup;
mod texture;

use crate::ir::{
    Access, Align, AluOp, AtomicOp, BaryPlace, BindingKind, BitRule, Class, CompRule, ImageDim,
    ImageForm, ImageTy, InstData, InstId, InstKind, InterpMode, MAX_DEPTH, Memory, Operand,
    PathStep, RegionId, Resource, Shader, Src, Stage, StageInfo, Targets, Ty, Value, ValueDef,
    VarTy, WriteMask, channels,
};
use crate::text::inst_to_string;

pub use error::{ErrorLocation, VerifyError, VerifyErrorKind};

type Result<T> = std::result::Result<T, VerifyErrorKind>;

/// Checks a shader.
///
/// # Errors
/// The first broken invariant and its location.
pub fn verify(shader: &Shader) -> std::result::Result<(), VerifyError> {
    let func = &shader.func;
    let mut verifier = Verifier {
        shader,
        visible: vec![false; func.num_values()],
        stack: Vec::new(),
        inst_seen: vec![false; func.num_insts()],
        region_seen: vec![false; func.num_regions()],
        location: ErrorLocation::default(),
        at: None,
    };
    let done = interface(shader).and_then(|()| verifier.body());
    done.map_err(|kind| {
        let mut location = verifier.location;
        location.inst = verifier.at.map(|inst| (inst, inst_to_string(shader, inst)));
        VerifyError { location, kind }
    })
}

/// Checks everything except the code: properties of the stage, inputs and outputs, bindings, variables.
///
/// # Errors
/// The first broken invariant.
pub fn interface(shader: &Shader) -> std::result::Result<(), VerifyErrorKind> {
    io::stage(shader)?;
    // Several bindings may have the same set and number if their kinds or array lengths differ.
    let location = |i: usize| (shader.bindings[i].set, shader.bindings[i].binding);
    let view = |i: usize| (shader.bindings[i].kind, shader.bindings[i].count);
    let mut first = 0;
    for i in 1..shader.bindings.len() {
        if location(i) != location(first) {
            first = i;
        }
        if location(i - 1) > location(i) || (first..i).any(|other| view(other) == view(i)) {
            return Err(VerifyErrorKind::BindingOrder(i));
        }
    }
    let invalid = |kind| matches!(kind, BindingKind::Texture(ty) if ty.multisampled && ty.dim != ImageDim::D2);
    if shader.bindings.iter().any(|binding| invalid(binding.kind)) {
        return Err(VerifyErrorKind::Memory("only a texture of two dimensions is multisampled"));
    }
    for (i, var) in shader.vars.iter().enumerate() {
        if is_empty(&var.ty) {
            return Err(VerifyErrorKind::EmptyVariable(i));
        }
        let expected = var.ty.num_scalars();
        if let Some(found) = var.init.as_ref().map(Vec::len)
            && found as u64 != expected
        {
            return Err(VerifyErrorKind::InitCount { var: i, expected, found });
        }
    }
    Ok(())
}

/// Whether the type contains an array without elements or a structure without members.
fn is_empty(ty: &VarTy) -> bool {
    match ty {
        VarTy::Vector(_) => false,
        VarTy::Array(element, count) => *count == 0 || is_empty(element),
        VarTy::Struct(members) => members.is_empty() || members.iter().any(is_empty),
    }
}

struct Verifier<'a> {
    shader: &'a Shader,
    /// By value: whether it is visible at the instruction being checked.
    visible: Vec<bool>,
    /// The visible values in the order of their definitions.
    stack: Vec<Value>,
    /// By instruction: whether it was reached.
    inst_seen: Vec<bool>,
    /// By region: whether it was reached.
    region_seen: Vec<bool>,
    location: ErrorLocation,
    /// The instruction being checked.
    at: Option<InstId>,
}

impl Verifier<'_> {
    fn body(&mut self) -> Result<()> {
        let body = self.shader.func.body();
        self.region(body, Targets::default(), 1)
    }

    /// Checks a region and the regions in it.
    fn region(&mut self, region: RegionId, targets: Targets, depth: usize) -> Result<()> {
        let func = &self.shader.func;
        self.location.region = Some(region);
        self.at = None;
        if depth > MAX_DEPTH {
            return Err(VerifyErrorKind::TooDeep(MAX_DEPTH));
        }
        match self.region_seen.get_mut(region.index()) {
            None => return Err(VerifyErrorKind::Missing(format!("region {region}"))),
            Some(true) => return Err(VerifyErrorKind::Shared(format!("region {region}"))),
            Some(seen) => *seen = true,
        }
        let outer = self.stack.len();
        let data = func.region(region);
        for (index, &param) in data.params.iter().enumerate() {
            self.define(param, ValueDef::Param { region, index: index as u32 })?;
        }
        let Some(last) = data.insts.len().checked_sub(1) else {
            return Err(VerifyErrorKind::Unterminated);
        };
        for (i, &inst) in data.insts.iter().enumerate() {
            match self.inst_seen.get_mut(inst.index()) {
                None => return Err(VerifyErrorKind::Missing(format!("instruction {inst}"))),
                Some(true) => return Err(VerifyErrorKind::Shared(format!("instruction {inst}"))),
                Some(seen) => *seen = true,
            }
            self.at = Some(inst);
            match (func.inst(inst).kind.is_terminator(), i == last) {
                (true, false) => return Err(VerifyErrorKind::AfterTerminator),
                (false, true) => return Err(VerifyErrorKind::Unterminated),
                _ => {}
            }
            self.inst(inst, targets)?;
            for (index, nested) in func.inst(inst).kind.regions().enumerate() {
                self.region(nested, targets.inside(inst, &func.inst(inst).kind, index), depth + 1)?;
                self.location.region = Some(region);
                self.at = Some(inst);
            }
            for (index, &result) in func.inst(inst).results.iter().enumerate() {
                self.define(result, ValueDef::Result { inst, index: index as u32 })?;
            }
        }
        for value in self.stack.drain(outer..) {
            self.visible[value.index()] = false;
        }
        Ok(())
    }

    /// Checks that a value's definition is `def`, and makes the value visible.
    fn define(&mut self, value: Value, def: ValueDef) -> Result<()> {
        if !self.shader.func.has_value(value) {
            return Err(VerifyErrorKind::Missing(format!("value {value}")));
        }
        if self.shader.func.value(value).def != def || self.visible[value.index()] {
            return Err(VerifyErrorKind::Definition(value));
        }
        self.visible[value.index()] = true;
        self.stack.push(value);
        Ok(())
    }

    /// Checks an instruction, but not its regions.
    fn inst(&mut self, id: InstId, targets: Targets) -> Result<()> {
        let func = &self.shader.func;
        let inst = func.inst(id);
        for &value in &inst.results {
            if !func.has_value(value) {
                return Err(VerifyErrorKind::Missing(format!("value {value}")));
            }
        }
        let mut fault = Ok(());
        inst.kind.for_each_src(|src| {
            if fault.is_ok() && !self.visible.get(src.value.index()).is_some_and(|&v| v) {
                fault = Err(VerifyErrorKind::NotVisible(src.value));
            }
        });
        fault?;
        self.result_count(inst)?;
        self.kind(inst, &targets)?;
        let mut index = 0;
        let mut fault = Ok(());
        self.shader.for_each_read(&targets, id, |src, comps| {
            let own = func.ty(src.value).comps();
            let beyond = src.swizzle[..comps.min(4)].iter().find(|&&c| usize::from(c) >= own);
            if let (Ok(()), Some(&comp)) = (&fault, beyond) {
                fault = Err(VerifyErrorKind::Swizzle { index, value: src.value, comp, comps: own });
            }
            index += 1;
        });
        fault
    }

    /// Checks the number of results of an instruction.
    fn result_count(&self, inst: &InstData) -> Result<()> {
        let found = inst.results.len();
        let (range, expected) = match inst.kind {
            InstKind::Const(_)
            | InstKind::Undef
            | InstKind::Alu { .. }
            | InstKind::SysVal(_)
            | InstKind::LoadVar { .. }
            | InstKind::LoadInput { .. }
            | InstKind::LoadOutput { .. }
            | InstKind::Load { .. }
            | InstKind::BufferSize(_)
            | InstKind::ImageLoad { .. }
            | InstKind::ImageSize(_)
            | InstKind::ImageParam { .. }
            | InstKind::Derivative { .. }
            | InstKind::IsHelper
            | InstKind::Clock
            | InstKind::Barycentric { .. }
            | InstKind::Interpolate { .. }
            | InstKind::AllKilled(_)
            | InstKind::Subgroup { .. }
            | InstKind::Shuffle { .. }
            | InstKind::Texture(_) => (1..=1, "1"),
            InstKind::Atomic { .. } | InstKind::ImageAtomic { .. } => (0..=1, "0 or 1"),
            InstKind::If { .. } | InstKind::Loop { .. } => return Ok(()),
            InstKind::StoreVar { .. }
            | InstKind::StoreOutput { .. }
            | InstKind::EmitVertex { .. }
            | InstKind::EndPrimitive { .. }
            | InstKind::Store { .. }
            | InstKind::ImageStore { .. }
            | InstKind::Demote
            | InstKind::Interlock { .. }
            | InstKind::Barrier { .. }
            | InstKind::Yield(_)
            | InstKind::Break(_)
            | InstKind::Continue(_)
            | InstKind::Return => (0..=0, "0"),
        };
        match range.contains(&found) {
            true => Ok(()),
            false => Err(VerifyErrorKind::ResultCount { expected, found }),
        }
    }

    /// Checks the rules of each kind of instruction. Sources must be visible, and the number of results correct.
    fn kind(&self, inst: &InstData, targets: &Targets) -> Result<()> {
        let func = &self.shader.func;
        let result = inst.results.first().map(|&value| func.ty(value));
        match &inst.kind {
            InstKind::Undef | InstKind::Return | InstKind::Barrier { .. } => Ok(()),
            InstKind::Const(bits) => {
                let ty = result.unwrap_or(Ty::X32);
                let fits = |i: usize| {
                    if i < ty.comps() { bits[i] & !ty.mask() == 0 } else { bits[i] == 0 }
                };
                match (0..4).find(|&i| !fits(i)) {
                    None => Ok(()),
                    Some(i) => Err(VerifyErrorKind::ConstBits(i)),
                }
            }
            InstKind::Alu { op, srcs, .. } => self.alu(*op, srcs, result.unwrap_or(Ty::X32)),
            InstKind::SysVal(sysval) => {
                if !sysval.exists_in(self.shader.stage.stage()) {
                    return Err(VerifyErrorKind::Stage("a system value of another stage"));
                }
                expect_result(result, sysval.ty())
            }
            InstKind::LoadVar { var, path } => expect_result(result, self.path(var.0, path)?),
            InstKind::StoreVar { var, path, data, mask } => {
                let ty = self.path(var.0, path)?;
                let index = path.iter().filter(|s| matches!(s, PathStep::Dyn(_))).count();
                self.bits(index, *data, ty.bits())?;
                check_mask(*mask, ty.comps())
            }
            InstKind::LoadInput { .. }
            | InstKind::LoadOutput { .. }
            | InstKind::StoreOutput { .. }
            | InstKind::Interpolate { .. }
            | InstKind::EmitVertex { .. }
            | InstKind::EndPrimitive { .. } => self.io(&inst.kind, result),
            InstKind::Load { memory, offset, align, access } => {
                let ty = result.unwrap_or(Ty::X32);
                let index = self.memory(memory)?;
                self.bits(index, *offset, 32)?;
                check_align(*align)?;
                self.memory_use(memory, *access, false, ty)
            }
            InstKind::Store { memory, offset, data, comps, mask, align, access } => {
                let index = self.memory(memory)?;
                self.bits(index, *offset, 32)?;
                if !(1..=4).contains(comps) {
                    let found = usize::from(*comps);
                    return Err(VerifyErrorKind::Mask { mask: mask.0, comps: found });
                }
                check_mask(*mask, usize::from(*comps))?;
                check_align(*align)?;
                self.memory_use(memory, *access, true, func.ty(data.value))
            }
            InstKind::Atomic { memory, op, offset, data, compare, access } => {
                if !matches!(memory, Memory::Ssbo(_) | Memory::Shared | Memory::Global(_)) {
                    return Err(VerifyErrorKind::Memory(
                        "an atomic needs `ssbo`, `shared` or `global`",
                    ));
                }
                let index = self.memory(memory)?;
                self.bits(index, *offset, 32)?;
                let ty = func.ty(data.value).scalar();
                if result.is_some() {
                    expect_result(result, ty)?;
                }
                if compare.is_some() != (*op == AtomicOp::CompareExchange) {
                    return Err(VerifyErrorKind::Memory(
                        "`compare_exchange`, and no other atomic, has a value to compare",
                    ));
                }
                if let Some(compare) = compare {
                    self.bits(index + 2, *compare, ty.bits())?;
                }
                if !matches!(ty.bits(), 16 | 32 | 64) {
                    return Err(VerifyErrorKind::Memory("an atomic has 16, 32 or 64 bits"));
                }
                self.memory_use(memory, *access, true, ty)
            }
            InstKind::BufferSize(resource) => {
                self.resource(resource)?;
                expect_result(result, Ty::X32)
            }
            InstKind::ImageLoad { image, coord, dims, form, .. } => {
                if *form == ImageForm::Surface(None) {
                    return Err(VerifyErrorKind::Memory("a load must say which format it reads"));
                }
                self.texel(image, *coord, *dims, *form)?;
                expect_result(result, Ty::X32.with_comps(form.comps()))
            }
            InstKind::ImageStore { image, coord, dims, data, form, access } => {
                let index = self.texel(image, *coord, *dims, *form)?;
                self.bits(index, *data, 32)?;
                self.image_written(image, *access)
            }
            InstKind::ImageAtomic { image, op, coord, dims, data, compare, form, access } => {
                let index = self.texel(image, *coord, *dims, *form)?;
                self.bits(index, *data, 32)?;
                if compare.is_some() != (*op == AtomicOp::CompareExchange) {
                    return Err(VerifyErrorKind::Memory(
                        "`compare_exchange`, and no other atomic, has a value to compare",
                    ));
                }
                if let Some(compare) = compare {
                    self.bits(index + 1, *compare, 32)?;
                }
                let format = match form {
                    ImageForm::Surface(format) => *format,
                    ImageForm::Shader => self.shader.image(image.binding).and_then(|ty| ty.format),
                };
                if format.is_none_or(|f| f.bytes() != 4 || channels(f) != 1) {
                    return Err(VerifyErrorKind::Memory(
                        "an image atomic needs a format of one component of 32 bits",
                    ));
                }
                expect_result(result, Ty::X32)?;
                self.image_written(image, *access)
            }
            InstKind::ImageSize(image) => {
                let ty = self.image(image)?;
                expect_result(result, Ty::X32.with_comps(ty.size_comps()))
            }
            InstKind::ImageParam { image, param, comp } => {
                self.image(image)?;
                if usize::from(*comp) >= param.comps() {
                    return Err(VerifyErrorKind::Memory("the parameter has no such component"));
                }
                expect_result(result, Ty::X32)
            }
            InstKind::Texture(read) => {
                self.texture(read)?;
                expect_result(result, Ty::X32.with_comps(read.comps()))
            }
            InstKind::Derivative { src, .. } => {
                self.has_quads()?;
                self.bits(0, *src, 32)?;
                match result {
                    Some(ty) if ty.bits() != 32 => {
                        let expected = "32 bits".to_owned();
                        Err(VerifyErrorKind::ResultType { expected, found: ty })
                    }
                    _ => Ok(()),
                }
            }
            InstKind::Demote => self.fragment_only(),
            InstKind::Barycentric { mode, at } => {
                self.fragment_only()?;
                if !matches!(mode, InterpMode::Smooth | InterpMode::NoPerspective) {
                    return Err(VerifyErrorKind::Stage("weights are `smooth` or `noperspective`"));
                }
                match at {
                    BaryPlace::Place(_) => {}
                    BaryPlace::AtSample(src) | BaryPlace::AtOffset(src) => {
                        self.bits(0, *src, 32)?
                    }
                }
                expect_result(result, Ty::X32.with_comps(2))
            }
            InstKind::AllKilled(src) => {
                self.fragment_only()?;
                self.bits(0, *src, 1)?;
                expect_result(result, Ty::BOOL)
            }
            InstKind::Subgroup { op, src } => self.subgroup(*op, *src, result),
            InstKind::Shuffle { src, lane, .. } => {
                self.bits(0, *src, 32)?;
                self.bits(1, *lane, 32)?;
                expect_result(result, Ty::X32)
            }
            InstKind::Interlock { .. } => match self.shader.stage {
                StageInfo::Fragment(info) if info.interlock.is_some() => Ok(()),
                _ => Err(VerifyErrorKind::Stage("the stage has no critical sections")),
            },
            InstKind::Clock => expect_result(result, Ty::X32.with_comps(2)),
            InstKind::IsHelper => {
                self.fragment_only()?;
                expect_result(result, Ty::BOOL)
            }
            InstKind::If { cond, then, else_ } => {
                self.bits(0, *cond, 1)?;
                for region in [*then, *else_] {
                    self.region_exists(region)?;
                    if !func.region(region).params.is_empty() {
                        return Err(VerifyErrorKind::Params);
                    }
                }
                Ok(())
            }
            InstKind::Loop { init, body, continuing } => {
                for region in std::iter::once(*body).chain(*continuing) {
                    self.region_exists(region)?;
                }
                self.pass(init, &func.region(*body).params)
            }
            InstKind::Yield(srcs) | InstKind::Break(srcs) | InstKind::Continue(srcs) => {
                let values = targets.values(func, &inst.kind).ok_or(VerifyErrorKind::Misplaced)?;
                self.pass(srcs, values)
            }
        }
    }

    fn has_quads(&self) -> Result<()> {
        match self.shader.has_quads() {
            true => Ok(()),
            false => Err(VerifyErrorKind::Stage("the stage has no quads")),
        }
    }

    fn fragment_only(&self) -> Result<()> {
        match self.shader.stage.stage() {
            Stage::Fragment => Ok(()),
            _ => Err(VerifyErrorKind::Stage("an instruction of another stage")),
        }
    }

    /// Checks an arithmetic instruction against the row of its operation.
    fn alu(&self, op: AluOp, srcs: &[Src], result: Ty) -> Result<()> {
        let func = &self.shader.func;
        let row = op.row();
        if srcs.len() != row.srcs.len() {
            let (expected, found) = (row.srcs.len(), srcs.len());
            return Err(VerifyErrorKind::SourceCount { expected, found });
        }
        if let CompRule::Is(comps) = row.result.comps
            && result.comps() != usize::from(comps)
        {
            let expected = format!("{comps} components");
            return Err(VerifyErrorKind::ResultType { expected, found: result });
        }
        // The operation's bit size is that of the first operand with `BitRule::Same`. All others must be equal to it.
        let mut size = None;
        for (index, (operand, src)) in row.srcs.iter().zip(srcs).enumerate() {
            let found = func.ty(src.value).bits();
            if let Some(expected) = wrong_bits(operand, found, &mut size) {
                let value = src.value;
                return Err(VerifyErrorKind::SourceBits { index, value, expected, found });
            }
        }
        match wrong_bits(&row.result, result.bits(), &mut size) {
            None => Ok(()),
            Some(bits) => {
                let expected = format!("{bits} bits");
                Err(VerifyErrorKind::ResultType { expected, found: result })
            }
        }
    }

    /// Checks the bit size of source number `index`.
    fn bits(&self, index: usize, src: Src, expected: u32) -> Result<()> {
        let found = self.shader.func.ty(src.value).bits();
        if found == expected {
            return Ok(());
        }
        let (value, expected) = (src.value, expected.to_string());
        Err(VerifyErrorKind::SourceBits { index, value, expected, found })
    }

    /// Checks that sources can become these values: their number and bit sizes must be equal.
    fn pass(&self, srcs: &[Src], values: &[Value]) -> Result<()> {
        let (expected, found) = (values.len(), srcs.len());
        if expected != found {
            return Err(VerifyErrorKind::SourceCount { expected, found });
        }
        for (index, (&src, &value)) in srcs.iter().zip(values).enumerate() {
            if !self.shader.func.has_value(value) {
                return Err(VerifyErrorKind::Missing(format!("value {value}")));
            }
            self.bits(index, src, self.shader.func.ty(value).bits())?;
        }
        Ok(())
    }

    fn region_exists(&self, region: RegionId) -> Result<()> {
        match region.index() < self.region_seen.len() {
            true => Ok(()),
            false => Err(VerifyErrorKind::Missing(format!("region {region}"))),
        }
    }

    /// Checks a variable and a path. Returns the type of the scalar or vector that the path selects.
    fn path(&self, var: u32, path: &[PathStep]) -> Result<Ty> {
        let Some(variable) = self.shader.vars.get(var as usize) else {
            return Err(VerifyErrorKind::Missing(format!("variable v{var}")));
        };
        let mut index = 0;
        for step in path {
            if let PathStep::Dyn(src) = step {
                self.bits(index, *src, 32)?;
                index += 1;
            }
        }
        variable.ty.leaf(path).ok_or(VerifyErrorKind::Path(var))
    }

    /// Checks a binding. Returns the number of sources in it.
    fn resource(&self, resource: &Resource) -> Result<usize> {
        let Some(binding) = self.shader.bindings.get(resource.binding.index()) else {
            return Err(VerifyErrorKind::Missing(format!("binding b{}", resource.binding.0)));
        };
        if binding.count.is_some() != resource.element.is_some() {
            return Err(VerifyErrorKind::Memory(
                "an element must be given for arrays of bindings, and for no others",
            ));
        }
        if let Some(element) = resource.element {
            self.bits(0, element, 32)?;
        }
        Ok(usize::from(resource.element.is_some()))
    }

    /// Checks that the resource is an image. Returns its type.
    fn image(&self, image: &Resource) -> Result<ImageTy> {
        self.resource(image)?;
        let ty = self.shader.image(image.binding);
        ty.ok_or(VerifyErrorKind::Memory("the binding is no image"))
    }

    /// Checks the image, coordinates and form of an access. Returns the number of sources before the data.
    fn texel(&self, image: &Resource, coord: Src, dims: u8, form: ImageForm) -> Result<usize> {
        let ty = self.image(image)?;
        if usize::from(dims) != ty.coords() {
            return Err(VerifyErrorKind::Memory(
                "the number of coordinates does not match the image",
            ));
        }
        match (form, ty.format) {
            (ImageForm::Surface(Some(surface)), Some(format))
                if surface.bytes() != format.bytes() =>
            {
                return Err(VerifyErrorKind::Memory("the form has texels of another size"));
            }
            _ => {}
        }
        let index = usize::from(image.element.is_some());
        self.bits(index, coord, 32)?;
        Ok(index + 1)
    }

    /// Checks that an image may be written.
    fn image_written(&self, image: &Resource, access: Access) -> Result<()> {
        match self.shader.binding(image.binding).readonly || access.readonly {
            true => Err(VerifyErrorKind::Memory("the memory is read only")),
            false => Ok(()),
        }
    }

    /// Checks the memory of an access. Returns the number of sources in it.
    fn memory(&self, memory: &Memory) -> Result<usize> {
        let (resource, kinds) = match memory {
            Memory::Image(resource) => {
                self.image(resource)?;
                return Ok(usize::from(resource.element.is_some()));
            }
            Memory::Global(address) => {
                let found = self.shader.func.ty(address.value).bits();
                return match found {
                    32 | 64 => Ok(1),
                    _ => Err(VerifyErrorKind::SourceBits {
                        index: 0,
                        value: address.value,
                        expected: "32 or 64".to_owned(),
                        found,
                    }),
                };
            }
            Memory::Ubo(resource) => (resource, &[BindingKind::UniformBuffer][..]),
            Memory::Ssbo(resource) => {
                (resource, &[BindingKind::StorageBuffer, BindingKind::AtomicCounters][..])
            }
            _ => return Ok(0),
        };
        let sources = self.resource(resource)?;
        match kinds.contains(&self.shader.binding(resource.binding).kind) {
            true => Ok(sources),
            false => Err(VerifyErrorKind::Memory("the binding is of another kind")),
        }
    }

    /// Checks that a memory may be accessed with this type, and written if `writes` is true.
    fn memory_use(&self, memory: &Memory, access: Access, writes: bool, ty: Ty) -> Result<()> {
        if ty.is_bool() {
            return Err(VerifyErrorKind::Memory("booleans cannot be loaded or stored"));
        }
        let readonly = memory.resource().is_some_and(|r| self.shader.binding(r.binding).readonly);
        if writes && (memory.is_read_only() || readonly || access.readonly) {
            return Err(VerifyErrorKind::Memory("the memory is read only"));
        }
        Ok(())
    }
}

/// Checks the type of a result.
fn expect_result(found: Option<Ty>, expected: Ty) -> Result<()> {
    match found {
        Some(found) if found != expected => {
            Err(VerifyErrorKind::ResultType { expected: expected.to_string(), found })
        }
        _ => Ok(()),
    }
}

/// The required bit size of an operand, if `bits` is wrong. `size` is the operation's bit size; the first operand with
/// `BitRule::Same` sets it.
fn wrong_bits(operand: &Operand, bits: u32, size: &mut Option<u32>) -> Option<String> {
    match operand.bits {
        BitRule::Is(expected) if u32::from(expected) != bits => return Some(expected.to_string()),
        BitRule::Same if *size.get_or_insert(bits) != bits => return size.map(|s| s.to_string()),
        _ => {}
    }
    let (fits, expected) = match operand.class {
        Class::Any => (true, ""),
        Class::Float => (bits >= 16, "16, 32 or 64"),
        Class::Int | Class::Uint => (bits >= 8, "8, 16, 32 or 64"),
        Class::Bool => (bits == 1, "1"),
    };
    (!fits).then(|| expected.to_owned())
}

/// Checks that a write mask selects some of `comps` components and no others.
fn check_mask(mask: WriteMask, comps: usize) -> Result<()> {
    match mask.0 != 0 && mask.0 & !WriteMask::all(comps).0 == 0 {
        true => Ok(()),
        false => Err(VerifyErrorKind::Mask { mask: mask.0, comps }),
    }
}

/// Checks that an alignment is a power of two with an offset below it.
fn check_align(align: Align) -> Result<()> {
    match align.mul.is_power_of_two() && align.offset < align.mul {
        true => Ok(()),
        false => Err(VerifyErrorKind::Align(align)),
    }
}
