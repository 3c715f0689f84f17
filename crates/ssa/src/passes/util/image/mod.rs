//! Helpers of the image lowerings: an access to a texel, its bounds check, and the conversion between two formats.

mod address;
mod convert;
mod step;

pub(crate) use convert::{from_words, to_words};
#[cfg_attr(
    not(feature = "testing"),
    expect(unreachable_pub, reason = "only tests name steps")
)]
pub use step::ImageStep;
pub(crate) use step::Steps;

use crestline_device::{ChannelKind, Device};

use super::walk;
use crate::ir::{
    AluOp, Binding, BindingId, BindingKind, Builder, Function, ImageParam, ImageTy, InstKind,
    Memory, Resource, Src, SurfaceFormat, Ty, Value,
};

/// A byte offset beyond every surface, with room for a texel after it. Loads there return 0 and stores have no effect.
const OUTSIDE: u32 = 0xffff_fff0;

/// The bits of a texel that a message transfers as one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Number of bits, at most 32.
    pub(crate) bits: u32,
    /// Lowest bit in the texel.
    pub(crate) shift: u32,
}

/// An access to a texel of an image that the shader reads, or both reads and writes.
pub(crate) struct Texel<'a> {
    pub(crate) device: &'a Device,
    pub(crate) image: Resource,
    pub(crate) ty: ImageTy,
    /// The coordinates.
    pub(crate) coord: Src,
    /// The shader's format.
    pub(crate) format: SurfaceFormat,
    /// The format of the surface that the driver binds.
    pub(crate) surface: SurfaceFormat,
    /// The steps of the lowering that are not left out.
    pub(crate) steps: Steps,
}

impl<'a> Texel<'a> {
    /// Describes an access. `without` is a step for the lowering to leave out.
    pub(crate) fn new(
        device: &'a Device,
        image: Resource,
        ty: ImageTy,
        coord: Src,
        format: SurfaceFormat,
        without: Option<ImageStep>,
    ) -> Texel<'a> {
        let surface = device.image_surface_format(format);
        Texel { device, image, ty, coord, format, surface, steps: Steps { without } }
    }

    /// Whether the access is untyped: the shader computes the address, and messages transfer bytes.
    pub(crate) fn is_raw(&self) -> bool {
        self.surface == SurfaceFormat::RAW
    }

    /// The components that messages transfer: the surface's channels, or for untyped accesses the texel's dwords.
    pub(crate) fn words(&self) -> Vec<Word> {
        if self.is_raw() {
            let dwords = u32::from(self.format.info().bits) / 32;
            return (0..dwords).map(|i| Word { bits: 32, shift: 32 * i }).collect();
        }
        let channels = self.surface.info().channels.iter().flatten();
        channels.map(|c| Word { bits: c.bits.into(), shift: c.shift.into() }).collect()
    }

    /// Whether the texel is within the image. A negative coordinate, compared as unsigned, is out of bounds.
    pub(crate) fn in_bounds(&self, b: &mut Builder<'_>) -> Value {
        let mut inside = None;
        for comp in 0..self.ty.coords() {
            let at = self.coordinate(b, comp);
            let size = b.image_param(self.image, ImageParam::Size, comp);
            let fits = b.alu(AluOp::ULt, &[at, size]);
            inside = Some(match inside {
                None => fits,
                Some(before) => b.alu(AluOp::IAnd, &[before, fits]),
            });
        }
        inside.unwrap_or_else(|| b.imm_b(true))
    }

    /// Whether a read returns bits of the following texels above the word's own bits.
    pub(crate) fn reads_on(&self, word: Word) -> bool {
        let narrow = word.bits < 32 && self.device.narrow_typed_reads_are_dwords();
        narrow && self.steps.take(ImageStep::Narrow)
    }

    /// The memory of an untyped access.
    pub(crate) fn memory(&self) -> Memory {
        Memory::Image(self.image)
    }

    /// Builds an untyped access; `access` makes the instruction from a byte offset. Loads of texels outside the image
    /// return zeros and stores have no effect. Without a check, the address would be another texel's or outside the
    /// mip level.
    ///
    /// Normally the offset is replaced by one outside the surface if the texel is out of bounds, which is the
    /// cheapest check. On some devices, an untyped message to a surface that is not raw may hang. There, the message
    /// is sent only if the texel is within bounds and the bound image is of the expected kind.
    pub(crate) fn raw_access(
        &self,
        b: &mut Builder<'_>,
        access: impl FnOnce(Src) -> InstKind,
        results: &[Ty],
    ) -> InstKind {
        let inside = self.steps.take(ImageStep::Bounds).then(|| self.in_bounds(b));
        let raw = self.is_bound_raw(b);
        let address = self.address(b);
        match (inside, raw) {
            (None, None) => access(address.into()),
            (Some(inside), None) => {
                let outside = b.imm(OUTSIDE);
                access(b.alu(AluOp::Select, &[inside, address, outside]).into())
            }
            (None, Some(raw)) => guarded(b, raw, access(address.into()), results),
            (Some(inside), Some(raw)) => {
                let both = b.alu(AluOp::IAnd, &[inside, raw]);
                guarded(b, both, access(address.into()), results)
            }
        }
    }

    /// For devices on which an untyped access to a surface that is not raw hangs: whether a raw surface is bound. The
    /// test is the texel size: formats that need untyped accesses have more than four bytes per texel, and an image
    /// that is not bound has none.
    fn is_bound_raw(&self, b: &mut Builder<'_>) -> Option<Value> {
        let needed = self.device.untyped_access_needs_raw_surface();
        (needed && self.steps.take(ImageStep::Bound)).then(|| {
            let (four, bytes) = (b.imm(4), b.image_param(self.image, ImageParam::Stride, 0));
            b.alu(AluOp::ULt, &[four, bytes])
        })
    }

    /// One coordinate as a scalar.
    fn coordinate(&self, b: &mut Builder<'_>, comp: usize) -> Value {
        let src = self.coord.select(comp);
        let ty = b.func.ty(src.value);
        if ty.comps() == 1 { src.value } else { b.alu_ty(AluOp::Mov, ty.scalar(), &[src]) }
    }
}

