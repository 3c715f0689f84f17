//! Storage images: their types, and reads, writes and atomics of their texels.

use crestline_ssa::ir::{
    Access, AluOp, AtomicOp, Binding, BindingKind, ImageDim, ImageForm, ImageTy, InstKind, Memory,
    Resource, Src, SurfaceFormat, Ty, Value,
};
use rspirv::spirv::{Decoration, Dim, ImageFormat, ImageOperands};

use super::Translator;
use super::pointer::{Base, MemPtr, Pointer};
use super::value::Val;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::layout::Rules;
use crate::spirv::{ImageType, Inst, Type};

/// The GLSL names of SPIR-V's image formats, in the order of the format numbers, from 1 on.
const FORMATS: [&str; 39] = [
    "rgba32f",
    "rgba16f",
    "r32f",
    "rgba8",
    "rgba8_snorm",
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r16f",
    "rgba16",
    "rgb10_a2",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16_snorm",
    "rg16_snorm",
    "rg8_snorm",
    "r16_snorm",
    "r8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "r32i",
    "rg32i",
    "rg16i",
    "rg8i",
    "r16i",
    "r8i",
    "rgba32ui",
    "rgba16ui",
    "rgba8ui",
    "r32ui",
    "rgb10_a2ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r16ui",
    "r8ui",
];

/// A pointer to a texel, for atomics.
#[derive(Clone, Debug)]
pub(super) struct TexelPtr {
    pub(super) image: Resource,
    pub(super) coord: Value,
    pub(super) access: Access,
    pub(super) writable: bool,
}

/// The first operand of an image instruction.
struct Image {
    resource: Resource,
    ty: ImageTy,
    access: Access,
    writable: bool,
    /// The SPIR-V type of a component.
    sampled: u32,
}

impl Translator<'_, '_> {
    /// The base of a pointer to a variable that is an image or an array of images.
    pub(super) fn image_base(&mut self, inst: &Inst<'_>, pointee: u32) -> Result<Base> {
        let (set, number) = self.binding_place(inst.result)?;
        let name = self.module.name(inst.result).to_owned();
        let shown = self.module.shown_name(inst.result);
        let place = format!("{shown} at set {set} binding {number}");
        let image = self.block_of(pointee);
        let Some(Type::Image(declared)) = self.globals.types.get(image).cloned() else {
            let found = self.globals.types.expect(image)?.describe();
            let detail = format!("expected a storage image as {place}, found {found}");
            return Err(FrontendError::new(ErrorCode::UnsupportedType, detail));
        };
        let given = self.image_formats.iter().find(|row| row.0 == (set, number)).map(|row| row.1);
        let ty = self.image_ty(&declared, given, &place)?;
        let (kind, count) = (BindingKind::Image(ty), self.descriptors(pointee)?);
        let (readonly, non_uniform) = (true, false);
        let binding = Binding { set, binding: number, kind, count, name, readonly, non_uniform };
        let binding = self.add_binding(binding)?;
        let memory = Memory::Image(Resource { binding, element: None });
        let mut mem = MemPtr::start(memory, Rules::Explicit);
        mem.decorate(self.module.decorations(inst.result));
        Ok(if count.is_some() { Base::Descriptors(mem) } else { Base::Mem(mem) })
    }

    /// The IR type of a storage image; `given` is its format if the module declares none. An error if the hardware has
    /// no messages for it.
    fn image_ty(
        &self,
        declared: &ImageType,
        given: Option<SurfaceFormat>,
        place: &str,
    ) -> Result<ImageTy> {
        let refuse = |expected: &str, found: &str| {
            let detail = format!("expected {expected} as {place}, found {found}");
            Err(FrontendError::new(ErrorCode::BadImage, detail))
        };
        let format = match declared.format {
            0 => given,
            number => match FORMATS.get(number as usize - 1) {
                Some(name) => SurfaceFormat::from_glsl(name),
                None => {
                    let name = ImageFormat::from_u32(number);
                    let found = name.map_or(format!("number {number}"), |name| format!("{name:?}"));
                    return refuse("a format of 32-bit components", &found);
                }
            },
        };
        let format_name = format.and_then(SurfaceFormat::glsl_name).unwrap_or("no format");
        if declared.sampled != 2 {
            return refuse("a storage image", "an image for a sampler");
        }
        let dim = match Dim::from_u32(declared.dim) {
            Some(Dim::Dim1D) => ImageDim::D1,
            Some(Dim::Dim2D | Dim::DimRect) => ImageDim::D2,
            Some(Dim::Dim3D) => ImageDim::D3,
            Some(Dim::DimCube) => ImageDim::Cube,
            Some(Dim::DimBuffer) => ImageDim::Buffer,
            Some(other) => return refuse("dimensions of a storage image", &format!("{other:?}")),
            None => return refuse("dimensions of a storage image", &format!("{}", declared.dim)),
        };
        let classes = |format: SurfaceFormat| {
            let name = format.name();
            (name.ends_with("_SINT"), name.ends_with("_UINT"))
        };
        let fits = match self.globals.types.get(declared.component) {
            Some(Type::Float { bits: 32 }) => {
                format.is_none_or(|format| classes(format) == (false, false))
            }
            // The sign of the component type may differ from that of the format: the bits are the same.
            Some(Type::Int { bits: 32, .. }) => {
                format.is_none_or(|format| classes(format) != (false, false))
            }
            _ => false,
        };
        if !fits {
            let found = self.globals.types.expect(declared.component)?.describe();
            return refuse("texels of the format's kind of 32-bit numbers", &{
                format!("{found} for {format_name}")
            });
        }
        Ok(ImageTy { dim, arrayed: declared.arrayed, format })
    }

