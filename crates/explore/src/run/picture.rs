//! Pictures in answers: PNG files as base64.

use crestline_emu::ImageData;

use crate::encoding;

/// The most pixels of a picture.
const PIXELS: u64 = 1 << 20;

/// Level 0 of a layer of an image as a PNG file in base64. Alpha is left out, so that the colour of transparent pixels is
/// visible. `None` if the image is too large, or if there is no such layer.
pub(crate) fn png(image: &ImageData, layer: u32) -> Option<String> {
    let shape = image.shape();
    let (width, height) = (shape.width, shape.height);
    if u64::from(width) * u64::from(height) > PIXELS {
        return None;
    }
    let pixels = image.picture(layer)?;
    let colours: Vec<u8> = pixels.chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&colours).ok()?;
    writer.finish().ok()?;
    Some(encoding::encode(&bytes))
}
