//! Fragment shaders in the interpreter: quads, derivatives, helper invocations.

use std::collections::BTreeMap;

use crestline_ssa::interp::{
    Fragment, FragmentInvocation, FragmentPrimitive, InterpError, Options, Resources, Slots,
    run_fragments,
};
use crestline_ssa::ir::{IoSlot, SysVal};
use crestline_ssa::text::parse;

/// Pixels of an area two pixels high: input location 0 is `value(x, y)`, and helpers are those that `helper` names.
fn quads(
    width: u32,
    value: impl Fn(u32, u32) -> f32,
    helper: impl Fn(u32, u32) -> bool,
) -> Vec<FragmentInvocation> {
    let mut invocations = Vec::new();
    for quad in 0..width / 2 {
        for (dx, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let x = 2 * quad + dx;
            let comps = [value(x, y), x as f32, y as f32, 1.0].map(|f| Some(f.to_bits()));
            let coord = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0].map(f32::to_bits);
            invocations.push(FragmentInvocation {
                inputs: Slots::from([(IoSlot::Location(0), comps)]),
                sysvals: BTreeMap::from([(SysVal::FragCoord, coord)]),
                helper: helper(x, y),
                primitive: None,
            });
        }
    }
    invocations
}

fn run(body: &str, invocations: &[FragmentInvocation], buffer: &mut Vec<u8>) -> Vec<Fragment> {
    let shader = parse(&format!(
        "fragment \"t\" {{
            binding b0: ssbo set 0 binding 0 \"data\"
            input location 0: 32x4 \"a\" smooth
            output location 0: 32x4 \"colour\"
            output sample_mask: 32 \"mask\"
            {body}
        }}"
    ))
    .unwrap();
    let mut expected = None;
    // The size of subgroups makes no difference.
    for subgroup_size in [4, 8, 16, 64] {
        let mut resources = Resources::default();
        resources.bind(0, 0, buffer.clone());
        let options = Options { subgroup_size, ..Options::default() };
        let (fragments, report) =
            run_fragments(&shader, &mut resources, invocations, &options).unwrap();
        assert_eq!(report.out_of_bounds_count, 0);
        let found = (fragments, resources.buffer(0, 0).unwrap().to_vec());
        assert_eq!(expected.get_or_insert(found.clone()), &found);
    }
    let (fragments, bytes) = expected.unwrap();
    *buffer = bytes;
    fragments
}

/// A component of the colour of each invocation.
fn floats(fragments: &[Fragment], comp: usize) -> Vec<f32> {
    let float =
        |fragment: &Fragment| f32::from_bits(fragment.outputs[&IoSlot::Location(0)][comp].unwrap());
    fragments.iter().map(float).collect()
}

#[test]
fn derivatives_are_differences_of_neighbours() {
    // Curved: rows and columns of a quad differ.
    let invocations = quads(4, |x, y| (x * x + 8 * x * y + 64 * y) as f32, |_, _| false);
    let fragments = run(
        "%0: 32 = load_input location 0
        %1: 32 = derivative x coarse, %0
        %2: 32 = derivative x fine, %0
        %3: 32 = derivative y coarse, %0
        %4: 32 = derivative y fine, %0
        %5: 32x4 = vec4 %1, %2, %3, %4
        store_output location 0, %5
        return",
        &invocations,
        &mut vec![0; 4],
    );
    assert_eq!(floats(&fragments, 0), [1., 1., 1., 1., 5., 5., 5., 5.]);
    assert_eq!(floats(&fragments, 1), [1., 1., 9., 9., 5., 5., 13., 13.]);
    assert_eq!(floats(&fragments, 2), [64., 64., 64., 64., 80., 80., 80., 80.]);
    assert_eq!(floats(&fragments, 3), [64., 72., 64., 72., 80., 88., 80., 88.]);
}

