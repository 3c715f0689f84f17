//! Tests of the reasons that people get for divergent branches and for loads that were not merged.

use crestline_ssa::explain::{Explainer, Obstacle, memory_name, origin_name};
use crestline_ssa::ir::{InstId, InstKind, Shader};
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;

fn shader(body: &str) -> Shader {
    let text = format!(
        "compute \"main\" {{
    local_size 64, 1, 1
    shared_bytes 64
    binding b0: ssbo set 0 binding 0 \"data\"
    binding b1: ssbo set 0 binding 1 \"out\"
    binding b2: ubo set 1 binding 0 \"params\"
{body}
    return
}}"
    );
    let shader = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&shader).unwrap_or_else(|e| panic!("{e}\n{text}"));
    shader
}

/// The word with which an instruction begins in the text form.
fn word(shader: &Shader, inst: InstId) -> &'static str {
    match &shader.func.inst(inst).kind {
        InstKind::If { .. } => "if",
        InstKind::Loop { .. } => "loop",
        InstKind::Load { .. } => "load",
        InstKind::Alu { op, .. } => op.name(),
        _ => "other",
    }
}

/// The branches, as text: the branch, what differs, the way.
fn branches(body: &str) -> Vec<String> {
    let shader = shader(body);
    Explainer::new(&shader)
        .divergent_branches()
        .iter()
        .map(|branch| {
            let way: Vec<&str> = branch.through.iter().map(|&inst| word(&shader, inst)).collect();
            let exit = branch.exit.map_or("", |_| " with an exit");
            format!(
                "{}{exit}: {} by {}",
                word(&shader, branch.inst),
                origin_name(&shader, branch.origin),
                way.join(", ")
            )
        })
        .collect()
}

#[test]
fn a_branch_is_divergent_because_of_the_first_value_that_differs() {
    let found = branches(
        "    %0: 32 = sysval local_invocation_index
    %1: 32 = const 3
    %2: 32 = load ubo b2, %1, align 1
    %3: 1 = ilt %2, %1
    if %3 {
        yield
    } else {
        yield
    }
    %4: 32 = iadd %0, %2
    %5: 1 = ilt %4, %1
    if %5 {
        yield
    } else {
        yield
    }",
    );
    assert_eq!(found, ["if: local_invocation_index by iadd, ilt"]);
}

#[test]
fn a_value_that_two_sides_of_a_branch_give_is_explained_by_that_branch() {
    let found = branches(
        "    %0: 32 = const 4
    %1: 32 = atomic iadd ssbo b0, %0, %0
    %2: 1 = ilt %1, %0
    %3: 32 = if %2 {
        yield %0
    } else {
        %4: 32 = const 9
        yield %4
    }
    %5: 1 = ieq %3, %0
    if %5 {
        yield
    } else {
        yield
    }",
    );
    let why = "an atomic on storage buffer 0.0 \"data\"";
    assert_eq!(found, [format!("if: {why} by ilt"), format!("if: {why} by ilt, if, if, ieq")]);
}

#[test]
fn a_loop_names_the_condition_under_which_invocations_leave_it() {
    let found = branches(
        "    %0: 32 = const 0
    %1: 32 = sysval subgroup_invocation
    loop (%2: 32 = %0) {
        %3: 1 = ilt %2, %1
        if %3 {
            yield
        } else {
            break
        }
        %4: 32 = const 1
        %5: 32 = iadd %2, %4
        continue %5
    }",
    );
    assert_eq!(found, ["loop with an exit: subgroup_invocation by ilt"]);
}

/// The loads, as text: memory, relation, obstacle.
fn loads(body: &str) -> Vec<String> {
    let shader = shader(body);
    Explainer::new(&shader)
        .unmerged_loads()
        .iter()
        .map(|load| {
            let relation = if load.again { "again" } else { "next" };
            let obstacle = match load.obstacle {
                Obstacle::Write(_) => "write",
                Obstacle::Order(_) => "order",
                Obstacle::Branch(_) => "branch",
                Obstacle::Volatile => "volatile",
                Obstacle::Coherent => "coherent",
                Obstacle::Distance => "distance",
                Obstacle::Access => "access",
            };
            format!("{} {relation} {obstacle}", memory_name(&shader, &load.memory))
        })
        .collect()
}

