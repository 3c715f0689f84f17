//! The walk over machine code: waits, weights, and properties that must hold for all code.

use std::collections::BTreeMap;

use crestline_device::{Device, Gen, Platform};
use crestline_isa::{Inst, Opcode, decode_each, text};
use crestline_timing::{Cause, Options, Report, Trips, Unit, known_trips, walk, walk_code};

/// Assembles a program in the `mesa` syntax.
fn assemble(code: &str, generation: Gen) -> Vec<Inst> {
    text::parse_program(code, generation, text::Syntax::Mesa).expect("the code assembles")
}

fn offsets(insts: &[Inst]) -> impl Iterator<Item = (usize, &Inst)> {
    insts.iter().scan(0, |at, inst| {
        let offset = *at;
        *at += inst.size() as usize;
        Some((offset, inst))
    })
}

fn report(insts: &[Inst], platform: Platform, options: &Options<'_>) -> Report {
    walk(offsets(insts), &Device::new(platform), options)
}

/// The report of a program for Skylake.
fn skl(code: &str) -> Report {
    report(&assemble(code, Gen::Gen9), Platform::Skl, &Options::default())
}

/// A loop of `body` that ends when no channel is below 64.
fn looped(body: &str) -> String {
    format!(
        "again:\n{body}add(8) g2<1>D g2<8,8,1>D 1D {{ align1 1Q }};\n\
         cmp.l.f0.0(8) null<1>D g2<8,8,1>D 64D {{ align1 1Q }};\n\
         (+f0.0) while(8) JIP: again {{ align1 1Q }};\n"
    )
}

const MOV: &str = "mov(8) g3<1>F g4<8,8,1>F { align1 1Q };\n";

/// All of many `while`s jump to the start, so there are as many loops around the first instruction.
#[test]
fn many_nested_loops_take_little_time() {
    let code =
        "again:\n".to_owned() + &"(+f0.0) while(8) JIP: again { align1 1Q };\n".repeat(20_000);
    let report = skl(&code);
    let weights: Vec<u64> = report.steps.iter().map(|step| step.weight).collect();
    assert_eq!((weights[0], weights[19_998], weights[19_999]), (u64::MAX, 100, 10));
}

#[test]
fn a_result_is_waited_for() {
    let found = skl("mul(8) g3<1>F g4<8,8,1>F g5<8,8,1>F { align1 1Q };\n\
         add(8) g6<1>F g3<8,8,1>F g5<8,8,1>F { align1 1Q };\n");
    // Issue of 2 cycles, result after 8, issue of 2.
    assert_eq!(found.cycles, 12);
    assert_eq!((found.steps[1].wait, found.steps[1].cause), (8, Cause::Register(0)));
    assert_eq!(found.chain, 12);
    assert_eq!(found.critical_path(), [0, 1]);
}

#[test]
fn units_work_beside_each_other() {
    let math = "math inv(8) g6<1>F g5<8,8,1>F null<8,8,1>F { align1 1Q };\n";
    let found = skl(&format!("{math}{MOV}"));
    assert_eq!((found.cycles, found.busy[Unit::Math], found.busy[Unit::Fpu]), (4, 4, 2));
    let twice = skl(&format!("{math}{}", math.replace("g6<", "g7<")));
    assert_eq!((twice.steps[1].wait, twice.steps[1].cause), (2, Cause::Unit(0)));
    assert_eq!(twice.counts[Unit::Math], 2);
}

#[test]
fn a_flag_is_waited_for_by_its_channels_only() {
    let compare = "cmp.z.f0.0(8) null<1>D g2<8,8,1>D 0D { align1 1Q };\n";
    let first = "(+f0.0) mov(8) g3<1>D g4<8,8,1>D { align1 1Q };\n";
    assert_eq!(skl(&format!("{compare}{first}")).steps[1].wait, 12);
    let second = first.replace("1Q", "2Q");
    assert_eq!(skl(&format!("{compare}{second}")).steps[1].wait, 0);
}

#[test]
fn a_payload_is_free_after_it_was_read() {
    let found = skl(
        "send(8) g3<1>UW g2<8,8,1>UD 0x02106e02 dp data 1 MsgDesc: (untyped surface read) mlen 1 rlen 1 { align1 1Q };\n\
         mov(8) g2<1>F g4<8,8,1>F { align1 1Q };\n\
         mov(8) g5<1>F g3<8,8,1>F { align1 1Q };\n",
    );
    assert_eq!(found.steps.iter().map(|step| step.wait).collect::<Vec<_>>(), [0, 10, 88]);
    assert_eq!(found.busy[Unit::DataCache], 20);
}

