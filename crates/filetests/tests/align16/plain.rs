//! Tests operations on vectors of dwords: from IR text through the whole back end.

use crate::harness::{GRF, PLATFORMS, compile, end, execute, listing, save};
use crestline_codegen::ir::{Builder, Operand, parse};
use crestline_codegen::verify::verify;
use crestline_device::{Device, Platform};
use crestline_filetests::gen7_text::{disagreements, is_known};
use crestline_isa::{AccessMode, Inst, Type};
use crestline_judges::ask;
use crestline_judges::gen4asm::Gen4Asm;

/// The program. Its inputs are the vectors of two vertices in g1 (floats 0..8 of the input) and g2 (8..16), a uniform
/// vector at byte 64 (16..20) and one at byte 80 (20..24). The results are in g96 to g101.
const PROGRAM: &str = "\
function simd8 payload 4 push 96 bytes at g1 scratch 0
registers v0:32, v1:32, v2:32, v3:32, v4:32, vf5:2, v6:32, v7:32
b0:
  mov(8) v0.xyzw:F, g1.wzyx:F {align16}
  add(8) v1.xyzw:F, v0.xyzw:F, u+64.xyzw:F {align16}
  mul(8) v1.xz:F, g1.yyyy:F, u+80.xxzz:F {align16}
  dp4(8) v2.x:F, g1.xyzw:F, v1.xyzw:F {align16}
  dp3(8) v2.yw:F, g1.xyzw:F, u+64.xyzw:F {align16}
  mov(8) v2.z:F, 0x3f800000:F {align16}
  mad(8) v3.xyzw:F, u+64.yyyy:F, g1.xyzw:F, g2.wxyz:F {align16}
  cmp.l.vf5(8) null:F, g1.xyzw:F, 0x40400000:F {align16}
  mov(8) v4.xyzw:F, 0x30383c40:VF {align16}
  (+vf5) mov(8) v4.xyzw:F, g2.xxyy:F {align16}
  mov(8) v6.xyzw:D, g1.xyzw:F {align16}
  mul(8) v6.yzw:D, v6.xyzw:D, u+64.xxxx:D {align16}
  mov(8) v7.xyzw:F, v4.wwww:F {align16}
  (+vf5.any4h) if(8) {align16}
b1:
  add(8) v7.xy:F, v7.xyzw:F, g2.xyzw:F {align16}
b2:
  endif(8) {align16}
b3:
  mov(8) g96<1>:F, 0x0:F {nomask}
  mov(8) g97<1>:F, 0x0:F {nomask}
  mov(8) g98<1>:F, 0x0:F {nomask}
  mov(8) g99<1>:F, 0x0:F {nomask}
  mov(8) g100<1>:F, 0x0:F {nomask}
  mov(8) g101<1>:F, 0x0:F {nomask}
  mov(8) g96.xyzw:F, v1.xyzw:F {align16}
  mov(8) g97.xyzw:F, v2.xyzw:F {align16}
  mov(8) g98.xyzw:F, v3.xyzw:F {align16}
  mov(8) g99.xyzw:F, v4.xyzw:F {align16}
  mov(8) g100.xyzw:D, v6.xyzw:D {align16}
  mov(8) g101.xyzw:F, v7.xyzw:F {align16}
";

/// The expected results: registers, each with a vector per vertex.
fn expected(input: &[f32]) -> Vec<[f32; 8]> {
    let (a, b) = (&input[..8], &input[8..16]);
    let (u, w) = (&input[16..20], &input[20..24]);
    let each = |f: &dyn Fn(usize, usize) -> f32| -> [f32; 8] {
        std::array::from_fn(|i| f(i / 4 * 4, i % 4))
    };
    let v1 = each(&|v, c| match c {
        0 | 2 => a[v + 1] * w[c],
        _ => a[v + 3 - c] + u[c],
    });
    let v2 = each(&|v, c| match c {
        0 => (0..4).map(|k| a[v + k] * v1[v + k]).sum(),
        2 => 1.0,
        _ => (0..3).map(|k| a[v + k] * u[k]).sum(),
    });
    let v3 = each(&|v, c| u[1] + a[v + c] * b[v + (c + 3) % 4]);
    let constants = vf(0x3038_3c40);
    let v4 = each(&|v, c| if a[v + c] < 3.0 { b[v + c / 2] } else { constants[c] });
    let v6 = each(&|v, c| match c {
        0 => f32::from_bits(a[v] as i32 as u32),
        _ => f32::from_bits((a[v + c] as i32).wrapping_mul(u[0].to_bits() as i32) as u32),
    });
    let v7 = each(&|v, c| {
        let any = a[v..v + 4].iter().any(|x| *x < 3.0);
        if any && c < 2 { v4[v + 3] + b[v + c] } else { v4[v + 3] }
    });
    vec![v1, v2, v3, v4, v6, v7]
}

/// The values of a packed vector of floats (PRM, "VF immediate").
fn vf(bits: u32) -> [f32; 4] {
    std::array::from_fn(|i| {
        let code = bits >> (8 * i) & 0xff;
        let exponent = (code >> 4 & 7) as i32 - 3;
        (1.0 + (code & 15) as f32 / 16.0) * 2f32.powi(exponent)
    })
}

/// Compiles the program, with messages that write its results.
fn code(device: &Device) -> Vec<Inst> {
    let mut function = parse(PROGRAM).unwrap_or_else(|e| panic!("{e}"));
    verify(&function).unwrap_or_else(|e| panic!("{e}"));
    let mut b = Builder::new(&mut function);
    save(&mut b, device, 0, &[96, 98, 100].map(|nr| Operand::grf(nr, Type::Ud)));
    end(&mut b, device);
    compile(&function, device, false)
}

#[test]
fn plain_programs_are_what_gen4disasm_says() {
    let Some(judge) = ask(Gen4Asm::find()) else { return };
    let insts = code(&Device::new(Platform::Ivb));
    let vectors = insts.iter().filter(|inst| inst.access_mode == AccessMode::Align16);
    let known: Vec<_> = vectors.filter(|inst| is_known(inst)).map(|i| (i, "plain")).collect();
    assert!(known.len() >= 12, "{} instructions are judged", known.len());
    assert_eq!(disagreements(&judge, &known), Vec::<String>::new());
}

#[test]
fn plain_programs_run() {
    let input: Vec<f32> = (0..24).map(|i| [0.5, 1.0, 3.0, 7.0][i / 8 % 4] + i as f32).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|value| value.to_le_bytes()).collect();
    for platform in PLATFORMS {
        let device = Device::new(platform);
        let insts = code(&device);
        for channels in [8, 4] {
            let found = execute(insts.clone(), &device, &bytes, channels, 3);
            for (register, expected) in expected(&input).into_iter().enumerate() {
                for (lane, value) in expected.into_iter().enumerate().take(channels as usize) {
                    let at = register * GRF + 4 * lane;
                    let found = u32::from_le_bytes(found[at..at + 4].try_into().expect("a dword"));
                    assert_eq!(
                        found,
                        value.to_bits(),
                        "{platform}, {channels} channels, g{}.{lane}: {} is not {value}\n{}",
                        96 + register,
                        f32::from_bits(found),
                        listing(&insts, &device)
                    );
                }
            }
        }
    }
}