/// An `If` that does the access where `cond` holds. Elsewhere its results are zeros.
pub(crate) fn guarded(
    b: &mut Builder<'_>,
    cond: Value,
    access: InstKind,
    results: &[Ty],
) -> InstKind {
    let zero = Src::new(b.imm(0));
    let zeros: Vec<Value> = results.iter().map(|ty| b.vec(&vec![zero; ty.comps()])).collect();
    let (then, else_) = (b.func.add_region(), b.func.add_region());
    let mut inner = Builder::new(b.func, then);
    let access = inner.inst(access, results);
    let found = inner.func.inst(access).results.to_vec();
    inner.yield_(&found);
    inner.switch_to(else_);
    inner.yield_(&zeros);
    InstKind::If { cond: cond.into(), then, else_ }
}

/// The type of a binding; `None` if the binding is no image.
pub(crate) fn image_ty(bindings: &[Binding], id: BindingId) -> Option<ImageTy> {
    match bindings.get(id.index())?.kind {
        BindingKind::Image(ty) => Some(ty),
        _ => None,
    }
}

/// For each binding: whether the code reads its texels.
pub(crate) fn read_bindings(func: &Function, bindings: usize) -> Vec<bool> {
    let mut read = vec![false; bindings];
    walk(func, |_, _, inst| {
        let kind = &func.inst(inst).kind;
        if let Some(image) = kind.image().filter(|_| kind.reads_image())
            && let Some(read) = read.get_mut(image.binding.index())
        {
            *read = true;
        }
    });
    read
}

/// Whether the format's components are integers.
pub(crate) fn is_integer(format: SurfaceFormat) -> bool {
    let mut channels = format.info().channels.iter().flatten();
    channels.any(|c| matches!(c.kind, ChannelKind::Uint | ChannelKind::Sint))
}

/// A mask of the lowest `bits` bits.
const fn low_bits(bits: u32) -> u32 {
    if bits >= 32 { u32::MAX } else { (1 << bits) - 1 }
}
