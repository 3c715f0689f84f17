//! Makes a small picture in the encoding of the renderer's CPU side.

use peniko::kurbo::{Affine, BezPath, Cap, Circle, Ellipse, Join, Point, Rect, Shape, Stroke};
use peniko::{
    BlendMode, Blob, Color, Compose, Fill, Gradient, ImageAlphaType, ImageBrush, ImageData,
    ImageFormat, Mix,
};
use vello_encoding::{DrawBeginClip, Encoding, RenderConfig, Resolver, Transform};

/// Side of the square target in pixels: one bin of 16 by 16 tiles, so that no result depends on
/// the order of workgroups.
pub(crate) const SIDE: u32 = 256;

/// Side of the square texture with the colours of images, in pixels.
pub(crate) const ATLAS_SIDE: u32 = 32;

/// Pixels of a row of gradient colours.
pub(crate) const RAMP_WIDTH: u32 = 512;

/// A picture, ready for the first compute stage.
pub(crate) struct Scene {
    pub(crate) packed: Vec<u8>,
    pub(crate) config: RenderConfig,
    /// Rows of [`RAMP_WIDTH`] gradient colours, four bytes each.
    pub(crate) ramps: Vec<u8>,
    /// The images, of four bytes a pixel.
    pub(crate) atlas: Vec<u8>,
}

/// Fills and strokes with lines, quadratic and cubic curves; both fill rules; gradients; nested
/// clips and a blended layer.
pub(crate) fn picture() -> Scene {
    let mut encoding = Encoding::new();
    let fill = |encoding: &mut Encoding, rule, transform: Affine, path: &BezPath, colour| {
        encoding.encode_transform(Transform::from_kurbo(&transform));
        encoding.encode_fill_style(rule);
        encoding.encode_shape(path, true);
        encoding.encode_brush(colour, 1.0);
    };
    let blue = Color::from_rgb8(30, 60, 200);
    let red = Color::from_rgba8(200, 40, 30, 180);

    let square = Rect::new(20.3, 30.7, 120.2, 100.9).into_path(0.1);
    fill(&mut encoding, Fill::NonZero, Affine::IDENTITY, &square, blue);
    let turn = Affine::rotate_about(0.3, Point::new(128.0, 128.0));
    fill(&mut encoding, Fill::EvenOdd, turn, &star(128.0, 128.0, 90.0), red);

    let gradient = Gradient::new_linear((10.0, 10.0), (200.0, 150.0)).with_stops([blue, red]);
    encoding.encode_transform(Transform::from_kurbo(&Affine::IDENTITY));
    encoding.encode_fill_style(Fill::NonZero);
    encoding.encode_shape(&Circle::new((180.0, 70.0), 41.5), true);
    encoding.encode_brush(&gradient, 0.75);

    // A radial gradient, and a small image turned around.
    let sunny = Color::from_rgb8(250, 210, 60);
    let radial = Gradient::new_radial((215.0, 215.0), 32.0).with_stops([sunny, red, blue]);
    encoding.encode_shape(&Rect::new(180.0, 180.0, 250.0, 250.0), true);
    encoding.encode_brush(&radial, 1.0);
    let tilt = Affine::translate((20.0, 12.0)) * Affine::rotate(0.2) * Affine::scale(3.0);
    encoding.encode_transform(Transform::from_kurbo(&tilt));
    encoding.encode_fill_style(Fill::NonZero);
    encoding.encode_shape(&Rect::new(0.0, 0.0, 16.0, 16.0), true);
    encoding.encode_image(&ImageBrush::new(chequers()), 1.0);
    encoding.encode_transform(Transform::from_kurbo(&Affine::IDENTITY));

    // A clip with another clip inside, then a layer that is multiplied with the picture below it.
    encoding.encode_shape(&Ellipse::new((90.0, 170.0), (70.0, 50.0), 0.4), true);
    encoding.encode_begin_clip(DrawBeginClip::clip());
    fill(&mut encoding, Fill::NonZero, turn, &square, red);
    encoding.encode_shape(&Rect::new(60.0, 140.0, 130.0, 220.0), true);
    encoding.encode_begin_clip(DrawBeginClip::new(
        BlendMode::new(Mix::Multiply, Compose::SrcOver),
        0.5,
    ));
    fill(&mut encoding, Fill::EvenOdd, Affine::scale(0.7), &star(140.0, 240.0, 70.0), blue);
    encoding.encode_end_clip();
    encoding.encode_end_clip();

    for (index, (join, cap)) in
        [(Join::Round, Cap::Round), (Join::Miter, Cap::Square), (Join::Bevel, Cap::Butt)]
            .into_iter()
            .enumerate()
    {
        let shift = Affine::translate((0.0, 18.0 * index as f64));
        encoding.encode_transform(Transform::from_kurbo(&shift));
        let stroke = Stroke::new(3.0 + index as f64).with_join(join).with_caps(cap);
        assert!(encoding.encode_stroke_style(&stroke), "a stroke of positive width");
        encoding.encode_shape(&wave(), false);
        encoding.encode_brush(red, 1.0);
    }
    finish(&encoding)
}

