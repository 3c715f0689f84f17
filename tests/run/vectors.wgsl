//! dispatch 1 1 1
//! buffer 0.0 = f32 256 * uniform -4 4
//! buffer 0.1 = i32 256 * uniform -50 50
//! buffer 0.2 = zero 8192
//! compare 0.2 = 4 * f32 ulp 2 abs 2^-21; 28 * f32
// Tolerance: The first sum may be contracted: half a unit of a product, which is at most twice the sum, or below 8,
// where its half unit is 2^-22.

@group(0) @binding(0) var<storage, read> floats: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> ints: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> result: array<array<vec4<f32>, 8>>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    let f = floats[i];
    let n = ints[i];
    result[i][0] = f.wzyx + f.xxyy * vec4(f.zw, 1.0, 2.0);
    result[i][1] = select(f, -f, f > vec4(0.5));
    result[i][2] = vec4<f32>(n % vec4(7) + n / vec4(3, -5, 7, 11));
    result[i][3] = vec4(f.xyz * f32(n.x), f32(all(f > vec4(-3.0))));
    var swizzled = f;
    swizzled.y = f.x;
    swizzled[u32(n.y) & 3u] = 8.0;
    result[i][4] = swizzled;
    result[i][5] = vec4(vec2<f32>(n.xy << vec2(1u, 3u)), vec2<f32>(n.zw >> vec2(2u)));
    result[i][6] = clamp(floor(f), vec4(-2.0), vec4(2.0)) + abs(vec4<f32>(min(n, n.yxwz)));
    result[i][7] = vec4(f32(any(n == vec4(0))), f32(dot(n, n.wzyx)), sign(f.x), trunc(f.y));
}