#[test]
fn loops_weigh_what_they_are_told() {
    let code = looped(MOV);
    let insts = assemble(&code, Gen::Gen9);
    let assumed = report(&insts, Platform::Skl, &Options::default());
    assert!(assumed.is_assumed());
    let [found] = assumed.loops.as_slice() else { panic!("one loop") };
    assert_eq!((found.insts.clone(), found.trips), (0..4, Some(10)));
    let known = |trips: u64| {
        let trips = Trips::Loops { known: BTreeMap::from([(0, trips)]), otherwise: 10 };
        report(&insts, Platform::Skl, &Options { trips, ..Options::default() })
    };
    assert_eq!(known(10).cycles, assumed.cycles);
    assert!(!known(3).is_assumed());
    let counts = [7; 4];
    let options = Options { trips: Trips::Measured(&counts), ..Options::default() };
    let measured = report(&insts, Platform::Skl, &options);
    assert_eq!((measured.cycles, measured.loops[0].trips), (known(7).cycles, None));
    for trips in 1..20 {
        assert!(known(trips).cycles < known(trips + 1).cycles);
    }
    let huge = known(u64::MAX);
    assert_eq!((huge.cycles, huge.busy[Unit::Fpu]), (u64::MAX, u64::MAX));
}

#[test]
fn a_loop_that_all_channels_leave_runs_once() {
    let code = "again:\nadd(8) g2<1>D g2<8,8,1>D 1D { align1 1Q };\n\
                break(8) JIP: end UIP: end { align1 1Q };\nend:\nwhile(8) JIP: again { align1 1Q };\n";
    let found = skl(code);
    assert_eq!(found.loops[0].trips, Some(1));
    assert!(found.steps.iter().all(|step| step.weight == 1));
}

/// The jump of an `endif`, which leads to the `while`, is for the case that no channel is active.
#[test]
fn a_loop_with_breaks_in_conditionals_runs_once() {
    let code = |last: &str| {
        format!(
            "again:\n(+f0.0) if(8) JIP: other UIP: other {{ align1 1Q }};\n\
             break(8) JIP: other UIP: end {{ align1 1Q }};\n\
             other:\nendif(8) JIP: end {{ align1 1Q }};\n\
             {last}break(8) JIP: end UIP: end {{ align1 1Q }};\n\
             end:\nwhile(8) JIP: again {{ align1 1Q }};\n"
        )
    };
    assert_eq!(skl(&code("")).loops[0].trips, Some(1));
    assert_eq!(skl(&code("(+f1.0) ")).loops[0].trips, Some(Options::ASSUMED_TRIPS));
}

#[test]
fn blocks_add_up() {
    let code = format!("{MOV}{}{MOV}", looped(&looped(MOV).replace("again", "inner")));
    let found = skl(&code);
    let sum: u64 = found.blocks.iter().map(|block| block.cycles * block.weight).sum();
    assert_eq!(sum, found.cycles);
    let busy: u64 = found.blocks.iter().map(|block| block.busy[Unit::Fpu] * block.weight).sum();
    assert_eq!(busy, found.busy[Unit::Fpu]);
    assert_eq!(found.blocks.iter().map(|block| block.weight).max(), Some(100));
    assert!(found.blocks.windows(2).all(|pair| pair[0].insts.end == pair[1].insts.start));
}

#[test]
fn more_work_never_costs_less() {
    let body = "mul(8) g3<1>F g4<8,8,1>F g5<8,8,1>F { align1 1Q };\n\
                mad(8) g6<1>F g3<4,4,1>F g5<4,4,1>F g4<4,4,1>F { align16 1Q };\n\
                math pow(8) g7<1>F g6<8,8,1>F g5<8,8,1>F { align1 1Q };\n\
                cmp.l.f0.0(8) null<1>F g7<8,8,1>F g5<8,8,1>F { align1 1Q };\n\
                (+f0.0) sel(8) g8<1>F g7<8,8,1>F g5<8,8,1>F { align1 1Q };\n";
    let code = format!("{body}{}{body}", looped(body));
    for platform in [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl] {
        let insts = assemble(&code, Device::new(platform).generation());
        let whole = report(&insts, platform, &Options::default());
        // An instruction more.
        let mut before = report(&[], platform, &Options::default());
        for count in 1..=insts.len() {
            let found = report(&insts[..count], platform, &Options::default());
            assert!(found.cycles >= before.cycles && found.chain >= before.chain);
            for (unit, busy) in found.busy.iter() {
                assert!(busy >= before.busy[unit]);
            }
            before = found;
        }
        // Twice the channels. The registers are the same, so only the costs grow.
        let mut wide = insts.clone();
        wide.iter_mut().for_each(|inst| inst.exec_size = 16);
        let wide = report(&wide, platform, &Options::default());
        assert!(wide.cycles > whole.cycles && wide.busy[Unit::Fpu] > whole.busy[Unit::Fpu]);
        // Equal code costs the same.
        assert_eq!(report(&insts, platform, &Options::default()), whole);
    }
}

#[test]
fn padding_after_the_end_costs_nothing() {
    let end = "send(8) null<1>UW g127<8,8,1>UD 0x82000010 thread_spawner MsgDesc: mlen 1 rlen 0 { align1 WE_all 1Q EOT };\n";
    let ended = skl(end);
    let padded = skl(&format!("{end}nop ;\nnop ;\n{MOV}"));
    assert_eq!(padded.cycles, ended.cycles);
    assert!(padded.steps[1..].iter().all(|step| step.weight == 0));
}

