//! Changes reads through the sampler unit to the conventions of its messages:
//!
//! - The coordinates of a cube are divided by the greatest of their absolute values (PRM, "Sampling Engine", cube
//!   coordinates).
//! - The size of a cube array counts faces, so it is divided by 6.
//! - On devices without a message that compares and takes gradients, the level of detail is computed from the
//!   gradients.

use super::LowerOptions;
use super::util::{Action, rewrite};
use crate::ir::{
    AluOp, Binding, BindingKind, Builder, ImageDim, InstKind, Shader, Src, TextureForm, TextureOp,
    TextureRead, Ty, Value,
};

/// Number of faces of a cube.
const FACES: u32 = 6;

/// See the [module](self). Returns whether a read was changed.
pub fn lower_texture(shader: &mut Shader, options: &LowerOptions) -> bool {
    let Some(device) = &options.images else { return false };
    let bindings = &shader.bindings;
    let mut progress = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let InstKind::Texture(read) = &b.func.inst(inst).kind else { return Action::Keep };
        if read.form != TextureForm::Shader {
            return Action::Keep;
        }
        progress = true;
        let mut read = read.clone();
        read.form = TextureForm::Message;
        if let (Some(gradients), Some(_)) = (read.gradients, read.compare)
            && !device.has_gradient_comparisons()
        {
            read.level = Some(level(b, &read, gradients).into());
            read.gradients = None;
        }
        if !is_cube(bindings, &read) {
            *b.func.kind_mut(inst) = InstKind::Texture(read);
            return Action::Keep;
        }
        if read.op != TextureOp::Size {
            read.coord = read.coord.map(|coord| direction(b, coord, read.coords()).into());
            *b.func.kind_mut(inst) = InstKind::Texture(read);
            return Action::Keep;
        }
        let arrayed = read.arrayed;
        let query = b.inst(InstKind::Texture(read), &[Ty::X32.with_comps(4)]);
        let size = b.func.inst(query).results[0];
        if !arrayed {
            return Action::Replace(Src::new(size));
        }
        let (faces, per_cube) = (b.comp(size, 2), b.imm(FACES));
        let cubes = b.alu(AluOp::UDiv, &[faces, per_cube]);
        let comps = [Src::comp(size, 0), Src::comp(size, 1), cubes.into(), Src::comp(size, 3)];
        Action::Replace(Src::new(b.vec(&comps)))
    });
    progress
}

/// The level of detail that follows from gradients: log2 of the number of texels that the longer gradient covers.
fn level(b: &mut Builder<'_>, read: &TextureRead, gradients: [Src; 2]) -> Value {
    let query = TextureRead {
        op: TextureOp::Size,
        coord: None,
        sampler: None,
        level: None,
        implicit: false,
        compare: None,
        gradients: None,
        offset: [0; 3],
        ..read.clone()
    };
    let query = b.inst(InstKind::Texture(Box::new(query)), &[Ty::X32.with_comps(4)]);
    let size = b.func.inst(query).results[0];
    let squares = gradients.map(|gradient| {
        let mut sum = None;
        for axis in 0..usize::from(read.dims) {
            let side = b.comp(size, axis);
            let side = b.convert(AluOp::U2F, 32, side);
            let step = b.alu_ty(AluOp::Mov, Ty::X32, &[gradient.select(axis)]);
            let texels = b.alu(AluOp::FMul, &[step, side]);
            let square = b.alu(AluOp::FMul, &[texels, texels]);
            sum = Some(match sum {
                None => square,
                Some(others) => b.alu(AluOp::FAdd, &[others, square]),
            });
        }
        sum.unwrap_or_else(|| b.imm_f(0.0))
    });
    let longer = b.alu(AluOp::FMax, &squares);
    let log = b.alu(AluOp::FLog2, &[longer]);
    let half = b.imm_f(0.5);
    b.alu(AluOp::FMul, &[log, half])
}

fn is_cube(bindings: &[Binding], read: &TextureRead) -> bool {
    let binding = bindings.get(read.texture.binding.index()).map(|binding| binding.kind);
    matches!(binding, Some(BindingKind::Texture(ty)) if ty.dim == ImageDim::Cube)
}

/// The coordinates of a cube (`comps` of them, including a layer), with the direction scaled as the sampler unit
/// requires.
fn direction(b: &mut Builder<'_>, coord: Src, comps: usize) -> Value {
    let parts: Vec<Value> =
        (0..comps).map(|i| b.alu_ty(AluOp::Mov, Ty::X32, &[coord.select(i)])).collect();
    let sizes: Vec<Value> = parts[..3].iter().map(|&part| b.alu(AluOp::FAbs, &[part])).collect();
    let greatest = b.alu(AluOp::FMax, &[sizes[0], sizes[1]]);
    let greatest = b.alu(AluOp::FMax, &[greatest, sizes[2]]);
    let scale = b.alu(AluOp::FRcp, &[greatest]);
    let scaled: Vec<Src> = parts
        .iter()
        .enumerate()
        .map(|(i, &part)| if i < 3 { b.alu(AluOp::FMul, &[part, scale]) } else { part }.into())
        .collect();
    b.vec(&scaled)
}
