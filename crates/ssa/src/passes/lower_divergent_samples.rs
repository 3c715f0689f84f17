//! Replaces weights at the position of a sample, if the number of the sample may differ between invocations, by a loop over
//! all samples. In iteration `i`, the invocations whose number is `i` read the weights at the position of sample `i`. This is
//! necessary because a message to the pixel interpolator has one sample for all channels.
//!
//! ```text
//! %1 = barycentric smooth, sample %n
//! ```
//!
//! becomes, for four samples:
//!
//! ```text
//! %1 = loop (%i = 0, %found = 0) {
//!     if %i >= 4 { break %found } else { yield }
//!     %next = if %n == %i { %2 = barycentric smooth, sample %i; yield %2 } else { yield %found }
//!     continue %i + 1, %next
//! }
//! ```

use super::util::{Action, Execute, for_each_value, rewrite};
use crate::analysis::Divergence;
use crate::ir::{BaryPlace, InstKind, Shader, Src};

/// See the [module](self). Returns whether an instruction became a loop. `most` is the greatest number of samples of a pixel;
/// with `None`, all instructions stay.
pub fn lower_divergent_samples(shader: &mut Shader, most: &Option<u32>) -> bool {
    let Some(most) = *most else { return false };
    let number = |kind: &InstKind| match kind {
        InstKind::Barycentric { at: BaryPlace::AtSample(number), .. } => Some(*number),
        _ => None,
    };
    if !shader.func.may_have(|inst| number(&inst.kind).is_some()) {
        return false;
    }
    let divergence = Divergence::new(shader);
    let known = shader.func.num_values();
    let mut progress = false;
    rewrite(&mut shader.func, |b, _, inst| {
        // Values made by this pass are uniform. The analysis has no information about them.
        let divergent = |n: &Src| n.value.index() < known && divergence.is_divergent(n.value);
        if let Some(own) = number(&b.func.inst(inst).kind).filter(divergent) {
            for_each_value(b, inst, own, most, Execute::Apart, |kind, at| {
                if let InstKind::Barycentric { at: BaryPlace::AtSample(number), .. } = kind {
                    *number = at;
                }
            });
            progress = true;
        }
        Action::Keep
    });
    progress
}
