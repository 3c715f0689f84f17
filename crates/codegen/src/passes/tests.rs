//! Passes on small programs: what they must change and what they must leave alone.

use super::*;
use crate::ir::{Builder, Effect, Flag, Function, Message, Op, Operand, Region, Space};
use crate::verify::verify;
use crestline_device::Platform;
use crestline_isa::message as isa;
use crestline_isa::{ArfKind, CondMod, Opcode, Type};

fn skl() -> Target {
    Target::of(Platform::Skl)
}

/// Runs a pass on a program, with a verification before and after it. Returns whether the pass changed anything, and
/// the lines of the program after it.
fn run(pass: PassFn, f: &mut Function) -> (bool, Vec<String>) {
    verify(f).unwrap();
    let changed = pass(f, &skl()).unwrap();
    verify(f).unwrap();
    (changed, f.insts().map(ToString::to_string).collect())
}

fn program(width: u8, build: impl FnOnce(&mut Builder<'_>)) -> Function {
    let mut f = Function::new(width);
    f.payload_registers = 8;
    build(&mut Builder::new(&mut f));
    f
}

fn g(nr: u32, ty: Type) -> Operand {
    Operand::grf(nr, ty)
}

fn end(b: &mut Builder<'_>, value: Operand) {
    b.mov(g(100, value.ty), value);
}

mod copy_propagation {
    use super::*;

    fn lines(width: u8, build: impl FnOnce(&mut Builder<'_>)) -> Vec<String> {
        run(opt_copy_propagation, &mut program(width, build)).1
    }

    #[test]
    fn a_copy_of_packed_elements_does_not_pack_them_again() {
        let found = lines(8, |b| {
            let halves = b.lanes(Type::Ud, 1).retype(Type::Uw).with_stride(2);
            let (v, w) = (b.lanes(Type::Uw, 1), b.lanes(Type::Uw, 1));
            b.mov(v, halves);
            b.mov(w, v);
            end(b, w);
        });
        assert_eq!(found[1], "mov(8) v2<1>:UW, v1<1>:UW");
    }

    #[test]
    fn copies_constants_and_modifiers_reach_their_readers() {
        let found = lines(16, |b| {
            let (v, n) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            b.mov(v, g(2, Type::F));
            b.mov(n, v.negated());
            b.add(g(100, Type::F), n, v);
            let c = b.lanes(Type::F, 1);
            b.mov(c, Operand::imm_f(2.0));
            b.mul(g(102, Type::F), c, v);
        });
        assert_eq!(found[2], "add(16) g100<1>:F, -g2<1>:F, g2<1>:F");
        assert_eq!(found[4], "mul(16) g102<1>:F, g2<1>:F, 0x40000000:F");
    }

    #[test]
    fn parts_of_copied_bytes_are_found() {
        let found = lines(16, |b| {
            let v = b.lanes(Type::Ud, 1);
            b.mov(v, g(2, Type::Ud));
            b.exec(8).group(8).mov(g(100, Type::Ud), v.byte_offset(32));
            b.mov(g(102, Type::Ud), v.subscript(Type::Uw, 1).unwrap());
        });
        assert_eq!(found[1], "mov(8) g100<1>:UD, g3<1>:UD {group 8}");
        assert_eq!(found[2], "mov(16) g102<1>:UD, g2+2<2>:UW");
    }

    #[test]
    fn a_channel_may_not_read_what_a_masked_copy_made_for_another() {
        let found = lines(16, |b| {
            let v = b.lanes(Type::Ud, 1);
            b.mov(v, g(2, Type::Ud));
            b.exec(8).mov(g(100, Type::Ud), v.byte_offset(32));
            b.no_mask().mov(g(102, Type::Ud), v);
            b.mov(g(104, Type::Ud), v.with_stride(0));
        });
        assert!(found[1..].iter().all(|line| line.contains("v0")), "{found:?}");
    }

    #[test]
    fn overwritten_sources_stop_it() {
        let found = lines(8, |b| {
            let (v, w) = (b.lanes(Type::Ud, 1), b.lanes(Type::Ud, 1));
            b.mov(w, g(2, Type::Ud));
            b.mov(v, w);
            b.mov(w, Operand::imm_ud(1));
            b.mov(g(100, Type::Ud), v);
        });
        assert_eq!(found[3], "mov(8) g100<1>:UD, g2<1>:UD");
        let found = lines(8, |b| {
            let (v, w) = (b.lanes(Type::Ud, 1), b.lanes(Type::Ud, 1));
            b.add(w, g(2, Type::Ud), g(3, Type::Ud));
            b.mov(v, w);
            b.add(w, w, Operand::imm_ud(1));
            b.mov(g(100, Type::Ud), v);
        });
        assert_eq!(found[3], "mov(8) g100<1>:UD, v0<1>:UD");
    }

    #[test]
    fn predicated_saturated_and_converting_moves_are_no_copies() {
        let found = lines(8, |b| {
            let v = b.lanes(Type::F, 3);
            b.predicated(Flag::Fixed(0), false).mov(v, g(2, Type::F));
            b.mov(v.byte_offset(32), g(3, Type::F)).saturate = true;
            b.mov(v.byte_offset(64), g(4, Type::D));
            for part in 0..3 {
                end(b, v.byte_offset(32 * part));
            }
        });
        assert!(found[3..].iter().all(|line| line.contains("v0")), "{found:?}");
    }

    #[test]
    fn instructions_stay_legal() {
        let found = lines(8, |b| {
            let (c, s) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            b.mov(c, Operand::imm_f(2.0));
            b.mov(s, g(2, Type::F).with_stride(2));
            b.mad(g(100, Type::F), c, s, g(6, Type::F));
            b.math(crestline_isa::MathFn::Inv, g(101, Type::F), &[s]);
            let shifted = b.lanes(Type::Ud, 1);
            b.mov(shifted, Operand::imm_ud(1));
            b.shl(g(102, Type::Ud), shifted, g(5, Type::Ud));
        });
        assert_eq!(found[2], "mad(8) g100<1>:F, v0<1>:F, v1<1>:F, g6<1>:F");
        assert_eq!(found[3], "math.inv(8) g101<1>:F, v1<1>:F");
        assert_eq!(found[5], "shl(8) g102<1>:UD, v2<1>:UD, g5<1>:UD");
    }

    #[test]
    fn integer_modifiers_reach_only_readers_that_wrap_around() {
        let found = lines(8, |b| {
            let v = b.lanes(Type::D, 1);
            let (g3, null) = (g(3, Type::D), Operand::null(Type::D));
            b.mov(v, g(2, Type::D).negated());
            b.add(g(100, Type::D), v, g3);
            b.mul(g(101, Type::D), g3, v);
            b.cmp(null, v, CondMod::L, g3, Flag::Fixed(0));
            b.asr(g(102, Type::D), v, Operand::imm_ud(3));
            b.mov(g(103, Type::F), v);
            b.sel(g(104, Type::D), v, g3).cond_mod = CondMod::L;
            b.add(g(105, Type::D), v, g3).saturate = true;
            b.mul(Operand::arf(ArfKind::Accumulator, 0, Type::D), v, g3);
        });
        assert_eq!(found[1], "add(8) g100<1>:D, -g2<1>:D, g3<1>:D");
        assert_eq!(found[2], "mul(8) g101<1>:D, g3<1>:D, -g2<1>:D");
        assert!(found[3..].iter().all(|line| line.contains("v0<1>:D")), "{found:?}");
    }

    #[test]
    fn logic_operations_take_no_arithmetic_negation() {
        let found = lines(8, |b| {
            let v = b.lanes(Type::D, 1);
            b.mov(v, g(2, Type::D).negated());
            b.and(g(100, Type::D), v, g(3, Type::D));
        });
        assert!(found[1].contains("v0"), "{found:?}");
    }
}

mod dead_code {
    use super::*;

    #[test]
    fn unread_results_and_flags_go() {
        let mut f = program(8, |b| {
            let (v, w) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            b.mov(v, g(2, Type::F));
            b.add(w, v, v);
            let flag = b.flag();
            let inst = b.add(g(100, Type::F), g(2, Type::F), g(3, Type::F));
            inst.cond_mod = CondMod::Nz;
            inst.flag = flag;
            let flag = b.flag();
            let mask = b.lanes(Type::D, 1);
            b.cmp(mask, g(2, Type::D), CondMod::G, Operand::imm_d(0), flag);
            b.predicated(flag, false).mov(g(101, Type::F), g(2, Type::F));
        });
        let (changed, lines) = run(opt_dead_code, &mut f);
        assert!(changed);
        assert_eq!(
            lines,
            [
                "add(8) g100<1>:F, g2<1>:F, g3<1>:F",
                "cmp.g.vf3(8) null:D, g2<1>:D, 0x0:D",
                "(+vf3) mov(8) g101<1>:F, g2<1>:F"
            ]
        );
    }

    #[test]
    fn effects_partial_writes_and_accumulators_stay() {
        let mut f = program(8, |b| {
            let v = b.lanes(Type::Ud, 1);
            b.mov(v, g(2, Type::Ud));
            b.predicated(Flag::Fixed(0), false).mov(v, g(3, Type::Ud));
            end(b, v);
            let acc = Operand::arf(ArfKind::Accumulator, 0, Type::Ud);
            b.mul(acc, g(2, Type::Ud), g(3, Type::Ud));
            b.mach(g(101, Type::Ud), g(2, Type::Ud), g(3, Type::Ud)).acc_wr_en = true;
            let null = Operand::null(Type::Ud);
            let payload = b.lanes(Type::Ud, 1);
            b.mov(payload, g(4, Type::Ud));
            b.message(store(), null, null, &[payload]);
        });
        let count = f.inst_count();
        assert_eq!(run(opt_dead_code, &mut f).1.len(), count);
    }

    /// A program with a SIMD16 sampler message, of whose response component 1 is read.
    fn sampled(op: isa::SamplerOp, headers: u8) -> Function {
        program(16, |b| {
            let null = Operand::null(Type::Ud);
            let (payload, texel) = (b.lanes(Type::Ud, 1), b.lanes(Type::Ud, 4));
            b.mov(payload, g(2, Type::Ud));
            let simd = isa::SamplerSimd::Simd16;
            let kind =
                isa::Message::Sample { op, bti: isa::Bti(0), sampler: 0, simd, half_return: false };
            let effect = Effect::Pure;
            let sample =
                Message { kind, headers, first: 1 + headers, response: 256, effect, ..store() };
            let header = vec![g(0, Type::Ud); usize::from(headers)];
            b.message(sample, texel, null, &[header, vec![payload]].concat());
            end(b, texel.byte_offset(64));
        })
    }

    #[test]
    fn responses_end_behind_the_last_used_component() {
        let mut f = sampled(isa::SamplerOp::Sample, 0);
        let (changed, lines) = run(opt_dead_code, &mut f);
        assert!(changed && lines[1].contains("response 128"), "{lines:?}");
        let sizes: Vec<u32> = f.vregs.iter().map(|(_, info)| info.bytes).collect();
        assert_eq!(sizes, [64, 128]);
        for (op, headers) in [(isa::SamplerOp::Gather4, 0), (isa::SamplerOp::Sample, 1)] {
            assert!(!run(opt_dead_code, &mut sampled(op, headers)).0);
        }
        let bdw = Target::of(Platform::Bdw);
        assert!(!opt_dead_code(&mut sampled(isa::SamplerOp::Sample, 0), &bdw).unwrap());
    }

    #[test]
    fn a_loop_keeps_what_the_next_round_reads() {
        let mut f = program(8, |b| {
            let v = b.lanes(Type::D, 1);
            b.mov(v, Operand::imm_d(0));
            b.do_();
            b.mov(g(100, Type::D), v);
            b.add(v, v, Operand::imm_d(1));
            b.predicated(Flag::Fixed(0), false).while_();
            end(b, g(2, Type::D));
        });
        let count = f.inst_count();
        let (changed, lines) = run(opt_dead_code, &mut f);
        assert!(!changed && lines.len() == count);
    }
}

fn store() -> Message {
    let (bti, simd, mask) = (isa::Bti(0), isa::SimdMode::Simd8, isa::ChannelMask(1));
    Message {
        kind: isa::Message::UntypedWrite { bti, simd, mask },
        headers: 0,
        first: 1,
        lengths: [0; 2],
        response: 0,
        eot: false,
        check: false,
        effect: Effect::Write,
        space: Space::Global,
    }
}

mod cmod_propagation {
    use super::*;

    fn outcome(build: impl FnOnce(&mut Builder<'_>, Operand, Flag)) -> (bool, Vec<String>) {
        let mut f = program(16, |b| {
            let (v, flag) = (b.lanes(Type::F, 1), b.flag());
            build(b, v, flag);
            b.predicated(flag, false).mov(g(100, Type::F), v);
        });
        run(opt_cmod_propagation, &mut f)
    }

    #[test]
    fn the_maker_compares() {
        let (changed, lines) = outcome(|b, v, flag| {
            b.add(v, g(2, Type::F), g(4, Type::F));
            b.cmp(Operand::null(Type::F), v, CondMod::L, Operand::imm_f(0.0), flag);
        });
        assert!(changed);
        assert_eq!(lines[0], "add.l.vf1(16) v0<1>:F, g2<1>:F, g4<1>:F");
        assert_eq!(lines.len(), 2);
        let (changed, _) = outcome(|b, v, flag| {
            let bits = v.retype(Type::Ud);
            b.and(bits, g(2, Type::Ud), Operand::imm_ud(4));
            b.cmp(Operand::null(Type::D), v.retype(Type::D), CondMod::Nz, Operand::imm_d(0), flag);
        });
        assert!(changed);
    }

    #[test]
    fn not_over_other_masks_other_values_or_integer_overflow() {
        let null = Operand::null(Type::F);
        let zero = Operand::imm_f(0.0);
        for (changed, lines) in [
            outcome(|b, v, flag| {
                b.predicated(Flag::Fixed(0), false).add(v, g(2, Type::F), g(4, Type::F));
                b.cmp(null, v, CondMod::L, zero, flag);
            }),
            outcome(|b, v, flag| {
                b.add(v, g(2, Type::F), g(4, Type::F));
                b.cmp(null, v, CondMod::L, Operand::imm_f(1.0), flag);
            }),
            outcome(|b, v, flag| {
                b.exec(8).add(v, g(2, Type::F), g(4, Type::F));
                b.cmp(null, v, CondMod::L, zero, flag);
            }),
            outcome(|b, v, flag| {
                b.no_mask().add(v, g(2, Type::F), g(4, Type::F));
                b.cmp(null, v, CondMod::L, zero, flag);
            }),
            outcome(|b, v, flag| {
                b.add(v, g(2, Type::F), g(4, Type::F));
                b.predicated(flag, false).mov(g(90, Type::F), g(2, Type::F));
                b.cmp(null, v, CondMod::L, zero, flag);
            }),
            outcome(|b, v, flag| {
                b.add(v.retype(Type::D), g(2, Type::D), g(4, Type::D));
                let v = v.retype(Type::D);
                b.cmp(Operand::null(Type::D), v, CondMod::L, Operand::imm_d(0), flag);
            }),
            outcome(|b, v, flag| {
                b.add(v, g(2, Type::F), g(4, Type::F)).saturate = true;
                b.cmp(null, v, CondMod::L, zero, flag);
            }),
        ] {
            assert!(!changed, "{lines:?}");
        }
    }
}

mod cse_and_saturate {
    use super::*;

    #[test]
    fn equal_computations_are_done_once() {
        let mut f = program(8, |b| {
            let (v, w) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            b.add(v, g(2, Type::F), g(3, Type::F));
            b.add(w, g(2, Type::F), g(3, Type::F));
            end(b, v);
            end(b, w);
        });
        assert_eq!(run(opt_cse, &mut f).1[1], "mov(8) v1<1>:F, v0<1>:F");
    }

    #[test]
    fn elements_are_packed_or_converted_once() {
        let mut f = program(8, |b| {
            let halves = b.lanes(Type::Ud, 1).retype(Type::Uw).with_stride(2);
            let (v, w) = (b.lanes(Type::Uw, 1), b.lanes(Type::Uw, 1));
            b.mov(v, halves);
            b.mov(w, halves);
            let (x, y) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            b.mov(x, g(2, Type::D));
            b.mov(y, g(2, Type::D));
            for result in [v, w, x, y] {
                end(b, result);
            }
        });
        let code = run(opt_cse, &mut f).1;
        assert_eq!(code[1], "mov(8) v2<1>:UW, v1<1>:UW");
        assert_eq!(code[3], "mov(8) v4<1>:F, v3<1>:F");
    }

    #[test]
    fn plain_copies_stay() {
        let mut f = program(8, |b| {
            let (v, w) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            b.mov(v, g(2, Type::F));
            b.mov(w, g(2, Type::F));
            for result in [v, w] {
                end(b, result);
            }
        });
        assert!(!run(opt_cse, &mut f).0);
    }

    #[test]
    fn different_masks_modifiers_or_changed_sources_are_not_equal() {
        let mut f = program(8, |b| {
            let (v, w) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            b.add(v, g(2, Type::F), w);
            let unmasked = b.lanes(Type::F, 1);
            b.no_mask().add(unmasked, g(2, Type::F), w);
            let (x, y) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            b.add(x, g(2, Type::F), w.negated());
            b.mov(w, g(5, Type::F));
            b.add(y, g(2, Type::F), w);
        });
        assert!(!run(opt_cse, &mut f).0);
    }

    #[test]
    fn saturation_moves_to_the_only_maker() {
        let build = |read_twice: bool| {
            program(8, |b| {
                let (v, w) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
                b.mul(v, g(2, Type::F), g(3, Type::F));
                b.mov(w, v).saturate = true;
                end(b, w);
                if read_twice {
                    end(b, v);
                }
            })
        };
        let (changed, lines) = run(opt_saturate_propagation, &mut build(false));
        assert!(changed && lines[0].starts_with("mul.sat(8)") && lines[1].starts_with("mov(8)"));
        assert!(!run(opt_saturate_propagation, &mut build(true)).0);
    }
}

mod coalescing {
    use super::*;

    #[test]
    fn values_are_made_in_their_final_place() {
        let mut f = program(16, |b| {
            let (payload, v) = (b.lanes(Type::F, 2), b.lanes(Type::F, 1));
            b.add(v, g(2, Type::F), g(4, Type::F));
            b.mov(payload.byte_offset(64), v);
            b.mov(payload, g(6, Type::F));
            end(b, payload);
            end(b, payload.byte_offset(64));
        });
        let (changed, lines) = run(opt_register_coalesce, &mut f);
        assert!(changed);
        assert_eq!(lines[0], "add(16) v0+64<1>:F, g2<1>:F, g4<1>:F");
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn a_counter_is_counted_in_place() {
        let mut f = program(16, |b| {
            let (i, next) = (b.lanes(Type::D, 1), b.lanes(Type::D, 1));
            b.mov(i, g(2, Type::D));
            b.do_();
            b.add(next, i, Operand::imm_d(1));
            b.mov(i, next);
            b.predicated(Flag::Fixed(0), false).while_();
            end(b, i);
        });
        let (changed, lines) = run(opt_register_coalesce, &mut f);
        assert!(changed && lines.contains(&"add(16) v0<1>:D, v0<1>:D, 0x1:D".to_owned()));
    }

    #[test]
    fn not_while_the_place_is_still_read() {
        let mut f = program(16, |b| {
            let (i, next) = (b.lanes(Type::D, 1), b.lanes(Type::D, 1));
            b.mov(i, g(2, Type::D));
            b.add(next, g(4, Type::D), Operand::imm_d(1));
            end(b, i);
            b.mov(i, next);
            end(b, i);
        });
        assert!(!run(opt_register_coalesce, &mut f).0);
    }

    #[test]
    fn not_across_masks() {
        let mut f = program(8, |b| {
            let (v, whole) = (b.lanes(Type::D, 1), b.lanes(Type::D, 1));
            b.no_mask().mov(v, g(2, Type::D));
            b.no_mask().add(v, v, Operand::imm_d(1));
            b.mov(whole, v);
            end(b, whole);
        });
        assert!(!run(opt_register_coalesce, &mut f).0);
    }
}

mod webs {
    use super::*;

    /// A loop over two blocks with a variable that each arm of a conditional sets.
    fn looping(b: &mut Builder<'_>, keep_old: bool) {
        let (i, next) = (b.lanes(Type::D, 1), b.lanes(Type::D, 1));
        let flag = b.flag();
        b.mov(i, g(2, Type::D));
        b.do_();
        b.cmp(Operand::null(Type::D), i, CondMod::G, Operand::imm_d(9), flag);
        b.if_(flag, false);
        b.add(next, i, Operand::imm_d(1));
        b.else_();
        b.add(next, i, Operand::imm_d(2));
        b.endif();
        if keep_old {
            end(b, i);
        }
        b.mov(i, next);
        b.predicated(flag, false).while_();
        end(b, i);
    }

    #[test]
    fn a_loop_variable_is_one_register() {
        let mut f = program(16, |b| looping(b, false));
        let (changed, lines) = run(opt_coalesce_webs, &mut f);
        assert!(changed);
        assert!(lines.iter().filter(|line| line.starts_with("mov(16) v")).count() == 1);
        assert!(lines.contains(&"add(16) v0<1>:D, v0<1>:D, 0x2:D".to_owned()), "{lines:?}");
    }

    #[test]
    fn values_needed_side_by_side_stay_apart() {
        assert!(!run(opt_coalesce_webs, &mut program(16, |b| looping(b, true))).0);
        let mut f = program(16, |b| {
            // All channels read one channel's element.
            let (i, next) = (b.lanes(Type::D, 1), b.lanes(Type::D, 1));
            b.add(next, g(2, Type::D), Operand::imm_d(1));
            b.mov(i, next);
            end(b, i.with_stride(0));
        });
        assert!(!run(opt_coalesce_webs, &mut f).0);
    }
}

mod lowering {
    use super::*;

    #[test]
    fn wide_instructions_are_split_and_hazards_copied() {
        let mut f = program(32, |b| {
            let v = b.lanes(Type::F, 1);
            b.add(v, g(2, Type::F), Operand::imm_f(1.0));
            // Later pieces would read what earlier ones have overwritten.
            let moved = Operand::vgrf(v.vreg().unwrap(), Type::F);
            b.exec(16).add(moved.byte_offset(32), moved, Operand::imm_f(1.0));
            end(b, v);
        });
        let (changed, lines) = run(lower_simd_width, &mut f);
        assert!(changed);
        assert_eq!(lines[0], "add(16) v0<1>:F, g2<1>:F, 0x3f800000:F");
        assert_eq!(lines[1], "add(16) v0+64<1>:F, g4<1>:F, 0x3f800000:F {group 16}");
        let mut f = program(16, |b| {
            let v = Operand::vgrf(b.vregs().bytes(256), Type::Df);
            b.add(v.byte_offset(64), v, v);
            end(b, v);
        });
        let lines = run(lower_simd_width, &mut f).1;
        assert!(lines[0].starts_with("mov(8) v1"), "{lines:?}");
    }

    #[test]
    fn narrowing_goes_through_the_step_the_hardware_writes() {
        let mut f = program(8, |b| {
            let v = b.lanes(Type::Uw, 1);
            b.mov(v, g(2, Type::D));
            end(b, v);
        });
        let (_, lines) = run(lower_regioning, &mut f);
        assert_eq!(lines[0], "mov(8) v1<2>:UW, g2<1>:D");
        assert_eq!(lines[1], "mov(8) v0<1>:UW, v1<2>:UW");
        // An instruction that needs no copy gets none.
        let mut f = program(8, |b| {
            let v = b.lanes(Type::D, 1);
            b.mov(v, g(2, Type::W));
            end(b, v.retype(Type::D));
        });
        assert!(!run(lower_regioning, &mut f).0);
    }

    #[test]
    fn three_source_operands_are_vectors_or_dwords() {
        let mut f = program(8, |b| {
            let scalar = b.scalar(Type::F);
            b.uniform().mov(scalar, Operand::imm_f(2.0));
            b.mad(g(100, Type::F), scalar, g(2, Type::F).with_stride(2), Operand::imm_f(3.0));
            b.uniform().mad(scalar, scalar, scalar, scalar);
            end(b, scalar);
        });
        let (_, lines) = run(lower_regioning, &mut f);
        assert!(lines.iter().any(|l| l.starts_with("mad(8) g100<1>:F, v0<0>:F, v1<1>:F, v2<0>:F")));
        assert!(lines.iter().any(|l| l.starts_with("mad(8)") && l.contains("nomask")), "{lines:?}");
    }

    #[test]
    fn payloads_in_place_are_not_copied() {
        let message = || Message { first: 1, ..store() };
        let mut f = program(16, |b| {
            let (address, data) = (b.lanes(Type::Ud, 1), b.lanes(Type::Ud, 2));
            b.mov(address, g(2, Type::Ud));
            let null = Operand::null(Type::Ud);
            b.message(message(), null, null, &[address, data, data.byte_offset(64)]);
            b.message(message(), null, null, &[address, data.byte_offset(64), data]);
        });
        let (_, lines) = run(lower_messages, &mut f);
        assert!(lines[1].starts_with("send(16) null:UD, null:UD, v0<1>:UD, v1<1>:UD"));
        assert!(lines[1].contains("mlen 2+4"));
        assert!(lines[2].starts_with("collect(16) v2<1>:UD, v1+64<1>:UD, v1<1>:UD"));
    }

    /// The lines of a program that sends the parts `u`, `v`, each of two registers, in one message for which selection asks
    /// for one payload. With `others`, more instructions read both parts.
    fn two_parts(message: Message, others: bool) -> Vec<String> {
        let mut f = program(16, |b| {
            let (u, v) = (b.lanes(Type::F, 1), b.lanes(Type::F, 1));
            b.mov(v, g(4, Type::F));
            b.mov(u, g(2, Type::F));
            let null = Operand::null(Type::Ud);
            if others {
                b.add(g(100, Type::F), u, v);
            }
            b.message(message, null, null, &[u, v]);
        });
        run(lower_messages, &mut f).1
    }

    #[test]
    fn a_message_is_divided_where_its_parts_need_no_copies() {
        let lines = two_parts(Message { first: 2, ..store() }, true);
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert!(lines[3].starts_with("send(16) null:UD, null:UD, v0<1>:UD, v1<1>:UD"), "{lines:?}");
        assert!(lines[3].contains("mlen 2+2, response 0"));
    }

    #[test]
    fn messages_that_gain_nothing_from_two_payloads_have_one() {
        // Register coalescing lets the definitions of parts that only the message reads write into its payload.
        let only = two_parts(Message { first: 2, ..store() }, false);
        // A message that ends the thread has one payload.
        let last = two_parts(Message { first: 2, eot: true, ..store() }, true);
        for lines in [only, last] {
            let [.., collect, send] = lines.as_slice() else { panic!("{lines:?}") };
            assert!(collect.starts_with("collect(16) v2<1>:UD, v0<1>:F, v1<1>:F"), "{lines:?}");
            assert!(send.contains("mlen 4"), "{lines:?}");
        }
        // Two payloads that selection asks for stay as they are.
        let asked = two_parts(Message { first: 1, ..store() }, false);
        assert!(asked[2].contains("mlen 2+2"), "{asked:?}");
    }

    #[test]
    fn high_products_use_the_accumulator_eight_channels_at_a_time() {
        let mut f = program(16, |b| {
            let v = b.lanes(Type::D, 1);
            b.emit(Op::MulHigh, v, &[g(2, Type::D), g(4, Type::D)]);
            end(b, v);
        });
        let (_, lines) = run(lower_int_multiply, &mut f);
        assert_eq!(lines[0], "mul(8) acc0<1>:D, g2<1>:D, g4<2>:UW");
        assert_eq!(lines[1], "mach(8) v0<1>:D, g2<1>:D, g4<1>:D {accwren}");
        assert_eq!(lines[2], "mul(8) acc0<1>:D, g3<1>:D, g5<2>:UW {group 8}");
    }

    #[test]
    fn shuffles_become_indirect_moves_and_those_address_set_ups() {
        let mut f = program(8, |b| {
            let v = b.lanes(Type::Ud, 1);
            b.emit(Op::Shuffle, v, &[g(2, Type::Ud), g(3, Type::Ud)]);
            b.emit(Op::Broadcast, v, &[g(2, Type::Ud), Operand::imm_ud(3)]);
            end(b, v);
        });
        let (_, lines) = run(lower_cross_channel, &mut f);
        assert!(lines[1].starts_with("mov_indirect(8) v0<1>:UD, g2<0>:UD, v1<1>:UD, 0x20:UD"));
        assert_eq!(lines[2], "mov(8) v0<1>:UD, g2+12<0>:UD");
        let mut f = program(8, |b| {
            let range = Operand::imm_ud(64);
            b.emit(Op::MovIndirect, g(9, Type::F), &[g(4, Type::F), g(3, Type::Ud), range]);
        });
        let (_, lines) = run(lower_mov_indirect, &mut f);
        assert_eq!(
            lines,
            [
                "add(8) a0<1>:UW, g3<2>:UW, 0x80:UW",
                "add(8) a0<1>:UW, a0<1>:UW, 0xeca86420:UV",
                "add(8) a0<1>:UW, a0<1>:UW, 0xeca86420:UV",
                "mov(8) g9<1>:F, g[a0.0]<1,0>:F"
            ]
        );
    }
}

#[test]
fn unsplittable_operands_are_errors() {
    let mut f = program(32, |b| {
        let region = Region::Rect { vstride: 32, width: 32, hstride: 0 };
        let v = b.lanes(Type::F, 1);
        b.emit(Op::Hw(Opcode::Mov), v, &[g(2, Type::F).with_region(region)]);
    });
    assert!(matches!(lower_simd_width(&mut f, &skl()), Err(PassError::Offset(_))));
}
