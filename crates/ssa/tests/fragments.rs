//! Fragment shaders in the interpreter: quads, derivatives, helper invocations.

use std::collections::BTreeMap;

use crestline_ssa::interp::{
    Fragment, FragmentInvocation, InterpError, Options, Resources, Slots, run_fragments,
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
