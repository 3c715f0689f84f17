//! dispatch 1 1 1
//! buffer 0.0 = zero 16
//! image 0.1 = 2d_array 4x3x5 r32ui: zero 0
// The number of layers of a storage image. naga writes an instruction for sampled images, which the frontend replaces.

@group(0) @binding(0) var<storage, read_write> result: array<u32, 4>;
@group(0) @binding(1) var image: texture_storage_2d_array<r32uint, read_write>;

@compute @workgroup_size(1)
fn main() {
    let size = textureDimensions(image);
    result[0] = textureNumLayers(image);
    result[1] = size.x;
    result[2] = size.y;
    result[3] = textureLoad(image, vec2(0, 0), 0).x;
}
