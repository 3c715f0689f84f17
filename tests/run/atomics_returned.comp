//! dispatch 2 1 1
//! buffer 0.0 = zero 4
//! buffer 0.1 = zero 256
//! buffer 0.2 = u32 64 * uniform 0 1000
//! buffer 0.3 = zero 256
//! compare 0.1 = u32 bag
#version 450
// Values that atomics return: a ticket for each invocation (their order is free, their set is
// not), and results of atomics that only one invocation touches.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Counter { uint counter; };
layout(set = 0, binding = 1) writeonly buffer Tickets { uint tickets[]; };
layout(set = 0, binding = 2) buffer Cells { uint cells[]; };
layout(set = 0, binding = 3) writeonly buffer Out { uint old[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    tickets[i] = atomicAdd(counter, 3);
    uint mine = atomicAdd(cells[i], i);
    mine = mine * 7 + atomicMax(cells[i], 500);
    mine = mine * 7 + atomicAnd(cells[i], 0xfe);
    mine = mine * 7 + atomicExchange(cells[i], i * 2);
    mine = mine * 7 + atomicCompSwap(cells[i], 20, 21);
    mine = mine * 7 + atomicXor(cells[i], 0x55);
    mine = mine * 7 + atomicMin(cells[i], 9);
    mine = mine * 7 + atomicOr(cells[i], 64);
    old[i] = mine;
}