/// About 300 clip operations, which need more than one workgroup of the clip stages. Pictures of ordinary depth do not
/// have as many.
pub(crate) fn many_clips() -> Scene {
    let mut encoding = Encoding::new();
    encoding.encode_transform(Transform::from_kurbo(&Affine::IDENTITY));
    encoding.encode_fill_style(Fill::NonZero);
    for outer in 0..25 {
        for inner in 0..6 {
            let offset = f64::from(outer * 3 + inner * 7);
            encoding.encode_shape(&Rect::new(offset, 4.0, offset + 60.0, 200.0 - offset), true);
            encoding.encode_begin_clip(DrawBeginClip::clip());
        }
        encoding.encode_shape(&Circle::new((128.0, f64::from(outer * 9)), 30.0), true);
        encoding.encode_brush(Color::from_rgb8(outer as u8, 100, 100), 1.0);
        // Leave one open in each round, so that the nesting grows.
        for _ in 0..5 {
            encoding.encode_end_clip();
        }
    }
    for _ in 0..25 {
        encoding.encode_end_clip();
    }
    finish(&encoding)
}

fn finish(encoding: &Encoding) -> Scene {
    let mut packed = Vec::new();
    let mut resolver = Resolver::new();
    let (layout, ramps, images) = resolver.resolve(encoding, &mut packed);
    let ramps = bytemuck::cast_slice(ramps.data).to_vec();
    let mut atlas = vec![0; (4 * ATLAS_SIDE * ATLAS_SIDE) as usize];
    for (image, left, top) in images.images {
        let row = 4 * image.width as usize;
        for (y, pixels) in image.data.data().chunks(row).enumerate() {
            let start = 4 * ((*top as usize + y) * ATLAS_SIDE as usize + *left as usize);
            atlas[start..start + row].copy_from_slice(pixels);
        }
    }
    let mut config = RenderConfig::new(&layout, SIDE, SIDE, &Color::BLACK);
    // The defaults suit the largest scenes; the shaders only check against these numbers.
    config.gpu.lines_size = 1 << 12;
    config.gpu.seg_counts_size = 1 << 13;
    config.gpu.segments_size = 1 << 13;
    config.gpu.tiles_size = 1 << 14;
    config.gpu.binning_size = 1 << 12;
    config.gpu.ptcl_size = 1 << 16;
    config.gpu.blend_size = 1 << 16;
    Scene { packed, config, ramps, atlas }
}

/// An image of 16 by 16 pixels.
fn chequers() -> ImageData {
    let pixel = |i: u32| match (i % 16 / 4 + i / 64) % 2 {
        0 => [40, 160, 90, 255],
        _ => [240, 240, (i % 256) as u8, 255],
    };
    let pixels: Vec<u8> = (0..256).flat_map(pixel).collect();
    ImageData {
        data: Blob::from(pixels),
        format: ImageFormat::Rgba8,
        alpha_type: ImageAlphaType::Alpha,
        width: 16,
        height: 16,
    }
}

fn star(x: f64, y: f64, radius: f64) -> BezPath {
    let mut path = BezPath::new();
    for point in 0..5 {
        let angle = f64::from(point) * std::f64::consts::TAU * 2.0 / 5.0;
        let point = Point::new(x + radius * angle.sin(), y - radius * angle.cos());
        if path.elements().is_empty() {
            path.move_to(point);
        } else {
            path.line_to(point);
        }
    }
    path.close_path();
    path
}

fn wave() -> BezPath {
    let mut path = BezPath::new();
    path.move_to((15.0, 200.0));
    path.line_to((40.0, 180.5));
    path.quad_to((70.0, 150.0), (100.0, 190.0));
    path.curve_to((130.0, 240.0), (170.0, 120.0), (200.0, 195.0));
    path.line_to((240.0, 180.0));
    path
}
