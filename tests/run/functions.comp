//! dispatch 1 1 1
//! buffer 0.0 = i32 64 * uniform -100 100
//! buffer 0.1 = zero 768
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { int source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { int result[]; };
struct Pair { int low, high; };
shared int cell[64];

void swap(inout int a, inout int b) { int t = a; a = b; b = t; }
void order(inout Pair p) { if (p.low > p.high) swap(p.low, p.high); }
Pair widen(Pair p, int by) { return Pair(p.low - by, p.high + by); }
void both(int x, out int twice, out int square) { twice = 2 * x; square = x * x; }
int sum(int values[4]) { int s = 0; for (int i = 0; i < 4; i++) s += values[i]; values[0] = 9; return s; }
void bump(inout int v[4], int at) { v[at] += 1000; }
int twice(int x) { both(x, x, cell[gl_LocalInvocationIndex]); return x; }

void main() {
    uint id = gl_GlobalInvocationID.x;
    int n = source[id], m = source[(id + 1) & 63];
    Pair p = Pair(n, m);
    order(p);
    p = widen(p, 3);
    int a[4] = int[](n, m, 1, 2);
    bump(a, n & 3);
    swap(a[0], a[n & 1]);
    int s = sum(a);
    int t = twice(n);
    result[id * 3] = p.low * 1000 + p.high;
    result[id * 3 + 1] = s + a[0];
    result[id * 3 + 2] = t + cell[gl_LocalInvocationIndex];
}
