//! Converts the output of `intel-gen4disasm` to our `mesa` syntax.

use crate::flow;
use crestline_isa::*;
use std::fmt::Write;

/// Why the disassembler does not print all of an instruction, with the names of
/// `docs/isa-notes.md`; `None` if it does.
pub(crate) fn unread(i: &Inst, generation: Gen) -> Option<&'static str> {
    use Opcode::*;
    let indirect = |place| matches!(place, Place::Indirect { .. });
    let three = i.opcode.form() == Form::Three;
    let regs = || i.srcs.iter().filter_map(Src::as_reg);
    let rows: &[(bool, &str)] = &[
        (i.opcode.is_send(), "descriptors, shown as a message of another layout"),
        (flow::is_flow(i) && !shows_targets(i, generation), "targets that it does not show"),
        (
            generation >= Gen::Gen8 && (indirect(i.dst.place) || regs().any(|r| indirect(r.place))),
            "indirect operands on gen8 and gen9",
        ),
        (three && generation >= Gen::Gen8, "three sources on gen8 and gen9"),
        (
            matches!(
                i.opcode,
                Lrp | Addc
                    | Subb
                    | Bfe
                    | Bfi1
                    | Bfi2
                    | Bfrev
                    | Cbit
                    | Fbh
                    | Fbl
                    | F32To16
                    | F16To32
            ),
            "operations that it does not know",
        ),
        (
            three && i.srcs.iter().filter_map(Src::ty).chain([i.dst.ty]).any(|ty| ty != Type::F),
            "types of three sources other than F",
        ),
        (
            three && (i.predicate.ctrl != PredCtrl::None || i.cond_mod != CondMod::None),
            "flags of three sources",
        ),
        (i.srcs.iter().filter_map(Src::as_imm).any(|imm| !shows(imm)), "floats of many digits"),
    ];
    rows.iter().find(|(unread, _)| *unread).map(|(_, why)| *why)
}

/// Whether six digits show a float.
fn shows(imm: &Imm) -> bool {
    let value = f32::from_bits(imm.bits as u32);
    imm.ty != Type::F || value == 0.0 || {
        let digits = 5 - value.abs().log10().floor() as i32;
        let scale = 10_f32.powi(digits);
        (value * scale).fract() == 0.0 && value * scale / scale == value
    }
}

/// Branches whose numbers are printed.
fn shows_targets(i: &Inst, generation: Gen) -> bool {
    use Opcode::*;
    match i.opcode {
        If | Else | While => true,
        EndIf | Break | Cont | Halt => (Gen::Gen6..=Gen::Gen9).contains(&generation),
        Jmpi => generation <= Gen::Gen75 && i.branch().is_some_and(|branch| branch.jip.is_some()),
        Nop | Do => true,
        _ => false,
    }
}

/// Our text for the disassembler's.
pub(crate) fn mesa(line: &str, i: &Inst, generation: Gen) -> String {
    let (head, options) = line.split_once('{').unwrap_or((line, "}"));
    let mut words = words_of(head);
    if words.first().is_some_and(|word| word.starts_with('(') && word.contains('f')) {
        words[0] = flag(&words[0]);
    }
    let operation = usize::from(words.first().is_some_and(|word| word.starts_with('(')));
    let mut out = String::new();
    for word in &words[..=operation] {
        // Equality has two names.
        let word = flag(word).replace(".e.", ".z.").replace(".ne.", ".nz.");
        let word = word.replace(".e(", ".z(").replace(".ne(", ".nz(");
        let size = i.opcode.form() == Form::Nullary;
        let _ = write!(out, "{} ", if size { i.opcode.name() } else { &word });
    }
    let mut operands = &words[operation + 1..];
    if i.math().is_some()
        && let [function, rest @ ..] = operands
    {
        let _ = write!(out, "{function} ");
        operands = rest;
    }
    if flow::is_flow(i) {
        targets(&mut out, operands, i, generation);
    } else {
        for (n, word) in operands.iter().enumerate() {
            let _ = write!(out, "{} ", indirect(&operand(word, n, i), n, i));
        }
    }
    let options = options.replace("WE_normal", "").replace("nomask", "WE_all").replace(',', " ");
    let _ = writeln!(out, "{{{options}");
    out
}

/// The words of a line; the space within an address does not part them.
fn words_of(line: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        match out.last_mut() {
            Some(last) if last.contains('[') && !last.contains(']') => {
                last.push(' ');
                last.push_str(word);
            }
            _ => out.push(word.to_owned()),
        }
    }
    out
}

