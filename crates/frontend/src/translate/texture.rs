//! Instructions on textures: images that are read through the sampler. The sampler's state comes from the same variable
//! (combined image and sampler) or from the operand of `OpSampledImage`. Input attachments are textures too: a read of
//! one is a fetch at the invocation's pixel. The coordinates of OpenGL's rectangle textures, which count texels, are
//! divided by the texture's size.

use crestline_ssa::ir::{
    AluOp, Binding, BindingKind, ImageDim, InstKind, Memory, Resource, Src, SysVal, TextureOp,
    TextureRead, TextureTy, Ty, Value,
};
use rspirv::spirv::{Dim, ImageOperands, Op};

use super::Translator;
use super::pointer::{Base, MemPtr, Pointer};
use super::value::Val;
use super::width::Narrow;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::layout::Rules;
use crate::spirv::{ImageType, Inst, Type};

/// Texel offsets that fit in the header of a sampler message.
const HEADER_OFFSETS: std::ops::RangeInclusive<i32> = -8..=7;

/// Texel offsets that fit in the offset parameters of a gather message.
const GATHER_OFFSETS: std::ops::RangeInclusive<i32> = -32..=31;

/// The texture of an instruction, and its sampler if it has one.
struct Texture {
    texture: Resource,
    sampler: Option<Resource>,
    ty: TextureTy,
    /// Whether coordinates for the sampler count texels.
    is_rectangle: bool,
    /// The SPIR-V type of a component.
    sampled: u32,
}

/// The optional operands of an image instruction.
#[derive(Default)]
struct Operands {
    /// The `Lod` operand, or the `Bias` operand: in stages without derivatives the implicit level is 0, so the bias is the
    /// level.
    level: Option<Value>,
    /// Whether `level` is a level of detail, not a bias.
    explicit: bool,
    gradients: Option<[Value; 2]>,
    /// The number of a sample.
    sample: Option<Value>,
    min_level: Option<Value>,
    /// The value and its SPIR-V type.
    offset: Option<(Val, u32)>,
    /// Four offsets of a gather: the array's id.
    offsets: Option<u32>,
}

impl Translator<'_, '_> {
    /// The base of a pointer to a variable that is a texture, a sampler, both combined, or an array of these.
    pub(super) fn texture_base(&mut self, inst: &Inst<'_>, pointee: u32) -> Result<Base> {
        let (set, number) = self.binding_place(inst.result)?;
        let name = self.module.name(inst.result).to_owned();
        let shown = self.module.shown_name(inst.result);
        let place = format!("{shown} at set {set} binding {number}");
        let kind = match self.texture_type(self.block_of(pointee)) {
            Some(declared) => BindingKind::Texture(self.texture_ty(&declared, &place)?),
            None => BindingKind::Sampler,
        };
        let count = self.descriptors(pointee)?;
        let (readonly, non_uniform) = (true, false);
        let binding = Binding { set, binding: number, kind, count, name, readonly, non_uniform };
        let binding = self.add_binding(binding)?;
        let memory = Memory::Image(Resource { binding, element: None });
        let mem = MemPtr::start(memory, Rules::Explicit);
        Ok(if count.is_some() { Base::Descriptors(mem) } else { Base::Mem(mem) })
    }

    /// The image type of a texture, or of the texture in a combined image and sampler; `None` for other types.
    fn texture_type(&self, id: u32) -> Option<ImageType> {
        match self.globals.types.get(id)? {
            Type::Image(declared) => Some(declared.clone()),
            Type::SampledImage { image } => self.texture_type(*image),
            _ => None,
        }
    }