#[test]
fn helpers_compute_and_have_no_effects() {
    // Each invocation stores its x at dword x + 4 * y, and counts itself.
    let invocations = quads(4, |x, y| (x + 4 * y) as f32, |x, y| (x, y) == (1, 0));
    let mut buffer = vec![0; 40];
    let fragments = run(
        "%in: 32x4 = load_input location 0
        %one: 32 = const 1
        %two: 32 = const 2
        %count: 32 = const 32
        %limit: 32 = const 5.0
        %was: 1 = is_helper
        %far: 1 = feq %in.x, %limit
        if %far {
            demote
            yield
        } else {
            yield
        }
        %number: 32 = f2u %in.x
        %at: 32 = ishl %number, %two
        store ssbo b0, %at, %in.y, align 4
        %old: 32 = atomic iadd ssbo b0, %count, %one
        %d: 32 = derivative x, %in.x
        %is: 1 = is_helper
        %start: 1 = sysval helper_invocation
        %a: 32 = b2f %was
        %b: 32 = b2f %is
        %c: 32 = b2f %start
        %out: 32x4 = vec4 %a, %b, %c, %d
        store_output location 0, %out
        return",
        &invocations,
        &mut buffer,
    );
    // In the order of quads: (1, 0) is number 1, (1, 1) number 3.
    let only = |numbers: &[usize]| -> Vec<f32> {
        (0..8).map(|i| f32::from(u8::from(numbers.contains(&i)))).collect()
    };
    assert_eq!(floats(&fragments, 0), only(&[1]));
    assert_eq!(floats(&fragments, 1), only(&[1, 3]));
    assert_eq!(floats(&fragments, 2), only(&[1]));
    assert_eq!(floats(&fragments, 3), [1.; 8]);
    let helpers: Vec<bool> = fragments.iter().map(|fragment| fragment.helper).collect();
    assert_eq!(helpers, only(&[1, 3]).iter().map(|&f| f == 1.).collect::<Vec<_>>());
    let dwords: Vec<u32> =
        buffer.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let x = |number: u32| (number as f32).to_bits();
    assert_eq!(dwords[..8], [x(0), 0, x(2), x(3), x(0), 0, x(2), x(3)]);
    assert_eq!(dwords[8], 6);
}

#[test]
fn what_ends_an_invocation_keeps_it_from_later_code() {
    let invocations = quads(2, |x, y| (x + 2 * y) as f32, |_, _| false);
    let mut buffer = vec![0; 16];
    let fragments = run(
        "%in: 32x4 = load_input location 0
        %two: 32 = const 2
        %limit: 32 = const 1.0
        %far: 1 = flt %limit, %in.x
        if %far {
            demote
            return
        } else {
            yield
        }
        %number: 32 = f2u %in.x
        %at: 32 = ishl %number, %two
        store ssbo b0, %at, %in.w, align 4
        store_output location 0, %in
        store_output sample_mask, %number
        return",
        &invocations,
        &mut buffer,
    );
    assert_eq!(buffer[..8], [1.0f32.to_le_bytes(), 1.0f32.to_le_bytes()].concat());
    assert_eq!(buffer[8..], [0; 8]);
    assert_eq!(fragments.iter().map(|f| f.helper).collect::<Vec<_>>(), [false, false, true, true]);
    let masks: Vec<u32> = fragments.iter().map(Fragment::sample_mask).collect();
    assert_eq!(masks, [0, 1, u32::MAX, u32::MAX]);
    assert!(fragments[2].outputs.is_empty());
}

#[test]
fn quads_are_whole() {
    let shader = parse("fragment \"t\" {\nreturn\n}").unwrap();
    let invocations = quads(2, |_, _| 0.0, |_, _| false);
    for (count, subgroup_size) in [(3, 16), (4, 6)] {
        let options = Options { subgroup_size, ..Options::default() };
        let invocations = &invocations[..count];
        let result = run_fragments(&shader, &mut Resources::default(), invocations, &options);
        assert!(matches!(result, Err(InterpError::Quads { .. })), "{result:?}");
    }
}

/// The weights of three vertices at a place in normalized device coordinates, from clip coordinates x, y, w: the point of the
/// triangle that projects to the place is their weighted sum. Solved by Cramer's rule.
fn projected(clip: [[f64; 3]; 3], at: [f64; 2]) -> [f64; 3] {
    // Row i of the system: the distance from the ray through the place, of each vertex.
    let row = |axis: usize| clip.map(|corner| corner[axis] - at[axis] * corner[2]);
    let (a, b) = (row(0), row(1));
    let minor = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    let parts = [minor(1, 2), minor(2, 0), minor(0, 1)];
    let sum: f64 = parts.iter().sum();
    parts.map(|part| part / sum)
}

