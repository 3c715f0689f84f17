//! dispatch 1 1 1
//! buffer 0.0 = f32 128 * uniform -5 5
//! buffer 0.1 = zero 512
#version 450
layout(local_size_x = 16) in;
struct Leaf { vec2 xy; float z; };
struct Node { Leaf left, right; int tag; };
struct Tree { Node nodes[2]; vec4 root; };
layout(std430, set = 0, binding = 0) readonly buffer In { float source[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { vec4 result[]; };

Leaf leaf(uint at) { return Leaf(vec2(source[at], source[at + 1]), source[at + 2]); }

void main() {
    uint i = gl_LocalInvocationIndex;
    Tree tree;
    tree.nodes[0] = Node(leaf(i), leaf(i + 3), int(i));
    tree.nodes[1] = tree.nodes[0];
    tree.nodes[1].left = tree.nodes[0].right;
    tree.nodes[i & 1].right.z = 42.0;
    tree.root = vec4(tree.nodes[i & 1].left.xy, tree.nodes[1].left.z, tree.nodes[0].tag);
    Tree copy = tree;
    copy.nodes[0].tag += 5;
    bool same = copy.nodes[1] == tree.nodes[1];
    bool other = copy == tree;
    result[i * 2] = copy.root + vec4(same, other, tree.nodes[1].right.z, copy.nodes[0].tag);
    result[i * 2 + 1] = vec4(copy.nodes[0].right.xy, copy.nodes[1].left.xy);
}