    /// The IR type of a texture. An error if the hardware has no messages for it.
    fn texture_ty(&self, declared: &ImageType, place: &str) -> Result<TextureTy> {
        let refuse = |expected: &str, found: &str| {
            let detail = format!("expected {expected} as {place}, found {found}");
            Err(FrontendError::new(ErrorCode::BadImage, detail))
        };
        let dim = match Dim::from_u32(declared.dim) {
            Some(Dim::Dim1D) => ImageDim::D1,
            Some(Dim::Dim2D | Dim::DimRect | Dim::DimSubpassData) => ImageDim::D2,
            Some(Dim::Dim3D) => ImageDim::D3,
            Some(Dim::DimCube) => ImageDim::Cube,
            Some(Dim::DimBuffer) => ImageDim::Buffer,
            Some(other) => return refuse("dimensions of a texture", &format!("{other:?}")),
            None => return refuse("dimensions of a texture", &format!("{}", declared.dim)),
        };
        match self.globals.types.get(declared.component) {
            Some(Type::Float { bits: 32 } | Type::Int { bits: 32, .. }) => {}
            other => {
                let found = other.map_or("nothing".into(), Type::describe);
                return refuse("texels of 32-bit numbers", &found);
            }
        }
        let arrayed = declared.arrayed;
        if arrayed && matches!(dim, ImageDim::D3 | ImageDim::Buffer) {
            return refuse("dimensions that have layers", "an array of volumes or buffers");
        }
        let multisampled = declared.multisampled;
        if multisampled && dim != ImageDim::D2 {
            return refuse("two dimensions of a multisampled texture", "others");
        }
        Ok(TextureTy { dim, arrayed, multisampled })
    }

    /// Whether two image types are the same, or differ only in the Depth operand, which has no meaning in Vulkan. The
    /// reference compiler makes such pairs if a texture is used with and without comparison.
    fn same_image(&self, a: u32, b: u32) -> bool {
        let types = &self.globals.types;
        match (types.get(a), types.get(b)) {
            (Some(Type::Image(a)), Some(Type::Image(b))) => a == b,
            _ => false,
        }
    }

    /// `OpSampledImage`.
    pub(super) fn op_sampled_image(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (texture, image) = self.handle(inst, 0)?;
        let (sampler, ty) = self.handle(inst, 1)?;
        if !matches!(self.globals.types.get(ty), Some(Type::Sampler)) {
            return Err(inst.error(ErrorCode::OperandType, "expected a sampler"));
        }
        match self.globals.types.get(inst.ty) {
            Some(Type::SampledImage { image: wanted }) if self.same_image(*wanted, image) => {}
            _ => {
                let detail = format!("expected a sampled image of %{image}");
                return Err(inst.error(ErrorCode::ResultType, detail));
            }
        }
        let base = Base::Sampled { texture, sampler };
        self.bind(inst.result, Val::Pointer(Pointer { base, pointee: inst.ty }.into()));
        Ok(())
    }

    /// `OpImage`: the texture without its sampler.
    pub(super) fn op_image(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (texture, ty) = self.handle(inst, 0)?;
        match self.globals.types.get(ty) {
            Some(Type::SampledImage { image }) if self.same_image(*image, inst.ty) => {}
            _ => {
                let detail = "expected a sampled image of the result type";
                return Err(inst.error(ErrorCode::OperandType, detail));
            }
        }
        let base = Base::Mem(MemPtr::start(Memory::Image(texture), Rules::Explicit));
        self.bind(inst.result, Val::Pointer(Pointer { base, pointee: inst.ty }.into()));
        Ok(())
    }

    /// The resource and type of operand word `index`, an image or sampler. For a texture with a sampler, the texture.
    fn handle(&mut self, inst: &Inst<'_>, index: usize) -> Result<(Resource, u32)> {
        let pointer = self.pointer(inst, index)?;
        match pointer.base {
            Base::Mem(MemPtr { memory: Memory::Image(resource), .. })
            | Base::Sampled { texture: resource, .. } => Ok((resource, pointer.pointee)),
            _ => Err(inst.error(ErrorCode::OperandType, "expected an image or sampler")),
        }
    }

    /// Whether operand word 0 is a texture rather than a storage image.
    pub(super) fn is_texture(&mut self, inst: &Inst<'_>) -> Result<bool> {
        let (resource, _) = self.handle(inst, 0)?;
        Ok(self.shader.texture(resource.binding).is_some())
    }