    /// The image in operand word 0.
    fn image(&mut self, inst: &Inst<'_>) -> Result<Image> {
        let pointer = match self.pointer(inst, 0)? {
            Pointer { base: Base::Kept(variable), pointee } => {
                self.load_resource(variable, pointee).map_err(|e| e.at(inst.position()))?
            }
            pointer => pointer,
        };
        let declared = match self.globals.types.get(pointer.pointee) {
            Some(Type::Image(declared)) => Some(declared.clone()),
            _ => None,
        };
        match (pointer.base, declared) {
            (
                Base::Mem(MemPtr { memory: Memory::Image(resource), access, writable, .. }),
                Some(d),
            ) => {
                let binding = self.shader.binding(resource.binding);
                let BindingKind::Image(ty) = binding.kind else {
                    if d.multisampled {
                        let detail = "expected a storage image with one sample for a write or an atomic, found a \
                                      multisampled image";
                        return Err(inst.error(ErrorCode::BadImage, detail));
                    }
                    return Err(inst.error(ErrorCode::OperandType, "expected a storage image"));
                };
                Ok(Image { resource, ty, access, writable, sampled: d.component })
            }
            _ => Err(inst.error(ErrorCode::OperandType, "expected a storage image")),
        }
    }

    fn image_name(&self, image: &Image) -> String {
        let binding = self.shader.binding(image.resource.binding);
        format!("{:?} at set {} binding {}", binding.name, binding.set, binding.binding)
    }

