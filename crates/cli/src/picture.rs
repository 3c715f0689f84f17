//! Writes buffers of pixels as PNG files.

/// Encodes `width` by `height` pixels of four bytes (red, green, blue, alpha), row after row.
/// Bytes after the last pixel are left out.
pub(crate) fn encode(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, String> {
    let needed = 4 * width as usize * height as usize;
    let pixels = pixels.get(..needed).ok_or_else(|| {
        format!(
            "a picture of {width}x{height} pixels needs {needed} bytes, but the buffer has {}",
            pixels.len()
        )
    })?;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(pixels))
        .map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// The most pixels of a PNG file that is read.
const MAX_PIXELS: u64 = 1 << 26;

/// Decodes a PNG file: width, height, and four bytes for each pixel (red, green, blue, alpha).
pub(crate) fn decode(bytes: &[u8]) -> Result<(u32, u32, Vec<u8>), String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let (width, height) = (reader.info().width, reader.info().height);
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(format!(
            "the picture has {width} by {height} pixels: expected at most {MAX_PIXELS}"
        ));
    }
    let size = reader.output_buffer_size().ok_or("the picture is too large")?;
    let mut buffer = vec![0; size];
    let frame = reader.next_frame(&mut buffer).map_err(|error| error.to_string())?;
    let channels = frame.color_type.samples();
    let mut pixels = Vec::with_capacity(4 * width as usize * height as usize);
    for pixel in buffer[..frame.buffer_size()].chunks_exact(channels) {
        pixels.extend(match *pixel {
            [grey] => [grey, grey, grey, 255],
            [grey, alpha] => [grey, grey, grey, alpha],
            [red, green, blue] => [red, green, blue, 255],
            [red, green, blue, alpha, ..] => [red, green, blue, alpha],
            [] => [0; 4],
        });
    }
    Ok((width, height, pixels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_come_back_from_the_file() {
        let pixels: Vec<u8> = (0..24).collect();
        let file = encode(2, 3, &pixels).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut back = vec![0; 24];
        reader.next_frame(&mut back).unwrap();
        assert_eq!(back, pixels);
        assert!(
            encode(2, 4, &pixels).unwrap_err().contains("needs 32 bytes, but the buffer has 24")
        );
    }
}
