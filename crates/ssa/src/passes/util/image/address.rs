//! The address of a texel in an image's memory, computed from the parameters that the driver supplies. It handles
//! linear and tiled layouts, slices and mip levels.
//!
//! A tile is a block of `2^tiling.x` texels by `2^tiling.y` rows that is stored contiguously, row by row. The tiles
//! of one row of tiles are stored one after another, and then the next row of tiles. With width `w = 2^tiling.x`,
//! height `h = 2^tiling.y` and `pitch` texels per row, texel (x, y) has the number
//!
//! ```text
//! (y - y % h) * pitch + ((x / w) * h + y % h) * w + x % w
//! ```
//!
//! The hardware's X tile is such a block. Its Y tile consists of eight columns of 16 bytes by 32 rows, stored one after
//! another; in this formula each column is a tile. A linear image has tiles of one texel.

use super::{ImageStep, Texel};
use crate::ir::{AluOp, Builder, ImageDim, ImageParam, Value};

impl Texel<'_> {
    /// The byte offset of the texel. The coordinates must be within bounds.
    pub(super) fn address(&self, b: &mut Builder<'_>) -> Value {
        let texel = if self.ty.dim == ImageDim::Buffer {
            self.coordinate(b, 0)
        } else {
            self.texel_number(b)
        };
        // The size of a texel in bytes is a power of two.
        let shift = b.imm(self.format.bytes().ilog2());
        let address = b.alu(AluOp::IShl, &[texel, shift]);
        let swizzled = self.steps.take(ImageStep::Swizzle);
        if swizzled && self.device.may_swizzle_bit6() && self.ty.coords() > 1 {
            self.swizzle(b, address)
        } else {
            address
        }
    }

    /// One component of an image parameter.
    fn param(&self, b: &mut Builder<'_>, param: ImageParam, comp: usize) -> Value {
        b.image_param(self.image, param, comp)
    }

    /// The number of the texel in the order in which texels are stored; see the formula in the module's description.
    fn texel_number(&self, b: &mut Builder<'_>) -> Value {
        let (x, y) = self.place(b);
        let (width, height) =
            (self.param(b, ImageParam::Tiling, 0), self.param(b, ImageParam::Tiling, 1));
        let pitch = self.param(b, ImageParam::Stride, 1);
        if self.ty.coords() == 1 || !self.steps.take(ImageStep::Tile) {
            let row = b.alu(AluOp::IMul, &[y, pitch]);
            return b.alu(AluOp::IAdd, &[x, row]);
        }
        let zero = b.imm(0);
        let minor_x = b.alu(AluOp::UBitfieldExtract, &[x, zero, width]);
        let minor_y = b.alu(AluOp::UBitfieldExtract, &[y, zero, height]);
        let major_x = b.alu(AluOp::UShr, &[x, width]);
        // The rows of tiles above are complete, so they hold as many texels as the same rows of a linear image.
        let rows = b.alu(AluOp::ISub, &[y, minor_y]);
        let above = b.alu(AluOp::IMul, &[rows, pitch]);
        let left = b.alu(AluOp::IShl, &[major_x, height]);
        let lines = b.alu(AluOp::IAdd, &[left, minor_y]);
        let before = b.alu(AluOp::IShl, &[lines, width]);
        let inner = b.alu(AluOp::IAdd, &[before, minor_x]);
        b.alu(AluOp::IAdd, &[above, inner])
    }

    /// The column and row of the texel in the two-dimensional plane that holds all slices and levels.
    fn place(&self, b: &mut Builder<'_>) -> (Value, Value) {
        let (offset_x, offset_y) =
            (self.param(b, ImageParam::Offset, 0), self.param(b, ImageParam::Offset, 1));
        let x = self.coordinate(b, 0);
        let (mut x, mut y) = match self.steps.take(ImageStep::Offset) {
            true => (b.alu(AluOp::IAdd, &[x, offset_x]), offset_y),
            false => (x, b.imm(0)),
        };
        let line = matches!(self.ty.dim, ImageDim::D1 | ImageDim::Buffer);
        if !line {
            let row = self.coordinate(b, 1);
            y = b.alu(AluOp::IAdd, &[row, y]);
        }
        let slice = match (line, self.ty.coords()) {
            (true, 2) => self.coordinate(b, 1),
            (false, 3) => self.coordinate(b, 2),
            _ => return (x, y),
        };
        if !self.steps.take(ImageStep::Slice) {
            return (x, y);
        }
        let mut down = slice;
        if self.ty.dim == ImageDim::D3 && self.steps.take(ImageStep::Across) {
            // Slices of smaller mip levels are side by side.
            let across = self.param(b, ImageParam::Tiling, 2);
            let zero = b.imm(0);
            let right = b.alu(AluOp::UBitfieldExtract, &[slice, zero, across]);
            let width = self.param(b, ImageParam::Stride, 2);
            let right = b.alu(AluOp::IMul, &[right, width]);
            x = b.alu(AluOp::IAdd, &[x, right]);
            down = b.alu(AluOp::UShr, &[slice, across]);
        }
        let height = self.param(b, ImageParam::Stride, 3);
        let rows = b.alu(AluOp::IMul, &[down, height]);
        (x, b.alu(AluOp::IAdd, &[y, rows]))
    }

    /// Combines address bit 6 with two higher bits by exclusive or, as the memory controller does.
    fn swizzle(&self, b: &mut Builder<'_>, address: Value) -> Value {
        let (near, far) =
            (self.param(b, ImageParam::Swizzling, 0), self.param(b, ImageParam::Swizzling, 1));
        let near = b.alu(AluOp::UShr, &[address, near]);
        let far = b.alu(AluOp::UShr, &[address, far]);
        let both = b.alu(AluOp::IXor, &[near, far]);
        let bit = b.imm(1 << 6);
        let flip = b.alu(AluOp::IAnd, &[both, bit]);
        b.alu(AluOp::IXor, &[address, flip])
    }
}