    /// The coordinates in operand word 1, as 32 bits. Components beyond those of the image are dropped.
    fn coordinates(&mut self, inst: &Inst<'_>, ty: ImageTy) -> Result<Value> {
        let value = self.coordinate32(inst, 1)?;
        let (found, count) = (self.shader.func.ty(value), ty.coords());
        if found.comps() < count {
            let detail = format!("expected {count} coordinates, found {found}");
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        if found.comps() == count {
            return Ok(value);
        }
        let ty = found.with_comps(count);
        Ok(self.b().alu_ty(AluOp::Mov, ty, &[Src::new(value)]))
    }

    /// Checks the optional image operands from operand word `at` on. Those that only give guarantees or ask for
    /// ordering are ignored; others, such as offsets, are errors.
    fn image_operands(&self, inst: &Inst<'_>, at: usize) -> Result<()> {
        let Some(&word) = inst.operands.get(at) else { return Ok(()) };
        let promises = ImageOperands::SIGN_EXTEND
            | ImageOperands::ZERO_EXTEND
            | ImageOperands::NON_PRIVATE_TEXEL
            | ImageOperands::VOLATILE_TEXEL
            | ImageOperands::MAKE_TEXEL_AVAILABLE
            | ImageOperands::MAKE_TEXEL_VISIBLE
            | ImageOperands::NONTEMPORAL;
        match ImageOperands::from_bits_truncate(word) & !promises {
            rest if rest.is_empty() => Ok(()),
            rest => {
                let detail = format!(
                    "expected no image operands that offset the coordinates, found {rest:?}"
                );
                Err(inst.error(ErrorCode::Unsupported, detail))
            }
        }
    }

    /// `OpImageRead`.
    pub(super) fn op_image_read(&mut self, inst: &Inst<'_>) -> Result<()> {
        let image = self.image(inst)?;
        let coord = self.coordinates(inst, image.ty)?;
        self.image_operands(inst, 2)?;
        let texel = self.image_load(image.resource, coord, image.access);
        let wanted = self.result_leaf(inst)?;
        let same_kind = self.globals.types.scalar(inst.ty) == self.globals.types.get(image.sampled);
        if wanted.bits() != 32 || !same_kind {
            let detail = "expected components of the image's texels";
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        let value = if wanted.comps() == 4 {
            texel
        } else {
            self.b().alu_ty(AluOp::Mov, wanted, &[Src::new(texel)])
        };
        self.bind(inst.result, Val::Leaf(value));
        Ok(())
    }

    fn image_load(&mut self, image: Resource, coord: Value, access: Access) -> Value {
        let dims = self.shader.func.ty(coord).comps() as u8;
        let (coord, form) = (coord.into(), ImageForm::Shader);
        let kind = InstKind::ImageLoad { image, coord, dims, form, access };
        let load = self.b().inst(kind, &[Ty::X32.with_comps(4)]);
        self.shader.func.inst(load).results[0]
    }

    /// `OpImageWrite`.
    pub(super) fn op_image_write(&mut self, inst: &Inst<'_>) -> Result<()> {
        let image = self.image(inst)?;
        if !image.writable {
            let detail = format!("expected a writable image, found {}", self.image_name(&image));
            return Err(inst.error(ErrorCode::NotWritable, detail));
        }
        let coord = self.coordinates(inst, image.ty)?;
        self.image_operands(inst, 3)?;
        let (val, ty) = self.operand(inst, 2)?;
        let texel = self.as_leaf(&val, ty).map_err(|e| e.at(inst.position()))?;
        let same_kind = self.globals.types.scalar(ty) == self.globals.types.get(image.sampled);
        if self.shader.func.ty(texel).bits() != 32 || !same_kind {
            let detail = "expected components of the image's texels";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        self.image_store(image.resource, coord, texel, image.access);
        Ok(())
    }

    /// Appends an image store. Missing components of the texel are filled with zeros.
    fn image_store(&mut self, image: Resource, coord: Value, texel: Value, access: Access) {
        let comps = self.shader.func.ty(texel).comps();
        let data = if comps == 4 {
            texel
        } else {
            // Components that the texel lacks: the format does not have them either, or they are undefined.
            let zero = self.imm(0);
            let part = |c: usize| if c < comps { Src::comp(texel, c) } else { zero.into() };
            let parts: Vec<Src> = (0..4).map(part).collect();
            self.b().vec(&parts)
        };
        let dims = self.shader.func.ty(coord).comps() as u8;
        let (coord, data, form) = (coord.into(), data.into(), ImageForm::Shader);
        self.b().inst(InstKind::ImageStore { image, coord, dims, data, form, access }, &[]);
    }

    /// `OpImageQuerySize`.
    pub(super) fn op_image_query_size(&mut self, inst: &Inst<'_>) -> Result<()> {
        let image = self.image(inst)?;
        let ty = Ty::X32.with_comps(image.ty.size_comps());
        let query = self.b().inst(InstKind::ImageSize(image.resource), &[ty]);
        let size = self.shader.func.inst(query).results[0];
        self.bind_size(inst, size)
    }

    /// `OpImageTexelPointer`.
    pub(super) fn op_image_texel_pointer(&mut self, inst: &Inst<'_>) -> Result<()> {
        let image = self.image(inst)?;
        let coord = self.coordinates(inst, image.ty)?;
        let Some(&Type::Pointer { pointee, .. }) = self.globals.types.get(inst.ty) else {
            return Err(inst.error(ErrorCode::ResultType, "expected a pointer type"));
        };
        let single = image.ty.format.is_some_and(|format| {
            format.bytes() == 4 && format.info().channels.iter().flatten().count() == 1
        });
        if !single || pointee != image.sampled {
            let detail = format!(
                "expected an image with one 32-bit number per texel for atomics, found {}",
                self.image_name(&image)
            );
            return Err(inst.error(ErrorCode::BadAtomic, detail));
        }
        let Image { resource, access, writable, .. } = image;
        let base = Base::Texel(TexelPtr { image: resource, coord, access, writable });
        self.bind(inst.result, Val::Pointer(Pointer { base, pointee }.into()));
        Ok(())
    }

    /// An atomic on a texel. `op` is `None` for an atomic load (without `data`) or store (with `data`).
    pub(super) fn texel_atomic(
        &mut self,
        inst: &Inst<'_>,
        texel: &TexelPtr,
        op: Option<AtomicOp>,
        data: Option<Value>,
        compare: Option<Src>,
    ) -> Result<()> {
        let TexelPtr { image, coord, .. } = *texel;
        let access = Access { coherent: true, volatile: true, ..texel.access };
        match (op, data) {
            (Some(op), Some(data)) => {
                let dims = self.shader.func.ty(coord).comps() as u8;
                let (coord, data, form) = (coord.into(), data.into(), ImageForm::Shader);
                let kind =
                    InstKind::ImageAtomic { image, op, coord, dims, data, compare, form, access };
                let atomic = self.b().inst(kind, &[Ty::X32]);
                let old = self.shader.func.inst(atomic).results[0];
                self.bind_leaf(inst, old)
            }
            (None, Some(data)) => {
                self.image_store(image, coord, data, access);
                Ok(())
            }
            (_, None) => {
                let all = self.image_load(image, coord, access);
                let value = self.b().comp(all, 0);
                self.bind_leaf(inst, value)
            }
        }
    }

    /// The descriptor set and binding of a variable.
    pub(super) fn binding_place(&self, id: u32) -> Result<(u32, u32)> {
        let need = |kind: Decoration| {
            self.module.decoration_word(id, kind)?.ok_or_else(|| {
                let detail = format!("expected a {kind:?} decoration of %{id}");
                FrontendError::new(ErrorCode::MissingBinding, detail)
            })
        };
        Ok((need(Decoration::DescriptorSet)?, need(Decoration::Binding)?))
    }
}