/// Damaged code has no effect but an error or other times.
#[test]
fn any_bytes_are_accepted() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    };
    for platform in [Platform::Ivb, Platform::Hsw, Platform::Skl, Platform::Icl, Platform::Tgl] {
        let device = Device::new(platform);
        let generation = device.generation();
        let sends = [Opcode::Send, Opcode::While, Opcode::Goto, Opcode::If, Opcode::Mov];
        let codes: Vec<u8> = sends.iter().filter_map(|opcode| opcode.bits(generation)).collect();
        for round in 0..2000 {
            let mut code: Vec<u8> = (0..64).map(|_| next()).collect();
            for at in 0..4 {
                code[16 * at] = codes[(round + at) % codes.len()];
                // Not compacted.
                code[16 * at + 3] &= !0x20;
            }
            let _ = walk_code(&code, 0, &device, &Options::default());
            let insts: Vec<(usize, Inst)> = decode_each(&code, 0, generation)
                .filter_map(|(range, inst)| Some((range.start, inst.ok()?)))
                .collect();
            known_trips(insts.iter().map(|(offset, inst)| (*offset, inst)), &device);
        }
    }
}

/// The known numbers of trips of a program for Skylake, by the index of the loop's first instruction.
fn trips(code: &str) -> Vec<(usize, u64)> {
    let insts = assemble(code, Gen::Gen9);
    let known = known_trips(offsets(&insts), &Device::new(Platform::Skl));
    known.into_iter().map(|(offset, trips)| (offset / 16, trips)).collect()
}

const INIT: &str = "mov(8) g2<1>D 0D { align1 1Q };\n";

#[test]
fn a_counter_with_constants_gives_the_number_of_trips() {
    assert_eq!(trips(&format!("{INIT}{}", looped(MOV))), [(1, 64)]);
    // A constant of another register, and a copy of the initial value.
    let copied = "mov(8) g7<1>D 6D { align1 1Q };\nmov(8) g2<1>D g7<8,8,1>D { align1 1Q };\n\
                  mov(8) g8<1>D 20D { align1 1Q };\n";
    let code = format!("{copied}{}", looped(MOV).replace("64D", "g8<8,8,1>D"));
    assert_eq!(trips(&code), [(3, 14)]);
    // A test at the start: the instructions behind it run three times.
    let code = format!(
        "{INIT}again:\ncmp.ge.f0.0(8) null<1>D g2<8,8,1>D 9D {{ align1 1Q }};\n\
         (+f0.0) break(8) JIP: end UIP: end {{ align1 1Q }};\n{MOV}{MOV}\
         add(8) g2<1>D g2<8,8,1>D 3D {{ align1 1Q }};\nend:\nwhile(8) JIP: again {{ align1 1Q }};\n"
    );
    assert_eq!(trips(&code), [(1, 3)]);
    let inverse = code.replace("cmp.ge", "cmp.l").replace("(+f0.0)", "(-f0.0)");
    assert_eq!(trips(&inverse), [(1, 3)]);
    assert_eq!(trips(&code.replace(" 9D", " 0D")), [(1, 1)]);
}

#[test]
fn trips_that_the_code_does_not_show_are_unknown() {
    let loops = looped(MOV);
    let none: &[(usize, u64)] = &[];
    assert_eq!(trips(&loops), none, "no initial value");
    let partial = INIT.replace("mov(8)", "(+f0.0) mov(8)");
    assert_eq!(trips(&format!("{partial}{loops}")), none, "the initial value is predicated");
    let code = format!("{INIT}{}", looped("mov(8) g2<1>D g4<8,8,1>D { align1 1Q };\n"));
    assert_eq!(trips(&code), none, "another write");
    let code = format!("{INIT}{}", loops.replace("1D {", "g5<8,8,1>D {"));
    assert_eq!(trips(&code), none, "the step is no constant");
    let code = format!("{INIT}{}", loops.replace("64D", "g8<8,8,1>D"));
    assert_eq!(trips(&code), none, "the limit is no constant");
    let leave = "(+f0.0) break(8) JIP: end UIP: end { align1 1Q };\n";
    let code = format!("{INIT}{}", looped(leave).replace("(+f0.0) while", "end:\n(+f0.0) while"));
    assert_eq!(trips(&code), none, "two exits");
    let endless = loops.replace("cmp.l", "cmp.nz").replace("1D {", "2D {").replace("64D", "63D");
    assert_eq!(trips(&format!("{INIT}{endless}")), none, "too many trips");
    // The inner loop's counter keeps its value in the outer loop, whose own counter is another.
    let outer = format!(
        "mov(8) g9<1>D 0D {{ align1 1Q }};\n{INIT}outer:\n{loops}\
         add(8) g9<1>D g9<8,8,1>D 1D {{ align1 1Q }};\n\
         cmp.l.f0.0(8) null<1>D g9<8,8,1>D 5D {{ align1 1Q }};\n\
         (+f0.0) while(8) JIP: outer {{ align1 1Q }};\n"
    );
    let outer = outer.replace("outer:\nagain:\n", &format!("outer:\n{MOV}again:\n"));
    assert_eq!(trips(&outer), [(2, 5)]);
}