/// `f0` is the first half of it.
fn flag(word: &str) -> String {
    let Some(at) = ["f0", "f1"].iter().find_map(|name| word.find(name)) else {
        return word.to_owned();
    };
    let (before, after) = word.split_at(at + 2);
    let halves = after.starts_with(".0") || after.starts_with(".1");
    format!("{before}{}{after}", if halves { "" } else { ".0" })
}

/// The numbers of a branch, which both texts have in the units of the field.
fn targets(out: &mut String, words: &[String], i: &Inst, generation: Gen) {
    let old = generation <= Gen::Gen5;
    let words = words.iter().skip_while(|word| *word == "ip");
    // Behind the targets stand the operands that the same bits would be.
    let numbers: Vec<i32> = words
        .map_while(|word| word.strip_suffix('D').filter(|_| old).unwrap_or(word).parse().ok())
        .collect();
    let jip = if old { "Jump:" } else { "JIP:" };
    match (i.opcode, numbers.as_slice()) {
        (Opcode::Jmpi, [count]) => {
            let _ = write!(out, "{jip} {count} ");
        }
        // Count and entries to pop, as one number.
        (_, [both]) if old => {
            let _ = write!(out, "{jip} {} ", *both as i16);
            if both >> 16 & 15 != 0 {
                let _ = write!(out, "Pop: {} ", both >> 16 & 15);
            }
        }
        (_, [first]) => {
            let _ = write!(out, "{jip} {first} ");
        }
        (_, [first, second]) => {
            let (first, second) =
                if generation >= Gen::Gen8 { (first, second) } else { (second, first) };
            let _ = write!(out, "{jip} {first} ");
            if i.branch().is_some_and(|branch| branch.uip.is_some()) {
                let _ = write!(out, "UIP: {second} ");
            }
        }
        _ => {}
    }
}

/// Of a destination's address register the number is shown divided by the bytes of the type.
fn indirect(word: &str, n: usize, i: &Inst) -> String {
    match i.dst.place {
        Place::Indirect { addr, .. } if n == 0 => {
            let shown = u32::from(addr) / i.dst.ty.size();
            word.replace(&format!("a0.{shown}"), &format!("a0.{addr}"))
        }
        _ => word.to_owned(),
    }
}

/// An operand: the destination is number 0, whose half in Align16 is shown divided by the bytes
/// of the type.
fn operand(word: &str, n: usize, i: &Inst) -> String {
    let align16 = i.access_mode == AccessMode::Align16;
    if word == "null" {
        // Neither type nor stride are shown.
        let ty = i.dst.ty.name();
        return match (n, align16) {
            (0, _) => format!("null<{}>{ty}", i.dst.hstride),
            _ => String::new(),
        };
    }
    if n == 0 {
        let Place::Direct { sub: 16, .. } = i.dst.place else { return word.to_owned() };
        if !align16 || i.opcode.form() == Form::Three {
            return word.to_owned();
        }
        let size = i.dst.ty.size();
        return word.replace(&format!(".{}<", 1 / size), &format!(".{}<", 16 / size));
    }
    if let Some(value) = word.strip_suffix('F').filter(|_| !word.contains(['g', 'm', '<'])) {
        let value: f32 = value.parse().unwrap_or(f32::NAN);
        return format!("0x{:08x}F", value.to_bits());
    }
    if i.opcode.form() == Form::Three {
        return three_source(word, i.srcs.get(n - 1).and_then(Src::as_reg));
    }
    if !align16 || !word.contains('<') {
        return word.to_owned();
    }
    // Width and horizontal stride of Align16 are no fields.
    let (register, rest) = word.split_once('<').unwrap_or((word, ""));
    let (region, swizzle) = rest.split_once('>').unwrap_or((rest, ""));
    let vstride = region.split(',').next().unwrap_or("");
    format!("{register}<{vstride}>{swizzle}")
}

/// A source of three, whose type stands before its swizzle; that it is replicated is not shown.
fn three_source(word: &str, src: Option<&SrcReg>) -> String {
    let (register, rest) = word.split_once('<').unwrap_or((word, ""));
    let (_, rest) = rest.split_once('>').unwrap_or(("", rest));
    let (ty, swizzle) = rest.split_once('.').unwrap_or((rest, "xyzw"));
    match src.map(|src| src.region) {
        Some(Region::ThreeAlign16 { rep: true, .. }) => format!("{register}<0,1,0>{ty}"),
        _ => format!("{register}<4,4,1>.{swizzle}{ty}"),
    }
}
