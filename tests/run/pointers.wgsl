//! dispatch 1 1 1
//! buffer 0.0 = i32 64 * uniform -100 100
//! buffer 0.1 = zero 512

struct State { sum: i32, last: vec2<i32>, history: array<i32, 5> }
@group(0) @binding(0) var<storage, read> source: array<i32>;
@group(0) @binding(1) var<storage, read_write> result: array<vec2<i32>>;
var<workgroup> shared_cells: array<i32, 64>;
var<private> calls: i32 = 3;

fn push(state: ptr<function, State>, value: i32) {
    (*state).sum += value;
    (*state).last = vec2((*state).last.y, value);
    let slot = u32(calls) % 5u;
    (*state).history[slot] = value;
    calls += 1;
}

fn add(sum: ptr<function, i32>, value: i32) {
    *sum += value;
}

fn total(history: ptr<function, array<i32, 5>>) -> i32 {
    var t = 0;
    for (var i = 0; i < 5; i++) {
        t = t * 3 + (*history)[i];
    }
    return t;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var state: State;
    for (var k = 0u; k < 3u + (i & 3u); k++) {
        push(&state, source[(i + k) % 64u]);
    }
    shared_cells[i] = state.sum;
    workgroupBarrier();
    var neighbour = shared_cells[i ^ 1u];
    add(&neighbour, calls);
    var history = state.history;
    let whole = total(&history);
    let copy = &state.last;
    result[i] = vec2(neighbour + (*copy).x, whole - (*copy).y);
}
