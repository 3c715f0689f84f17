//! dispatch 1 1 1
//! buffer 0.0 = zero 128
#version 450
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint COUNT = 5;
layout(constant_id = 1) const bool ON = true;
layout(constant_id = 9) const int STEP = -2;
const uvec2 BOTH = uvec2(COUNT, COUNT << 2);
layout(set = 0, binding = 0) writeonly buffer Out { int result[]; };

void main() {
    int sum = int(BOTH.y);
    for (uint i = 0; i < COUNT; i++) sum += ON ? STEP : 1;
    result[gl_LocalInvocationIndex] = sum * int(gl_LocalInvocationIndex) + int(BOTH.x % 3);
}
