//! From vertices to primitives: clipping, viewport transformation, culling and setup.
//!
//! [`Assembler::primitive`] computes for each primitive what rasterization and threads need: the covered area
//! ([`Coverage`]), the function that gives interpolation weights at a position ([`Interpolation`]), and the setup
//! data of the attributes. The weights refer to the original vertices, not to the corners that clipping creates.

use super::clip::{clip_line, clip_triangle, dot};
use super::cover::{Coverage, LIMIT, Place, UNITS, Window, area, snap};
use super::state::{Area, CullMode, DepthBias, DrawState, FrontFace, PolygonMode, Viewport};
use crate::dispatch::PrimitiveSetup;
use crate::framebuffer::DepthFormat;
use crate::interpolate::{Corner, Interpolation};
use crate::stage::SlotValues;
use crestline_program::{Attribute, AttributeSource, Varying};

/// The largest size of points and width of lines in pixels (the limit of the hardware's point width, 8 bits).
const MAX_SIZE: f32 = 255.0;

/// A primitive that is not culled or clipped away, ready for rasterization.
pub(super) struct Drawn {
    pub(super) setup: PrimitiveSetup,
    pub(super) coverage: Coverage,
}

/// A vertex of a primitive.
#[derive(Clone, Copy)]
struct Vertex<'a> {
    values: &'a SlotValues,
    /// The clip coordinates x, y, z and w.
    clip: [f64; 4],
    /// The position in the framebuffer in pixels, multiplied by w. So it is linear in clip coordinates, and defined
    /// also for w = 0.
    place: [f64; 2],
    /// The clip and cull distances.
    distances: [f64; 8],
}

impl Vertex<'_> {
    fn w(&self) -> f64 {
        self.clip[3]
    }

    /// The position in the framebuffer in pixels; `None` if w is not positive or a coordinate is beyond [`LIMIT`].
    fn in_framebuffer(&self) -> Option<[f64; 2]> {
        let place = self.place.map(|at| at / self.w());
        (self.w() > 0.0 && place.iter().all(|at| at.abs() <= LIMIT)).then_some(place)
    }
}

impl View<'_> {
    /// The vertex with these outputs of the stage before; `None` if its position is not finite.
    fn vertex<'v>(self, values: &'v SlotValues) -> Option<Vertex<'v>> {
        let float = |dword: Option<u32>| f64::from(f32::from_bits(dword.unwrap_or(0)));
        let clip = values.get(Varying::Position).map(float);
        let viewport = self.viewport;
        let scale = |size: f32| f64::from(size) / 2.0;
        let [x, y, _, w] = clip;
        let place = [
            x * scale(viewport.width) + w * (f64::from(viewport.x) + scale(viewport.width)),
            y * scale(viewport.height) + w * (f64::from(viewport.y) + scale(viewport.height)),
        ];
        let mut distances = [0.0; 8];
        for first in [0u8, 4] {
            let found = values.get(Varying::ClipDistances { first }).map(float);
            distances[usize::from(first)..][..4].copy_from_slice(&found);
        }
        let finite = clip.iter().all(|value| value.is_finite());
        finite.then_some(Vertex { values, clip, place, distances })
    }

    /// The positions in the area that are also inside the viewport. The sides of the viewport clip triangles this way,
    /// without planes.
    fn inside_viewport(self) -> Window {
        let viewport = self.viewport;
        let mut window = Window::of(self.area);
        let sides = [(viewport.x, viewport.width), (viewport.y, viewport.height)];
        for (axis, (start, size)) in sides.into_iter().enumerate() {
            let ends = [start, start + size].map(f64::from);
            window.limit(axis, ends[0].min(ends[1]), ends[0].max(ends[1]));
        }
        window
    }
}

/// The state that all primitives of a draw call share.
pub(super) struct Assembler<'a> {
    pub(super) state: &'a DrawState,
    pub(super) attributes: &'a [Attribute],
    /// The viewports by number. The first one exists.
    pub(super) views: Vec<View<'a>>,
    /// The format of the depth attachment.
    pub(super) depth_format: Option<DepthFormat>,
}

/// A viewport with its scissor.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) viewport: &'a Viewport,
    /// The pixels of the framebuffer inside the scissor.
    pub(super) area: Area,
}

