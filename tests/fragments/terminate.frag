#version 450
//! feature end of invocations by OpTerminateInvocation
#extension GL_EXT_terminate_invocation : require
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(dFdxFine(plain.x * plain.y), plain.yzw);
    if (plain.x > plain.y + 3.0) {
        terminateInvocation;
    }
    colour.y += 1.0;
}
