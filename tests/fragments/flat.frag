#version 450
//! feature flat inputs
layout(location = 2) flat in ivec4 number;
layout(location = 1) out uvec4 bits;
void main() {
    bits = uvec4(number.wzyx);
}