impl Assembler<'_> {
    /// Sets up primitives, each given by its vertices, on this number of host threads. `first` is the number of the first one in
    /// the draw call. Each element of the result belongs to a part of the primitives, in order: what is drawn, and of how many
    /// primitives something remains.
    pub(super) fn batch(
        &self,
        first: u32,
        primitives: &[[&SlotValues; 3]],
        hosts: usize,
    ) -> Vec<(Vec<Drawn>, u64)> {
        let size = primitives.len().div_ceil(hosts.max(1)).max(1);
        let part = |number: usize, primitives: &[[&SlotValues; 3]]| {
            let first = first.wrapping_add((number * size) as u32);
            let (mut all, mut remaining) = (Vec::with_capacity(primitives.len()), 0);
            for (number, vertices) in (0..).zip(primitives) {
                let before = all.len();
                self.primitive(first.wrapping_add(number), *vertices, |drawn| all.push(drawn));
                remaining += u64::from(all.len() > before);
            }
            (all, remaining)
        };
        let mut parts = primitives.chunks(size).enumerate();
        let Some((_, own)) = parts.next() else { return Vec::new() };
        std::thread::scope(|scope| {
            let spawn = |(number, primitives)| {
                let work = move || part(number, primitives);
                // If the system cannot start a thread, this one does the work.
                match std::thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(handle) => Ok(handle),
                    Err(_) => Err(part(number, primitives)),
                }
            };
            let others: Vec<_> = parts.map(spawn).collect();
            let mut all = vec![part(0, own)];
            all.extend(others.into_iter().map(|other| match other {
                Ok(handle) => {
                    handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                }
                Err(done) => done,
            }));
            all
        })
    }

    /// Clips, transforms and sets up primitive number `number` of the draw call, and calls `each` for the result. It is one
    /// primitive, none if it is culled or nothing of it remains, and three if the polygon mode draws the edges or vertices
    /// of a triangle.
    pub(super) fn primitive(
        &self,
        number: u32,
        vertices: [&SlotValues; 3],
        mut each: impl FnMut(Drawn),
    ) {
        // The first vertex is the provoking one, which has the values of flat attributes, the layer and the viewport.
        let [_, layer, view, _] = vertices[0].get(Varying::Header);
        let view = self.views.get(view.unwrap_or(0) as usize).or(self.views.first());
        let Some(&view) = view else { return };
        let [Some(a), Some(b), Some(c)] = vertices.map(|vertex| view.vertex(vertex)) else {
            return;
        };
        let corners = [a, b, c];
        let culls = |i: usize| {
            self.state.cull_distances >> i & 1 == 1
                && corners.iter().all(|corner| corner.distances[i] < 0.0)
        };
        if (0..8).any(culls) {
            return;
        }
        let drawn = |shape: Shape, corners: [&SlotValues; 3]| {
            let Shape { interpolation, coverage, back_facing, depth_bias, topology } = shape;
            let attributes = self.attributes.iter();
            let setup = attributes.flat_map(|attribute| match attribute.flat {
                true => setup_data(attribute, number, vertices),
                false => setup_data(attribute, number, corners),
            });
            let setup = PrimitiveSetup {
                number,
                interpolation,
                depth_range: view.viewport.depth,
                depth_bias,
                back_facing,
                topology,
                layer: layer.unwrap_or(0),
                setup: setup.collect(),
            };
            Drawn { setup, coverage }
        };
        let whole = match self.state.topology.size() {
            1 => self.point(view, &corners[0]),
            2 => self.line(view, [&corners[0], &corners[1]]),
            _ => {
                let shape = self.triangle(view, &corners);
                if self.state.polygon_mode == PolygonMode::Fill {
                    shape
                } else {
                    let Some(Shape { back_facing, depth_bias, .. }) = shape else { return };
                    for i in 0..3 {
                        let next = (i + 1) % 3;
                        let (part, own) = match self.state.polygon_mode {
                            PolygonMode::Point => (self.point(view, &corners[i]), [vertices[i]; 3]),
                            _ => {
                                let own = [vertices[i], vertices[next], vertices[i]];
                                (self.line(view, [&corners[i], &corners[next]]), own)
                            }
                        };
                        if let Some(part) = part {
                            each(drawn(Shape { back_facing, depth_bias, ..part }, own));
                        }
                    }
                    return;
                }
            }
        };
        if let Some(shape) = whole {
            each(drawn(shape, vertices));
        }
    }

    /// The distances of a vertex from the near plane, the far plane and the planes of the enabled clip distances;
    /// negative ones are clipped. With depth clamping, w replaces the distances from the near and far plane, so that
    /// only w < 0 is clipped.
    fn planes(&self, vertex: &Vertex<'_>) -> Vec<f64> {
        let [_, _, z, w] = vertex.clip;
        let depth = if self.state.depth_clamp { [w, w] } else { [z, w - z] };
        let clipping = (0..8).filter(|i| self.state.clip_distances >> i & 1 == 1);
        depth.into_iter().chain(clipping.map(|i| vertex.distances[i])).collect()
    }

    /// The shape of a triangle. `None` if it is culled or has no area.
    fn triangle(&self, view: View<'_>, corners: &[Vertex<'_>; 3]) -> Option<Shape> {
        let own = corners.map(|corner| self.planes(&corner));
        let mut planes: Vec<[f64; 3]> =
            (0..own[0].len()).map(|i| [own[0][i], own[1][i], own[2][i]]).collect();
        let w = corners.map(|corner| corner.w());
        let places = corners.map(|corner| corner.in_framebuffer());
        if places.iter().any(Option::is_none) {
            // A corner at w = 0 would be at infinity. So the triangle is clipped at a small positive w, and at the
            // limits of positions.
            let least = w.iter().fold(0f64, |most, w| most.max(w.abs())) * 1e-9;
            planes.push(w.map(|w| w - least));
            for axis in 0..2 {
                for sign in [1.0, -1.0] {
                    planes
                        .push(corners.map(|corner| LIMIT * corner.w() - sign * corner.place[axis]));
                }
            }
        }
        // Interpolation uses the same rounded positions as coverage, for the vertices that have a position.
        let rounded =
            |i: usize| places[i].map(|place| snap(place).map(|units| units as f64 / UNITS as f64));
        let interpolated = [0, 1, 2].map(|i| Corner {
            zw: [corners[i].clip[2], w[i]],
            place: rounded(i).map_or(corners[i].place, |place| place.map(|at| at * w[i])),
        });
        let place = |weights: &[f64; 3]| -> Place {
            if let Some(i) = (0..3).find(|&i| weights[i] == 1.0)
                && let Some(place) = places[i]
            {
                return snap(place);
            }
            let w = dot(weights, &w);
            snap([0, 1].map(|axis| dot(weights, &corners.map(|corner| corner.place[axis])) / w))
        };
        let polygon: Vec<Place> = clip_triangle(&planes).iter().map(place).collect();
        let signed = area(&polygon);
        let back_facing = match self.state.front_face {
            FrontFace::CounterClockwise => signed > 0,
            FrontFace::Clockwise => signed < 0,
        };
        let culled = match self.state.cull {
            CullMode::None => false,
            CullMode::Front => !back_facing,
            CullMode::Back => back_facing,
            CullMode::All => true,
        };
        if culled || signed == 0 {
            return None;
        }
        let interpolation = Interpolation::triangle(&interpolated)?;
        let coverage = Coverage::new(&polygon, view.inside_viewport());
        let depth_bias = self.depth_bias(view, corners, &interpolation);
        Some(Shape { interpolation, coverage, back_facing, depth_bias, topology: 4 })
    }

    /// The number that the depth bias adds to the depths of a triangle. See [`DepthBias`]. Without a depth attachment,
    /// the unit of the constant is that of floats.
    fn depth_bias(
        &self,
        view: View<'_>,
        corners: &[Vertex<'_>; 3],
        interpolation: &Interpolation,
    ) -> f64 {
        let Some(DepthBias { constant, slope, clamp }) = self.state.depth_bias else { return 0.0 };
        let [near, far] = view.viewport.depth.map(f64::from);
        let in_front = corners.iter().filter(|corner| corner.w() > 0.0);
        let depths = in_front.map(|corner| near + corner.clip[2] / corner.w() * (far - near));
        let most = depths.fold(0f64, |most, depth| most.max(depth.abs()));
        // The depth is a linear function of the position.
        let [x, y] = [view.viewport.x, view.viewport.y].map(f64::from);
        let depth = |x: f64, y: f64| interpolation.at(x, y).depth() * (far - near);
        let here = depth(x, y);
        let change = (depth(x + 1.0, y) - here).abs().max((depth(x, y + 1.0) - here).abs());
        let unit = self.depth_format.unwrap_or(DepthFormat::Float32).bias_unit(most);
        let bias = f64::from(constant) * unit + f64::from(slope) * change;
        let clamp = f64::from(clamp);
        match bias {
            bias if bias.is_nan() => 0.0,
            bias if clamp > 0.0 => bias.min(clamp),
            bias if clamp < 0.0 => bias.max(clamp),
            bias => bias,
        }
    }

    /// The shape of a line: a rectangle along it, as wide as the state's line width (Vulkan, "Basic Line Segment
    /// Rasterization", strict lines). `None` if nothing of the line remains or its length is 0.
    fn line(&self, view: View<'_>, ends: [&Vertex<'_>; 2]) -> Option<Shape> {
        let own = ends.map(|end| {
            let [x, y, _, w] = end.clip;
            let mut planes = self.planes(end);
            planes.extend([w - x, w + x, w - y, w + y]);
            planes
        });
        let mut planes: Vec<[f64; 2]> = (0..own[0].len()).map(|i| [own[0][i], own[1][i]]).collect();
        let w = ends.map(|end| end.w());
        if w.iter().any(|w| *w <= 0.0) {
            let least = w[0].abs().max(w[1].abs()) * 1e-9;
            planes.push(w.map(|w| w - least));
        }
        let weights = clip_line(&planes)?;
        let mix = |values: [f64; 2], weight: f64| values[0] + weight * (values[1] - values[0]);
        let visible = weights.map(|weight| {
            let w = mix(w, weight);
            let place = [0, 1].map(|axis| mix(ends.map(|end| end.place[axis]), weight) / w);
            (snap(place).map(|units| units as f64 / UNITS as f64), 1.0 / w, weight)
        });
        let [from, to] = visible.map(|(place, _, _)| place);
        if from.iter().chain(&to).any(|at| at.is_nan() || at.abs() > LIMIT) {
            return None;
        }
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = along[0].hypot(along[1]);
        if length == 0.0 {
            return None;
        }
        let half = f64::from(self.state.line_width.clamp(0.0, MAX_SIZE)) / 2.0;
        let side = [along[1] / length * half, -along[0] / length * half];
        let corner = |[x, y]: [f64; 2], sign: f64| snap([x + sign * side[0], y + sign * side[1]]);
        let polygon = [corner(from, 1.0), corner(to, 1.0), corner(to, -1.0), corner(from, -1.0)];
        let interpolation = Interpolation::line(ends.map(|end| [end.clip[2], end.w()]), visible);
        let coverage = Coverage::new(&polygon, Window::of(view.area));
        Some(Shape { interpolation, coverage, back_facing: false, depth_bias: 0.0, topology: 2 })
    }

    /// The shape of a point: a square around it, whose size is in the vertex header. The square is not clipped: `None`
    /// if the centre is clipped.
    fn point(&self, view: View<'_>, vertex: &Vertex<'_>) -> Option<Shape> {
        let [x, y, z, w] = vertex.clip;
        let inside = [w - x, w + x, w - y, w + y].iter().all(|distance| *distance >= 0.0);
        if w <= 0.0 || !inside || self.planes(vertex).iter().any(|distance| *distance < 0.0) {
            return None;
        }
        let place = vertex.in_framebuffer()?;
        let size = vertex.values.get(Varying::Header)[3].map_or(1.0, f32::from_bits);
        let size = f64::from(if size.is_nan() { 1.0 } else { size.clamp(0.125, MAX_SIZE) });
        let low = snap(place.map(|at| at - size / 2.0));
        let high = snap(place.map(|at| at + size / 2.0));
        let polygon = [low, [high[0], low[1]], high, [low[0], high[1]]];
        let corner = place.map(|at| at - size / 2.0);
        Some(Shape {
            interpolation: Interpolation::point([z, w], corner, size),
            coverage: Coverage::new(&polygon, Window::of(view.area)),
            back_facing: false,
            depth_bias: 0.0,
            topology: 1,
        })
    }
}