#[test]
fn weights_are_those_of_the_point_that_projects_to_the_place() {
    // A picture of 4 by 2 pixels.
    let clip = [[-3.0, -2.5, 2.0], [1.75, -0.5, 0.5], [-0.5, 6.0, 3.0]];
    let pixels = |x: f64, y: f64| [(x + 1.0) * 2.0, (y + 1.0) * 1.0];
    let corners = clip.map(|[x, y, w]: [f64; 3]| {
        let [x, y] = pixels(x / w, y / w);
        [x, y, 1.0 / w].map(|c| c as f32)
    });
    let value = |vertex: usize| [3.0, -7.5, 20.0][vertex];
    let slots = |vertex: usize| {
        let comps = [value(vertex), vertex as f32, 0.0, 1.0].map(|f| Some(f.to_bits()));
        Slots::from([(IoSlot::Location(0), comps), (IoSlot::Location(1), comps)])
    };
    let samples = vec![[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];
    let primitive = FragmentPrimitive {
        vertices: (0..3).map(slots).collect(),
        corners: corners.to_vec(),
        samples: samples.clone(),
    };
    let primitive = std::sync::Arc::new(primitive);
    let mut invocations = quads(4, |x, _| x as f32, |_, _| false);
    for invocation in &mut invocations {
        invocation.primitive = Some(primitive.clone());
        // Samples 1 and 3 are covered.
        invocation.sysvals.insert(SysVal::SampleMaskIn, [0b1010, 0, 0, 0]);
        invocation.sysvals.insert(SysVal::SampleId, [2, 0, 0, 0]);
    }
    let offset = [0.3125, -0.25];
    let places = [
        ("smooth", [0.5, 0.5]),
        ("smooth centroid", samples[1].map(f64::from)),
        ("smooth sample", samples[2].map(f64::from)),
        ("smooth, sample %three", samples[3].map(f64::from)),
        ("smooth, offset %offset", [0.5 + offset[0], 0.5 + offset[1]]),
        ("noperspective", [0.5, 0.5]),
    ];
    for (text, within) in places {
        let shader = parse(&format!(
            "fragment \"t\" {{
                input location 0: 32x4 \"a\" smooth
                input location 1: 32x4 \"b\" per_vertex
                output location 0: 32x4 \"colour\"
                %three: 32 = const 3
                %offset: 32x2 = const {}, {}
                %w: 32x2 = barycentric {text}
                %v: 32 = interpolate location 0, %w
                %b: 32 = load_input location 1, vertex %three
                %out: 32x4 = vec4 %w.x, %w.y, %v, %b
                store_output location 0, %out
                return
            }}",
            (offset[0] as f32).to_bits(),
            (offset[1] as f32).to_bits(),
        ))
        .unwrap();
        let options = Options::default();
        let (fragments, _) =
            run_fragments(&shader, &mut Resources::default(), &invocations, &options).unwrap();
        for (invocation, fragment) in invocations.iter().zip(&fragments) {
            let pixel = invocation.sysvals[&SysVal::FragCoord].map(f32::from_bits);
            let at = [0, 1].map(|i| f64::from(pixel[i].floor()) + within[i]);
            let at = [at[0] / 2.0 - 1.0, at[1] - 1.0];
            let weights = match text {
                // Without perspective: the same with every w equal to 1.
                "noperspective" => projected(clip.map(|[x, y, w]| [x / w, y / w, 1.0]), at),
                _ => projected(clip, at),
            };
            let sum: f64 = (0..3).map(|i| weights[i] * f64::from(value(i))).sum();
            let expected = [weights[1], weights[2], sum, f64::from(value(2))];
            let found = fragment.outputs[&IoSlot::Location(0)].map(|c| f32::from_bits(c.unwrap()));
            for (found, expected) in found.into_iter().zip(expected) {
                // Corners are rounded to binary32, and so is each weight.
                let tolerance = 1e-5 * expected.abs().max(1.0);
                assert!(
                    (f64::from(found) - expected).abs() < tolerance,
                    "{text}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn killed_invocations_leave_a_loop_together() {
    // Column 1 is killed at once; column 0 goes on for three iterations with derivatives.
    let invocations = quads(2, |x, _| x as f32, |_, _| false);
    let fragments = run(
        "%in: 32x4 = load_input location 0
        %zero: 32 = const 0
        %one: 32 = const 1
        %three: 32 = const 3
        %half: 32 = const 0.5
        %k: 1 = flt %half, %in.x
        if %k {
            demote
            yield
        } else {
            yield
        }
        %n: 32, %sum: 32 = loop (%i: 32 = %zero, %s: 32 = %zero) {
            %all: 1 = all_killed %k
            if %all {
                break %i, %s
            } else {
                yield
            }
            %alive: 1 = inot %k
            %far: 1 = uge %i, %three
            %done: 1 = iand %alive, %far
            if %done {
                break %i, %s
            } else {
                yield
            }
            %f: 32 = u2f %i
            %x: 32 = fmul %f, %in.x
            %d: 32 = derivative x, %x
            %t: 32 = fadd %s, %d
            %j: 32 = iadd %i, %one
            continue %j, %t
        }
        %rounds: 32 = u2f %n
        %after: 32 = derivative x, %rounds
        %out: 32x4 = vec4 %rounds, %sum, %after, %in.w
        store_output location 0, %out
        return",
        &invocations,
        &mut vec![0; 4],
    );
    // Column 1 leaves at the start of the iteration in which it is alone.
    assert_eq!(floats(&fragments, 0), [3., 4., 3., 4.]);
    assert_eq!(floats(&fragments, 1), [3.; 4]);
    assert_eq!(floats(&fragments, 2), [1.; 4]);
    assert_eq!(fragments.iter().map(|f| f.helper).collect::<Vec<_>>(), [false, true, false, true]);
}