/// Two neighbouring loads of a storage buffer with these flags, and something between them.
fn neighbours(flags: [&str; 2], between: &str) -> Vec<String> {
    let [first, second] = flags;
    loads(&format!(
        "    %a: 32 = sysval local_invocation_index
    %four: 32 = const 4
    %b: 32 = iadd %a, %four
    %c: 1 = ilt %a, %four
    %x: 32 = load ssbo b0, %a, align 4{first}
{between}
    %y: 32 = load ssbo b0, %b, align 4{second}"
    ))
}

const STORE: &str = "    store ssbo b1, %a, %x, align 4, aliased";
const BARRIER: &str = "    barrier execution workgroup, memory workgroup, acquire, release, buffer";
const BRANCH: &str = "    if %c {\n        yield\n    } else {\n        yield\n    }";
const PLAIN: [&str; 2] = [", aliased"; 2];

#[test]
fn an_obstacle_between_neighbours_is_named() {
    let next = |obstacle: &str| vec![format!("storage buffer 0.0 \"data\" next {obstacle}")];
    assert_eq!(neighbours(PLAIN, STORE), next("write"));
    assert_eq!(
        neighbours(PLAIN, "    %z: 32 = atomic iadd ssbo b1, %a, %x, aliased"),
        next("write")
    );
    assert_eq!(neighbours(PLAIN, BARRIER), next("order"));
    assert_eq!(neighbours(PLAIN, BRANCH), next("branch"));
    let far: String = (0..70).map(|i| format!("    %z{i}: 32 = iadd %a, %x\n")).collect();
    assert_eq!(neighbours(PLAIN, &far), next("distance"));
    assert_eq!(neighbours(["", ", coherent"], ""), next("access"));
    assert_eq!(neighbours([", volatile"; 2], ""), next("volatile"));
    // The first obstacle is named.
    assert_eq!(neighbours(PLAIN, &format!("{BRANCH}\n{STORE}")), next("branch"));
}

#[test]
fn an_equal_load_behind_a_write_is_reported() {
    let again = |between: &str, flags: &str| {
        loads(&format!(
            "    %a: 32 = sysval local_invocation_index
    %four: 32 = const 4
    %c: 1 = ilt %a, %four
    %x: 32 = load ssbo b0, %a, align 4{flags}
{between}
    %y: 32 = load ssbo b0, %a, align 4{flags}"
        ))
    };
    let found = |obstacle: &str| vec![format!("storage buffer 0.0 \"data\" again {obstacle}")];
    assert_eq!(again(STORE, ", aliased"), found("write"));
    let inside =
        format!("    if %c {{\n{STORE}\n        yield\n    }} else {{\n        yield\n    }}");
    assert_eq!(again(&inside, ", aliased"), found("write"));
    assert_eq!(again(BARRIER, ""), found("order"));
    assert_eq!(again("", ", coherent"), found("coherent"));
    assert_eq!(again(BRANCH, ""), Vec::<String>::new());
    assert_eq!(again(STORE, ", readonly"), Vec::<String>::new());
}

#[test]
fn loads_without_an_obstacle_are_not_reported() {
    let none = Vec::<String>::new();
    // The pass merges them.
    assert_eq!(neighbours(PLAIN, ""), none);
    // Shared memory is never a buffer.
    assert_eq!(neighbours(PLAIN, "    store shared, %a, %x, align 4"), none);
    // The other buffer is elsewhere.
    assert_eq!(neighbours(["", ""], STORE), none);
    // Nothing in the dispatch writes the buffer.
    assert_eq!(neighbours([", readonly"; 2], STORE), none);
    // Five components do not fit into a message.
    let wide = loads(
        "    %a: 32 = sysval local_invocation_index
    %s: 32 = const 16
    %b: 32 = iadd %a, %s
    %x: 32x4 = load ssbo b0, %a, align 4
    store ssbo b1, %a, %x.x, align 4
    %y: 32 = load ssbo b0, %b, align 4",
    );
    assert_eq!(wide, none);
}
