//! The number of instructions that each swizzle, write mask and pair of swizzles needs.

use super::*;
use crate::ir::Vreg;
use crestline_device::Platform;
use crestline_isa::Type;

/// The classes of the table in [`plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    APlus,
    AMinus,
    B,
    CPlus,
    CMinus,
    DPlus,
    DMinus,
    E,
}

/// The class of a swizzle: the cell of the table, and whether the pairs of components agree.
fn class(swizzle: Swizzle) -> Class {
    let components = swizzle.0;
    let upper = components.map(|component| component >= 2);
    let number = |component: usize| components[component] % 2;
    let agree = |component: usize| number(component) == number((component + 2) % 4);
    let alone = |component: usize| match agree(component ^ 1) {
        true => Class::CPlus,
        false => Class::CMinus,
    };
    let both = agree(0) && agree(1);
    match (upper[0], upper[1], upper[2], upper[3]) {
        (false, false, false, false) | (false, false, true, true) | (true, true, true, true) => {
            if both {
                Class::APlus
            } else {
                Class::AMinus
            }
        }
        (false, true, false, false) => alone(1),
        (true, false, false, false) => alone(0),
        (true, true, false, true) => alone(2),
        (true, true, true, false) => alone(3),
        (false, true, false, true) | (true, false, true, false) => {
            if both {
                Class::DPlus
            } else {
                Class::DMinus
            }
        }
        (true, true, false, false) => Class::E,
        _ => Class::B,
    }
}

fn swizzles() -> impl Iterator<Item = Swizzle> {
    (0..=255).map(Swizzle::from_bits)
}

/// An operation on doubles with the given swizzles, each source in its own registers.
fn operation(opcode: Opcode, mask: WriteMask, swizzles: &[Swizzle]) -> Inst {
    let source = |(index, swizzle): (usize, &Swizzle)| {
        Operand::vgrf(Vreg(1 + index as u32), Type::Df).with_region(Region::Swizzle(*swizzle))
    };
    let srcs: Vec<Operand> = swizzles.iter().enumerate().map(source).collect();
    let dst = Operand::vgrf(Vreg(0), Type::Df).with_region(Region::Mask(mask));
    let mut inst = Inst::new(Op::Hw(opcode), 8, dst, &srcs);
    inst.access_mode = AccessMode::Align16;
    inst
}

fn mov_cost(swizzle: Swizzle, mask: WriteMask, target: &Target) -> u32 {
    Plan::best(&operation(Opcode::Mov, mask, &[swizzle]), 0, target).expect("a plan").cost
}

#[test]
fn swizzles_fall_into_classes_each_with_its_optimum() {
    let target = Target::of(Platform::Hsw);
    let all = [
        (Class::APlus, 12, 1),
        (Class::AMinus, 36, 2),
        (Class::B, 96, 2),
        (Class::CPlus, 32, 2),
        (Class::CMinus, 32, 3),
        (Class::DPlus, 8, 2),
        (Class::DMinus, 24, 3),
        (Class::E, 16, 4),
    ];
    for (wanted, count, optimum) in all {
        let members: Vec<Swizzle> = swizzles().filter(|s| class(*s) == wanted).collect();
        assert_eq!(members.len(), count, "{wanted:?}");
        for swizzle in members {
            let cost = mov_cost(swizzle, WriteMask::XYZW, &target);
            assert_eq!(cost, optimum, "{wanted:?}: {swizzle:?}");
        }
    }
}

#[test]
fn moves_take_as_many_instructions_as_the_hardware_needs() {
    let total = |platform| {
        let target = Target::of(platform);
        swizzles().map(|s| mov_cost(s, WriteMask::XYZW, &target)).sum::<u32>()
    };
    assert_eq!(total(Platform::Hsw), 588);
    assert_eq!(total(Platform::Ivb), 2 * 588);
    assert_eq!(total(Platform::Bdw), 1_044);
    let target = Target::of(Platform::Hsw);
    let masked = swizzles()
        .flat_map(|s| (1..16).map(move |mask| (s, WriteMask(mask))))
        .map(|(swizzle, mask)| mov_cost(swizzle, mask, &target));
    assert_eq!(masked.sum::<u32>(), 6_156);
}

#[test]
fn pairs_of_swizzles_share_instructions() {
    let target = Target::of(Platform::Hsw);
    // Only the parts for which a swizzle has regions matter.
    let parts = |swizzle: Swizzle| -> u16 {
        (1..16u8)
            .filter(|mask| {
                let inst = operation(Opcode::Mov, WriteMask(*mask), &[swizzle]);
                double_rows(&inst.srcs[0], inst.dst.write_mask()).is_some()
            })
            .fold(0, |set, mask| set | 1 << mask)
    };
    let kinds: std::collections::BTreeMap<u16, Vec<Swizzle>> = swizzles().fold(
        Default::default(),
        |mut kinds: std::collections::BTreeMap<_, Vec<_>>, s| {
            kinds.entry(parts(s)).or_default().push(s);
            kinds
        },
    );
    let mut total = 0;
    for (a, b) in kinds.values().flat_map(|a| kinds.values().map(move |b| (a, b))) {
        let add = operation(Opcode::Add, WriteMask::XYZW, &[a[0], b[0]]);
        let cost = Plan::best(&add, 0, &target).expect("a plan").cost;
        total += cost * (a.len() * b.len()) as u32;
    }
    assert_eq!(total, 183_952);
}
