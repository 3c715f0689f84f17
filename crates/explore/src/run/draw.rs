//! Draws with a fragment shader: a rectangle over the whole attachments.
//!
//! Each varying of a vertex is (u, v, 0, 1): u grows from 0 to 1 from left to right, v from top to bottom.

use crestline_device::SurfaceFormat;
use crestline_emu::{
    DrawState, EmuError, Framebuffer, ImageData, Kernel, Options, Resources, SlotValues, Topology,
    Trace,
};
use crestline_program::{AttributeSource, ColourType, FragmentMetadata, Varying};

use super::resources::Contents;
use crate::compile::Problem;

/// The largest side of the attachments in pixels.
const SIDE: u32 = 1024;

/// The attachments of a draw call.
pub(crate) struct Target {
    framebuffer: Framebuffer,
    varyings: Vec<Varying>,
    targets: Vec<u8>,
}

fn wrong(error: impl std::fmt::Display) -> Problem {
    Problem::request(error.to_string())
}

impl Target {
    /// Attachments for all outputs of a shader, black.
    pub(crate) fn new(fragment: &FragmentMetadata, size: [u32; 2]) -> Result<Target, Problem> {
        if size.iter().any(|side| !(1..=SIDE).contains(side)) {
            return Err(Problem::request(format!("the picture has 1 to {SIDE} pixels on a side")));
        }
        let mut framebuffer = Framebuffer::new(size).map_err(wrong)?;
        let mut targets = Vec::new();
        for output in &fragment.colour_outputs {
            let format = match output.ty {
                None | Some(ColourType::Float) => SurfaceFormat::R8G8B8A8_UNORM,
                Some(ColourType::Int) => SurfaceFormat::R32G32B32A32_SINT,
                Some(ColourType::Uint) => SurfaceFormat::R32G32B32A32_UINT,
            };
            framebuffer.clear_colour(output.target, format, [0; 4]).map_err(wrong)?;
            targets.push(output.target);
        }
        let varyings = fragment.attributes.iter().filter_map(|attribute| match attribute.source {
            AttributeSource::Varying { varying } => Some(varying),
            _ => None,
        });
        Ok(Target { framebuffer, varyings: varyings.collect(), targets })
    }

    /// Draws the rectangle.
    pub(crate) fn draw(
        &mut self,
        kernel: &Kernel,
        width: Option<u32>,
        resources: &Resources,
        options: &Options,
        trace: &mut dyn Trace,
    ) -> Result<(), EmuError> {
        let mut state = DrawState::new(self.framebuffer.size());
        state.topology = Topology::TriangleStrip;
        state.simd_width = width;
        let corner = |[u, v]: [f32; 2]| {
            let position = [2.0 * u - 1.0, 2.0 * v - 1.0, 0.5, 1.0];
            let mut vertex = SlotValues::new();
            for varying in &self.varyings {
                let values = match varying {
                    Varying::Header | Varying::PrimitiveId => [0.0; 4],
                    _ => [u, v, 0.0, 1.0],
                };
                vertex = vertex.with_floats(*varying, &values);
            }
            vertex.with_floats(Varying::Position, &position)
        };
        let strip = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(corner).to_vec();
        let draw =
            kernel.draw(&state, &[strip], &mut self.framebuffer, resources, options, Some(trace));
        draw.map(drop)
    }

    /// The attachments.
    pub(crate) fn contents(&self) -> Result<Vec<Contents>, Problem> {
        let shown = self.targets.iter().filter_map(|target| {
            let (shape, texels) = self.framebuffer.image(*target)?;
            Some(ImageData::new(shape, texels.to_vec()).map_err(wrong).map(|image| {
                Contents::image(target.to_string(), "colour attachment", &image, None, 0)
            }))
        });
        shown.collect()
    }
}
