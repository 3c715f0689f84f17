//! dispatch 1 1 1
//! buffer 0.0 = i32 64 * iota 0 1
//! buffer 0.1 = zero 256
// Names of one array type are one type: in assignments, calls, results, structures, private variables and buffers.

alias Pair = array<i32, 2>;
alias Couple = array<i32, 2>;
alias Pairs = array<Pair, 2>;

struct Both {
    first: Pair,
    second: array<i32, 2>,
}

@group(0) @binding(0) var<storage, read> source: array<array<i32, 2>, 32>;
@group(0) @binding(1) var<storage, read_write> result: array<Couple, 32>;

var<private> kept: Couple;

fn swapped(pair: array<i32, 2>) -> Couple {
    return array(pair[1], pair[0]);
}

fn change(pair: ptr<function, Couple>) {
    (*pair)[0] += 100;
}

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    var a: Pair = source[i];
    var b: Couple = a;
    change(&b);
    kept = swapped(b);
    let both = Both(kept, a);
    var all = Pairs(both.second, both.first);
    a = all[i & 1u];
    result[i] = a;
}
