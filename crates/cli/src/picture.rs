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