    /// The texture in operand word 0. It must have a sampler if `sampled` is set, and must not otherwise.
    fn texture(&mut self, inst: &Inst<'_>, sampled: bool) -> Result<Texture> {
        let pointer = self.pointer(inst, 0)?;
        let with_sampler =
            matches!(self.globals.types.get(pointer.pointee), Some(Type::SampledImage { .. }));
        let declared = self.texture_type(pointer.pointee);
        let (texture, sampler) = match pointer.base {
            Base::Sampled { texture, sampler } => (texture, Some(sampler)),
            Base::Mem(MemPtr { memory: Memory::Image(texture), .. }) => {
                (texture, with_sampler.then_some(texture))
            }
            _ => return Err(inst.error(ErrorCode::OperandType, "expected a texture")),
        };
        let (Some(ty), Some(declared)) = (self.shader.texture(texture.binding), declared) else {
            return Err(inst.error(ErrorCode::OperandType, "expected an image for a sampler"));
        };
        if sampled != sampler.is_some() {
            let detail = match sampled {
                true => "expected an image with a sampler",
                false => "expected an image without its sampler",
            };
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let is_rectangle = declared.dim == Dim::DimRect as u32;
        Ok(Texture { texture, sampler, ty, is_rectangle, sampled: declared.component })
    }

    /// Divides coordinates, or their differences, by the size of the texture if they count texels. Further components are
    /// left as they are.
    fn divide_by_size(&mut self, texture: &Texture, coord: &mut [Value]) {
        if !texture.is_rectangle {
            return;
        }
        let read = TextureRead::new(TextureOp::Size, texture.ty, texture.texture, None);
        let size = self.texture_read(read);
        for (axis, value) in coord.iter_mut().enumerate().take(texture.ty.dims()) {
            let side = self.b().comp(size, axis);
            let side = self.b().convert(AluOp::U2F, 32, side);
            *value = self.alu(AluOp::FDiv, &[*value, side]);
        }
    }

    /// The first `count` components of a source.
    fn components(&mut self, inst: &Inst<'_>, value: Value, count: usize) -> Result<Vec<Value>> {
        let found = self.shader.func.ty(value);
        if found.comps() < count {
            let detail = format!("expected {count} components, found {found}");
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        Ok((0..count).map(|comp| self.b().comp(value, comp)).collect())
    }

    fn vector(&mut self, comps: &[Value]) -> Src {
        let comps: Vec<Src> = comps.iter().map(|&comp| comp.into()).collect();
        Src::new(self.b().vec(&comps))
    }

    /// The optional operands from operand word `at` on. The level of a fetch is an integer, that of other reads a
    /// float.
    fn texture_operands(&mut self, inst: &Inst<'_>, at: usize) -> Result<Operands> {
        let mut operands = Operands::default();
        let Some(&word) = inst.operands.get(at) else { return Ok(operands) };
        let flags = ImageOperands::from_bits_truncate(word);
        let mut next = at + 1;
        // The operands are in the order of the flags' bits.
        for flag in flags.iter() {
            match flag {
                ImageOperands::BIAS | ImageOperands::LOD => {
                    operands.explicit = flag == ImageOperands::LOD;
                    operands.level = Some(match inst.op {
                        Op::ImageFetch | Op::ImageRead => self.coordinate32(inst, next)?,
                        _ => self.float32(inst, next)?,
                    });
                    next += 1;
                }
                ImageOperands::GRAD => {
                    operands.gradients =
                        Some([self.float32(inst, next)?, self.float32(inst, next + 1)?]);
                    next += 2;
                }
                ImageOperands::CONST_OFFSET | ImageOperands::OFFSET => {
                    operands.offset = Some(self.operand(inst, next)?);
                    next += 1;
                }
                ImageOperands::CONST_OFFSETS => {
                    operands.offsets = Some(inst.word(next)?);
                    next += 1;
                }
                ImageOperands::SAMPLE => {
                    operands.sample = Some(self.coordinate32(inst, next)?);
                    next += 1;
                }
                ImageOperands::MIN_LOD => {
                    operands.min_level = Some(self.float32(inst, next)?);
                    next += 1;
                }
                // These flags have no operands, and the read does not depend on them.
                ImageOperands::SIGN_EXTEND
                | ImageOperands::ZERO_EXTEND
                | ImageOperands::VOLATILE_TEXEL
                | ImageOperands::NON_PRIVATE_TEXEL
                | ImageOperands::NONTEMPORAL => {}
                other => {
                    let detail = format!("expected no image operand {other:?} on a texture");
                    return Err(inst.error(ErrorCode::Unsupported, detail));
                }
            }
        }
        Ok(operands)
    }

    /// The `dims` components of a constant offset of type `ty`, clamped to 32 bits; `None` if the offset is not
    /// constant.
    fn known_offset(&self, offset: &Val, ty: u32, dims: usize) -> Option<[i32; 3]> {
        let Val::Const(value) = offset else { return None };
        let mut known = [0; 3];
        for (index, known) in (0..).zip(known.iter_mut().take(dims)) {
            let value = self.known_int(value, ty, index)?;
            *known = value.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        }
        Some(known)
    }

    /// The `dims` components of an offset that is computed at run time, as 32 bits.
    fn offset_at_run_time(
        &mut self,
        inst: &Inst<'_>,
        offset: &Val,
        ty: u32,
        dims: usize,
    ) -> Result<Vec<Value>> {
        let Val::Leaf(value) = *offset else {
            return Err(inst.error(ErrorCode::OperandType, "expected an offset"));
        };
        if !self.globals.types.is_int(ty) {
            return Err(inst.error(ErrorCode::OperandType, "expected an offset of integers"));
        }
        let value = self.narrowed(value, Narrow::Signed);
        self.components(inst, value, dims)
    }

    /// Appends a read; returns its result.
    fn texture_read(&mut self, read: TextureRead) -> Value {
        let ty = Ty::X32.with_comps(read.comps());
        let inst = self.b().inst(InstKind::Texture(Box::new(read)), &[ty]);
        self.shader.func.inst(inst).results[0]
    }

    /// Binds the result of a read. Its component type must be that of the texture's texels.
    fn bind_texel(&mut self, inst: &Inst<'_>, texture: &Texture, value: Value) -> Result<()> {
        let same = self.globals.types.scalar(inst.ty) == self.globals.types.get(texture.sampled);
        if !same {
            let detail = "expected components of the texture's texels";
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        self.bind_leaf(inst, value)
    }

    /// `OpImageFetch`.
    pub(super) fn op_image_fetch(&mut self, inst: &Inst<'_>) -> Result<()> {
        let texture = self.texture(inst, false)?;
        if texture.ty.dim == ImageDim::Cube {
            return Err(inst.error(
                ErrorCode::BadImage,
                "expected an image that is not a cube map (cube maps do not support fetches)",
            ));
        }
        let coord = self.coordinate32(inst, 1)?;
        let dims = texture.ty.dims();
        let count = dims + usize::from(texture.ty.arrayed);
        let mut coord = self.components(inst, coord, count)?;
        let operands = self.texture_operands(inst, 2)?;
        let is_filtered = operands.gradients.is_some() || operands.min_level.is_some();
        if is_filtered || operands.offsets.is_some() {
            let detail = "expected a level, a sample and one offset as operands of a fetch";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        if let Some((offset, offset_ty)) = &operands.offset {
            let offset = match self.known_offset(offset, *offset_ty, dims) {
                Some(known) => known[..dims].iter().map(|n| self.imm(n.cast_unsigned())).collect(),
                None => self.offset_at_run_time(inst, offset, *offset_ty, dims)?,
            };
            for (coord, offset) in coord.iter_mut().zip(offset) {
                *coord = self.alu(AluOp::IAdd, &[*coord, offset]);
            }
        }
        let coord = self.vector(&coord);
        self.fetch(inst, &texture, coord, &operands)
    }

    /// `OpImageRead` of an input attachment or of a multisampled storage image.
    pub(super) fn op_texture_read(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (_, ty) = self.handle(inst, 0)?;
        match self.texture_type(ty) {
            Some(declared) if declared.dim == Dim::DimSubpassData as u32 => {
                self.op_attachment_read(inst)
            }
            _ => self.op_image_fetch(inst),
        }
    }

    /// `OpImageRead` of an input attachment: a fetch at the pixel of the invocation, moved by the coordinates in the operand.
    fn op_attachment_read(&mut self, inst: &Inst<'_>) -> Result<()> {
        self.check_fragment(inst)?;
        let texture = self.texture(inst, false)?;
        let moved = self.coordinate32(inst, 1)?;
        let moved = self.components(inst, moved, texture.ty.dims())?;
        let operands = self.texture_operands(inst, 2)?;
        let others = operands.level.is_some()
            || operands.gradients.is_some()
            || operands.min_level.is_some()
            || operands.offset.is_some()
            || operands.offsets.is_some();
        if others {
            let detail = "expected no operand of a read of an input attachment but a sample";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let place = self.sysval(SysVal::FragCoord);
        let mut coord = Vec::new();
        for (axis, &moved) in moved.iter().enumerate() {
            // Coordinates in the framebuffer are not negative, so rounding toward zero gives the pixel.
            let at = self.b().comp(place, axis);
            let pixel = self.b().convert(AluOp::F2I, 32, at);
            coord.push(self.alu(AluOp::IAdd, &[pixel, moved]));
        }
        let coord = self.vector(&coord);
        self.fetch(inst, &texture, coord, &operands)
    }

    /// Appends a fetch, and binds its result.
    fn fetch(
        &mut self,
        inst: &Inst<'_>,
        texture: &Texture,
        coord: Src,
        operands: &Operands,
    ) -> Result<()> {
        let multisampled = texture.ty.multisampled;
        let detail = match (multisampled, operands.sample, operands.level) {
            (true, None, _) => "expected the number of a sample of the multisampled image",
            (true, _, Some(_)) => "expected no level of the multisampled image",
            (false, Some(_), _) => "expected a multisampled image, to read one of its samples",
            _ => "",
        };
        if !detail.is_empty() {
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let mut read = TextureRead::new(TextureOp::Fetch, texture.ty, texture.texture, Some(coord));
        read.level = operands.level.map(Src::new);
        read.sample = operands.sample.map(Src::new);
        let texel = self.texture_read(read);
        self.bind_texel(inst, texture, texel)
    }

    /// `OpImageSample...`: with an implicit or explicit level, comparing, projecting.
    pub(super) fn op_image_sample(&mut self, inst: &Inst<'_>) -> Result<()> {
        let compares = matches!(
            inst.op,
            Op::ImageSampleDrefImplicitLod
                | Op::ImageSampleDrefExplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::ImageSampleProjDrefExplicitLod
        );
        let projects = matches!(
            inst.op,
            Op::ImageSampleProjImplicitLod
                | Op::ImageSampleProjExplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::ImageSampleProjDrefExplicitLod
        );
        let implicit = matches!(
            inst.op,
            Op::ImageSampleImplicitLod
                | Op::ImageSampleDrefImplicitLod
                | Op::ImageSampleProjImplicitLod
                | Op::ImageSampleProjDrefImplicitLod
        );
        let texture = self.texture(inst, true)?;
        let dims = texture.ty.dims();
        let count = dims + usize::from(texture.ty.arrayed);
        let coord = self.float32(inst, 1)?;
        let mut coord = self.components(inst, coord, count + usize::from(projects))?;
        let mut compare = if compares { Some(self.float32(inst, 2)?) } else { None };
        if projects && let Some(divisor) = coord.pop() {
            for value in coord.iter_mut().chain(&mut compare) {
                *value = self.alu(AluOp::FDiv, &[*value, divisor]);
            }
        }
        let operands = self.texture_operands(inst, if compares { 3 } else { 2 })?;
        if implicit && (operands.explicit || operands.gradients.is_some()) {
            let detail = "expected no level and no gradients for an implicit level of detail";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        if operands.min_level.is_some() && !implicit && operands.gradients.is_none() {
            let detail = "expected no least level of detail, because the level is explicit";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        self.divide_by_size(&texture, &mut coord);
        let coord = self.vector(&coord);
        let mut read =
            TextureRead::new(TextureOp::Sample, texture.ty, texture.texture, Some(coord));
        read.sampler = texture.sampler;
        read.compare = compare.map(Src::new);
        if let Some(gradients) = operands.gradients {
            let mut sources = [coord; 2];
            for (source, gradient) in sources.iter_mut().zip(gradients) {
                let mut comps = self.components(inst, gradient, dims)?;
                self.divide_by_size(&texture, &mut comps);
                *source = self.vector(&comps);
            }
            read.gradients = Some(sources);
            read.min_level = operands.min_level.map(Src::new);
        } else if implicit && !self.shader.has_quads() {
            // The level is 0 without derivatives, so the bias is the level.
            read.level = match (operands.level, operands.min_level) {
                (Some(bias), Some(least)) => Some(self.alu(AluOp::FMax, &[bias, least]).into()),
                (bias, least) => bias.or(least).map(Src::new),
            };
        } else {
            read.level = operands.level.map(Src::new);
            read.min_level = operands.min_level.map(Src::new);
            read.implicit = implicit;
        }
        if let Some((offset, ty)) = &operands.offset {
            read.offset = self.header_offset(inst, offset, *ty, dims)?;
        }
        self.check_filtered(inst, &texture, &operands)?;
        let texel = self.texture_read(read);
        self.bind_texel(inst, &texture, texel)
    }

    /// `OpImageGather` and `OpImageDrefGather`.
    pub(super) fn op_image_gather(&mut self, inst: &Inst<'_>) -> Result<()> {
        let compares = inst.op == Op::ImageDrefGather;
        let texture = self.texture(inst, true)?;
        if !matches!(texture.ty.dim, ImageDim::D2 | ImageDim::Cube) {
            let detail = "expected a texture of two dimensions or a cube";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let dims = texture.ty.dims();
        let coord = self.float32(inst, 1)?;
        let mut coord = self.components(inst, coord, dims + usize::from(texture.ty.arrayed))?;
        self.divide_by_size(&texture, &mut coord);
        let coord = self.vector(&coord);
        let (component, compare) = if compares {
            (0, Some(self.float32(inst, 2)?))
        } else {
            match self.operand(inst, 2)?.0 {
                Val::Const(value) if value.bits() < 4 => (value.bits() as u8, None),
                _ => {
                    let detail = "expected a constant component, 0 to 3";
                    return Err(inst.error(ErrorCode::NotAConstant, detail));
                }
            }
        };
        let operands = self.texture_operands(inst, 3)?;
        if operands.level.is_some() || operands.gradients.is_some() || operands.min_level.is_some()
        {
            let detail =
                "expected a gather without a level operand, because a gather reads level 0";
            return Err(inst.error(ErrorCode::Unsupported, detail));
        }
        self.check_filtered(inst, &texture, &operands)?;
        let op = TextureOp::Gather(component);
        let mut read = TextureRead::new(op, texture.ty, texture.texture, Some(coord));
        read.sampler = texture.sampler;
        read.compare = compare.map(Src::new);
        let texels = match (&operands.offset, operands.offsets) {
            (None, None) => self.texture_read(read),
            (Some((offset, ty)), _) => {
                self.offset_gather(inst, &mut read, offset, *ty)?;
                self.texture_read(read)
            }
            // Component i of the result is the last component (texel i0 j0) of a gather with offset number i.
            (None, Some(array)) => {
                let (offsets, ty) = self.value(array).map_err(|e| e.at(inst.position()))?;
                let mut comps = Vec::new();
                for index in 0..4 {
                    let (offset, ty) =
                        self.part(&offsets, ty, index).map_err(|e| e.at(inst.position()))?;
                    let mut read = read.clone();
                    self.offset_gather(inst, &mut read, &offset, ty)?;
                    let texels = self.texture_read(read);
                    comps.push(Src::comp(texels, 3));
                }
                self.b().vec(&comps)
            }
        };
        self.bind_texel(inst, &texture, texels)
    }

    /// Sets the offset of a gather: in the message header if it is constant and fits there, else as parameters.
    fn offset_gather(
        &mut self,
        inst: &Inst<'_>,
        read: &mut TextureRead,
        offset: &Val,
        ty: u32,
    ) -> Result<()> {
        let dims = usize::from(read.dims);
        match self.known_offset(offset, ty, dims) {
            Some(known) if known.iter().all(|n| HEADER_OFFSETS.contains(n)) => {
                read.offset = known.map(|n| n as i8);
            }
            Some(known) if known.iter().all(|n| GATHER_OFFSETS.contains(n)) => {
                let bits = known.map(|n| u64::from(n.cast_unsigned()));
                let ty = Ty::X32.with_comps(dims);
                let value = self.imm_bits(ty, [bits[0], bits[1], 0, 0]);
                read.offset_at_run_time = Some(value.into());
            }
            Some(_) => {
                let detail = "expected offsets of -32 to 31 texels";
                return Err(inst.error(ErrorCode::OperandType, detail));
            }
            None => {
                let comps = self.offset_at_run_time(inst, offset, ty, dims)?;
                read.offset_at_run_time = Some(self.vector(&comps));
            }
        }
        Ok(())
    }

    /// The constant offset of a sample, which must fit in the message header.
    fn header_offset(
        &self,
        inst: &Inst<'_>,
        offset: &Val,
        ty: u32,
        dims: usize,
    ) -> Result<[i8; 3]> {
        match self.known_offset(offset, ty, dims) {
            Some(known) if known.iter().all(|n| HEADER_OFFSETS.contains(n)) => {
                Ok(known.map(|n| n as i8))
            }
            _ => {
                let detail = "expected a constant offset of -8 to 7 texels";
                Err(inst.error(ErrorCode::OperandType, detail))
            }
        }
    }

    /// Checks the operands that samples and gathers have in common.
    fn check_filtered(
        &self,
        inst: &Inst<'_>,
        texture: &Texture,
        operands: &Operands,
    ) -> Result<()> {
        let offset = operands.offset.is_some() || operands.offsets.is_some();
        let detail = match texture.ty.dim {
            _ if texture.ty.multisampled => {
                "expected an image with one sample (multisampled images support fetches only)"
            }
            _ if operands.sample.is_some() => "expected no sample, because the image is filtered",
            ImageDim::Buffer => {
                "expected an image that is not a texel buffer (texel buffers support fetches only)"
            }
            ImageDim::Cube if offset => "expected no offset on a cube",
            _ if operands.offsets.is_some()
                && inst.op != Op::ImageGather
                && inst.op != Op::ImageDrefGather =>
            {
                "expected one offset"
            }
            _ => return Ok(()),
        };
        Err(inst.error(ErrorCode::OperandType, detail))
    }

    /// `OpImageQuerySizeLod`, and `OpImageQuerySize` of a texture.
    pub(super) fn op_texture_size(&mut self, inst: &Inst<'_>) -> Result<()> {
        let texture = self.texture(inst, false)?;
        let mut read = TextureRead::new(TextureOp::Size, texture.ty, texture.texture, None);
        if inst.op == Op::ImageQuerySizeLod {
            read.level = Some(self.coordinate32(inst, 1)?.into());
        }
        let all = self.texture_read(read);
        let ty = Ty::X32.with_comps(texture.ty.size_comps());
        let size = self.b().alu_ty(AluOp::Mov, ty, &[Src::new(all)]);
        self.bind_size(inst, size)
    }

    /// Binds the result of a size query. It may be declared with integers of any width.
    pub(super) fn bind_size(&mut self, inst: &Inst<'_>, size: Value) -> Result<()> {
        let bits = self.result_leaf(inst)?.bits();
        if bits == 32 || !self.globals.types.is_int(inst.ty) {
            return self.bind_leaf(inst, size);
        }
        let size = self.b().convert(AluOp::U2U, bits, size);
        self.bind_leaf(inst, size)
    }

    /// `OpImageQueryLod`.
    pub(super) fn op_texture_lod(&mut self, inst: &Inst<'_>) -> Result<()> {
        self.check_quads(inst)?;
        let texture = self.texture(inst, true)?;
        self.check_filtered(inst, &texture, &Operands::default())?;
        let coord = self.float32(inst, 1)?;
        let mut coord = self.components(inst, coord, texture.ty.dims())?;
        self.divide_by_size(&texture, &mut coord);
        let coord = self.vector(&coord);
        let mut read = TextureRead::new(TextureOp::Lod, texture.ty, texture.texture, Some(coord));
        read.sampler = texture.sampler;
        let all = self.texture_read(read);
        let levels = self.b().alu_ty(AluOp::Mov, Ty::X32.with_comps(2), &[Src::new(all)]);
        self.bind_leaf(inst, levels)
    }

    /// `OpImageQuerySamples`.
    pub(super) fn op_texture_samples(&mut self, inst: &Inst<'_>) -> Result<()> {
        let texture = self.texture(inst, false)?;
        if !texture.ty.multisampled {
            let detail = "expected a multisampled image, to query its number of samples";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let read = TextureRead::new(TextureOp::Samples, texture.ty, texture.texture, None);
        let all = self.texture_read(read);
        let samples = self.b().comp(all, 0);
        self.bind_size(inst, samples)
    }

    /// `OpImageQueryLevels`.
    pub(super) fn op_texture_levels(&mut self, inst: &Inst<'_>) -> Result<()> {
        let texture = self.texture(inst, false)?;
        let read = TextureRead::new(TextureOp::Size, texture.ty, texture.texture, None);
        let all = self.texture_read(read);
        let levels = self.b().comp(all, 3);
        self.bind_size(inst, levels)
    }
}