/// The geometry of a primitive in the framebuffer.
struct Shape {
    interpolation: Interpolation,
    coverage: Coverage,
    back_facing: bool,
    /// The number that is added to depths.
    depth_bias: f64,
    /// See [`PrimitiveSetup::topology`].
    topology: u32,
}

/// The setup data of an attribute: four dwords for each component. They are the value of the second vertex minus that
/// of the first, the value of the third vertex minus that of the first, an unused dword, and the value of the first
/// vertex. The differences of flat attributes are 0, so that all pixels get the value of the first vertex, which is the
/// provoking one. `None` stands for values that the stage before did not write.
fn setup_data(attribute: &Attribute, number: u32, vertices: [&SlotValues; 3]) -> Vec<Option<u32>> {
    let values = match attribute.source {
        AttributeSource::PointCoord => {
            let place = |x: f32, y: f32| [x, y, 0.0, 1.0].map(|value| Some(value.to_bits()));
            [place(0.0, 0.0), place(1.0, 0.0), place(0.0, 1.0)]
        }
        // If the vertices have no primitive id, the setup unit supplies it.
        AttributeSource::Varying { varying: Varying::PrimitiveId }
            if vertices[0].get(Varying::PrimitiveId)[0].is_none() =>
        {
            [[Some(number), Some(0), Some(0), Some(0)]; 3]
        }
        AttributeSource::Varying { varying } => vertices.map(|vertex| vertex.get(varying)),
        _ => [[None; 4]; 3],
    };
    let difference = |to: Option<u32>, from: Option<u32>| {
        let difference = f32::from_bits(to?) - f32::from_bits(from?);
        Some(difference.to_bits())
    };
    let component = |i: usize| {
        let [first, second, third] = values.map(|vertex| vertex[i]);
        if attribute.flat {
            return [Some(0), Some(0), Some(0), first];
        }
        [difference(second, first), difference(third, first), Some(0), first]
    };
    (0..4).flat_map(component).collect()
}
