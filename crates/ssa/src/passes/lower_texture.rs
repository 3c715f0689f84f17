//! Changes reads through the sampler unit to the conventions of its messages:
//!
//! - The coordinates of a cube are divided by the greatest of their absolute values (PRM, "Sampling Engine", cube
//!   coordinates).
//! - The size of a cube array counts faces, so it is divided by 6.
//! - The level of detail is computed from the gradients for cubes, for which the sampler unit does not project gradients to
//!   a face. So is that of comparisons with a least level, because the parameters are more than a message can have, and of all
//!   comparisons on devices without a message that compares and takes gradients.

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
        let is_cube = is_cube(bindings, &read);
        let without_gradients = read.min_level.is_some() || !device.has_gradient_comparisons();
        if let Some(gradients) = read.gradients
            && (is_cube || read.compare.is_some() && without_gradients)
        {
            compute_level(b, &mut read, is_cube, gradients);
        }
        if !is_cube {
            *b.func.kind_mut(inst) = InstKind::Texture(read);
            return Action::Keep;
        }
        if read.op != TextureOp::Size {
            // Cubes are not multisampled, so all other operations have coordinates.
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

/// Makes the level of detail of a read explicit: that which follows from the gradients.
pub(super) fn compute_level(
    b: &mut Builder<'_>,
    read: &mut TextureRead,
    is_cube: bool,
    gradients: [Src; 2],
) {
    let computed = level(b, read, is_cube, gradients);
    let level = match read.min_level.take() {
        Some(least) => {
            let least = b.alu_ty(AluOp::Mov, Ty::X32, &[least]);
            b.alu(AluOp::FMax, &[computed, least])
        }
        None => computed,
    };
    read.level = Some(level.into());
    read.gradients = None;
}

/// The level of detail that follows from gradients: log2 of the number of texels that the longer gradient covers.
fn level(b: &mut Builder<'_>, read: &TextureRead, is_cube: bool, gradients: [Src; 2]) -> Value {
    let query = TextureRead {
        op: TextureOp::Size,
        coord: None,
        sampler: None,
        level: None,
        implicit: false,
        min_level: None,
        compare: None,
        gradients: None,
        offset: [0; 3],
        ..read.clone()
    };
    let query = b.inst(InstKind::Texture(Box::new(query)), &[Ty::X32.with_comps(4)]);
    let size = b.func.inst(query).results[0];
    let dims = usize::from(read.dims);
    let face = read.coord.filter(|_| is_cube).map(|coord| Face::new(b, coord));
    let squares = gradients.map(|gradient| {
        let gradient: Vec<Value> =
            (0..dims).map(|i| b.alu_ty(AluOp::Mov, Ty::X32, &[gradient.select(i)])).collect();
        let steps = match &face {
            Some(face) => face.steps(b, &gradient),
            None => gradient,
        };
        let mut sum = None;
        for (axis, step) in steps.into_iter().enumerate() {
            // All sides of a cube are as long as the first.
            let side = b.comp(size, if is_cube { 0 } else { axis });
            let side = b.convert(AluOp::U2F, 32, side);
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

/// The face of a cube to which a direction points.
struct Face {
    /// For each coordinate, whether it is the one with the greatest absolute value.
    is_major: [Value; 3],
    /// The reciprocal of that coordinate.
    scale: Value,
    /// The direction, divided by that coordinate.
    place: [Value; 3],
}

impl Face {
    /// If absolute values are equal, z is preferred to y, and y to x.
    fn new(b: &mut Builder<'_>, direction: Src) -> Face {
        let parts = [0, 1, 2].map(|i| b.alu_ty(AluOp::Mov, Ty::X32, &[direction.select(i)]));
        let [x, y, z] = parts.map(|part| b.alu(AluOp::FAbs, &[part]));
        let y_beats_x = b.alu(AluOp::FGe, &[y, x]);
        let other = b.alu(AluOp::FMax, &[x, y]);
        let is_z = b.alu(AluOp::FGe, &[z, other]);
        let not_z = b.alu(AluOp::INot, &[is_z]);
        let is_y = b.alu(AluOp::IAnd, &[not_z, y_beats_x]);
        let not_y = b.alu(AluOp::INot, &[y_beats_x]);
        let is_x = b.alu(AluOp::IAnd, &[not_z, not_y]);
        let is_major = [is_x, is_y, is_z];
        let major = Face::chosen(b, is_major, &parts);
        let scale = b.alu(AluOp::FRcp, &[major]);
        let place = parts.map(|part| b.alu(AluOp::FMul, &[part, scale]));
        Face { is_major, scale, place }
    }

    /// The coordinate with the greatest absolute value, out of three.
    fn chosen(b: &mut Builder<'_>, [_, is_y, is_z]: [Value; 3], of: &[Value]) -> Value {
        let rest = b.alu(AluOp::Select, &[is_y, of[1], of[0]]);
        b.alu(AluOp::Select, &[is_z, of[2], rest])
    }

    /// The change of the coordinates on the face (0 to 1 across the face) if the direction changes by `gradient`; 0 for the
    /// coordinate that does not lie on the face. The derivative of the quotient (c / m) / 2 is (c' - (c / m) m') / 2 m.
    fn steps(&self, b: &mut Builder<'_>, gradient: &[Value]) -> Vec<Value> {
        let major = Face::chosen(b, self.is_major, gradient);
        let (half, zero) = (b.imm_f(0.5), b.imm_f(0.0));
        let scale = b.alu(AluOp::FMul, &[self.scale, half]);
        let mut steps = Vec::new();
        for (axis, &own) in gradient.iter().enumerate() {
            let carried = b.alu(AluOp::FMul, &[self.place[axis], major]);
            let change = b.alu(AluOp::FSub, &[own, carried]);
            let step = b.alu(AluOp::FMul, &[change, scale]);
            steps.push(b.alu(AluOp::Select, &[self.is_major[axis], zero, step]));
        }
        steps
    }
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
