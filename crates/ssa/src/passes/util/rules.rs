//! Rewrite rules as tables: a pattern of operations, what may stand in its place, and when.
//!
//! In [`rules!`], `(IAdd a 0)` is an operation; a lower-case letter is any source, the same letter the same source; a
//! letter in brackets, `[b]`, is a source that is constant; a number is a constant of that value, float where the
//! operation reads a float, `{-1}` a negative one. In the replacement `[log2 b]` is a constant computed by a function.
//!
//! `=>` keeps every bit (of defined results), `->` may change a float result and does not apply to `exact`
//! operations. Conditions follow after `if`.

use smallvec::SmallVec;

use super::{Action, const_src, fold};
use crate::analysis::use_counts;
use crate::ir::{
    AluOp, BitRule, Builder, Class, Function, InstData, InstId, InstKind, Shader, Src, Srcs, Ty,
};

/// A pattern to find or a replacement to build.
#[derive(Debug)]
pub(crate) enum Pat {
    /// A source, by number of its letter.
    Any(usize),
    /// A source that is constant.
    Const(usize),
    /// A constant of this value.
    Num(f64),
    /// A constant computed from a constant source: bit size and bits go in.
    Calc(fn(u32, u64) -> u64, usize),
    /// An operation.
    Op(AluOp, &'static [Pat]),
}

impl Pat {
    /// Whether the source can fit as far as its definition tells: what most patterns fail by.
    fn may_fit(&self, source: Source, class: Class) -> bool {
        match (self, source) {
            (Pat::Any(_), _) | (Pat::Const(_), Source::Const { .. }) => true,
            (Pat::Num(number), Source::Const { first, bits }) => {
                is_number(*number, first, bits, class)
            }
            (Pat::Op(op, _), Source::Alu(found)) => found == *op,
            _ => false,
        }
    }

    /// The definition that a source must have to fit, in a set as [`Source::kind`] gives it.
    fn kind(&self) -> u64 {
        match self {
            Pat::Any(_) | Pat::Calc(..) => 0,
            Pat::Const(_) => CONSTANT,
            Pat::Num(number) if *number == 0.0 => CONSTANT | ZERO,
            Pat::Num(_) => CONSTANT,
            Pat::Op(op, _) => operation(*op),
        }
    }

    /// The definitions that the sources of the operation must have, likewise.
    fn inner_kinds(&self) -> u64 {
        match self {
            Pat::Op(_, pats) => pats.iter().fold(0, |kinds, pat| kinds | pat.kind()),
            _ => 0,
        }
    }

    /// The letters in it: bit `i` = letter number `i`.
    fn letters(&self) -> u32 {
        match self {
            Pat::Any(at) | Pat::Const(at) | Pat::Calc(_, at) => 1 << at,
            Pat::Num(_) => 0,
            Pat::Op(_, pats) => pats.iter().fold(0, |letters, pat| letters | pat.letters()),
        }
    }
}

/// A row of a table.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The operation at the root of the pattern.
    pub(crate) op: AluOp,
    /// The patterns of its sources.
    pub(crate) srcs: &'static [Pat],
    /// What takes the place.
    pub(crate) with: Pat,
    /// Whether a float result may change.
    pub(crate) inexact: bool,
    /// When the rule applies.
    pub(crate) when: Option<fn(&Match<'_>) -> bool>,
}

impl Rule {
    /// Whether the rule can apply as far as the definitions of the root's sources tell.
    fn may_apply(&self, defs: &[Source]) -> bool {
        let row = self.op.row();
        let fits = |a: usize, b: usize| self.srcs[a].may_fit(defs[b], row.srcs[a].class);
        match self.srcs {
            [_, _] if row.commutative => fits(0, 0) && fits(1, 1) || fits(0, 1) && fits(1, 0),
            pats => (0..pats.len()).all(|i| fits(i, i)),
        }
    }

    /// Whether a letter occurs twice among the patterns of the root's sources themselves.
    fn repeats(&self) -> bool {
        let mut seen = 0;
        self.srcs.iter().any(|pat| {
            let letter = match pat {
                Pat::Any(at) | Pat::Const(at) => 1 << at,
                _ => 0,
            };
            let again = seen & letter != 0;
            seen |= letter;
            again
        })
    }
}

/// What defines a source.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// A constant: the first component read, and the size of components.
    Const {
        first: u64,
        bits: u32,
    },
    Alu(AluOp),
    Other,
}

/// Sets of definitions: the bit of constants.
const CONSTANT: u64 = 1;
/// Sets of definitions: the bit of constants that begin with a zero of integers or floats.
const ZERO: u64 = 2;

/// Sets of definitions: the bit of an operation, which it shares with few others.
fn operation(op: AluOp) -> u64 {
    4 << (op as u32 % 62)
}

impl Source {
    /// The definition as a set.
    fn kind(self) -> u64 {
        match self {
            Source::Const { first, bits } if first == 0 || first == 1 << (bits - 1) => {
                CONSTANT | ZERO
            }
            Source::Const { .. } => CONSTANT,
            Source::Alu(op) => operation(op),
            Source::Other => 0,
        }
    }

    fn new(func: &Function, src: Src) -> Source {
        match func.def(src.value).map(|inst| &inst.kind) {
            Some(InstKind::Const(comps)) => {
                let first = comps[usize::from(src.swizzle[0])];
                Source::Const { first, bits: func.ty(src.value).bits() }
            }
            Some(InstKind::Alu { op, .. }) => Source::Alu(*op),
            _ => Source::Other,
        }
    }
}

/// The definitions among the sources of operations that are sources of the root, as a set. Which components are read is up
/// to the root's swizzles, so any vector may begin with a zero.
fn inner_kinds(func: &Function, srcs: &[Src]) -> u64 {
    let mut kinds = 0;
    for src in srcs {
        if let Some(InstKind::Alu { srcs, .. }) = func.def(src.value).map(|inst| &inst.kind) {
            for &src in srcs {
                let kind = Source::new(func, src).kind();
                kinds |= kind;
                if kind & CONSTANT != 0 && func.ty(src.value).comps() > 1 {
                    kinds |= ZERO;
                }
            }
        }
    }
    kinds
}

/// The number of a pattern's letter.
pub(crate) const fn letter(name: &str) -> usize {
    let letter = name.as_bytes()[0];
    assert!(name.len() == 1 && letter >= b'a' && letter < b'a' + LETTERS as u8);
    (letter - b'a') as usize
}

const LETTERS: usize = 6;

macro_rules! pat {
    ([$name:ident]) => { Pat::Const(letter(stringify!($name))) };
    ([$calc:ident $name:ident]) => { Pat::Calc($calc, letter(stringify!($name))) };
    (($op:ident $($src:tt)*)) => { Pat::Op(AluOp::$op, &[$(pat!($src)),*]) };
    ({$number:expr}) => { Pat::Num($number as f64) };
    ($name:ident) => { Pat::Any(letter(stringify!($name))) };
    ($number:literal) => { Pat::Num($number as f64) };
}

macro_rules! rules {
    ($(($op:ident $($src:tt)*) $arrow:tt $with:tt $(if $when:ident($($arg:ident),*))?;)+) => { &[$(
        Rule {
            op: AluOp::$op,
            srcs: &[$(pat!($src)),*],
            with: pat!($with),
            inexact: rules!(@ $arrow),
            when: rules!(@when $($when($($arg),*))?),
        },
    )+] };
    (@ =>) => { false };
    (@ ->) => { true };
    (@when) => { None };
    (@when $when:ident($($arg:ident),*)) => {
        Some(|m: &Match<'_>| $when(m, $(letter(stringify!($arg))),*))
    };
}

pub(crate) use {pat, rules};

/// Sources bound to letters while a rule is tried.
#[derive(Debug)]
pub(crate) struct Match<'f> {
    /// The function.
    pub(crate) func: &'f Function,
    /// The type of the result at the root.
    pub(crate) ty: Ty,
    bound: Bound,
    /// Inner operations that take part.
    inner: SmallVec<[InstId; 4]>,
    uses: &'f [u32],
}

impl Match<'_> {
    /// The bit size of the source at a letter.
    pub(crate) fn bits(&self, at: usize) -> u32 {
        self.bound[at].map_or(0, |(src, _)| self.func.ty(src.value).bits())
    }

    /// The components of the constant at a letter, if it is one.
    pub(crate) fn consts(&self, at: usize) -> Option<SmallVec<[u64; 4]>> {
        let (src, count) = self.bound[at]?;
        let count = usize::from(count);
        let bits = const_src(self.func, src, count)?;
        Some(SmallVec::from_slice(&bits[..count]))
    }

    /// Whether the source at a letter is constant and `f` holds for each component, given the bit size.
    pub(crate) fn all(&self, at: usize, f: impl Fn(u32, u64) -> bool) -> bool {
        let bits = self.bits(at);
        self.consts(at).is_some_and(|comps| comps.iter().all(|&c| f(bits, c)))
    }

    /// Whether every inner operation serves only this pattern.
    pub(crate) fn inner_used_once(&self) -> bool {
        self.inner.iter().all(|&inst| {
            let value = self.func.inst(inst).results[0];
            self.uses.get(value.index()).is_some_and(|&uses| uses == 1)
        })
    }

    fn src(&mut self, pat: &Pat, src: Src, count: usize, class: Class) -> bool {
        match pat {
            Pat::Any(at) | Pat::Const(at) => {
                if matches!(pat, Pat::Const(_)) && const_src(self.func, src, count).is_none() {
                    return false;
                }
                match self.bound[*at] {
                    None => {
                        self.bound[*at] = Some((src, count as u8));
                        true
                    }
                    Some((old, n)) => {
                        let n = usize::from(n);
                        n == count && old.value == src.value && old.swizzle[..n] == src.swizzle[..n]
                    }
                }
            }
            Pat::Num(number) => {
                let bits = self.func.ty(src.value).bits();
                const_src(self.func, src, count).is_some_and(|comps| {
                    comps[..count].iter().all(|&c| is_number(*number, c, bits, class))
                })
            }
            Pat::Calc(..) => false,
            Pat::Op(op, pats) => {
                let data = match self.func.value(src.value).def {
                    crate::ir::ValueDef::Result { inst, .. } => (inst, self.func.inst(inst)),
                    crate::ir::ValueDef::Param { .. } => return false,
                };
                let InstKind::Alu { op: found, srcs, .. } = &data.1.kind else { return false };
                let comps = self.func.ty(src.value).comps();
                let whole = src.is_identity(count) && count == comps;
                if found != op || !(whole || op.is_per_component()) {
                    return false;
                }
                self.inner.push(data.0);
                let outer = (!whole).then_some((src.swizzle, count));
                self.srcs(*op, pats, srcs, comps, outer)
            }
        }
    }

    /// Matches the sources of an operation with a result of `comps` components, of which `outer` tells which are read.
    fn srcs(
        &mut self,
        op: AluOp,
        pats: &[Pat],
        srcs: &Srcs,
        comps: usize,
        outer: Option<([u8; 4], usize)>,
    ) -> bool {
        let see = |i: usize| match outer {
            Some((swizzle, count)) => (srcs[i].then(swizzle), count),
            None => (srcs[i], op.src_comps(i, comps)),
        };
        let (bound, inner) = (self.bound, self.inner.len());
        let orders: &[[usize; 2]] =
            if op.row().commutative { &[[0, 1], [1, 0]] } else { &[[0, 1]] };
        for order in orders {
            let fits = pats.iter().enumerate().all(|(i, pat)| {
                let (src, count) = see(order.get(i).copied().unwrap_or(i));
                self.src(pat, src, count, op.row().srcs[i].class)
            });
            if fits {
                return true;
            }
            self.bound = bound;
            self.inner.truncate(inner);
        }
        false
    }
}

/// Whether a constant matches a number of a pattern: either zero matches a float zero.
fn is_number(number: f64, constant: u64, bits: u32, class: Class) -> bool {
    encode(number, bits, class) == Some(constant)
        || class == Class::Float && number == 0.0 && constant == 1 << (bits - 1)
}

/// The bits of a number in an operand of this class, if it has the value.
fn encode(number: f64, bits: u32, class: Class) -> Option<u64> {
    if class != Class::Float {
        let whole = number as i64;
        return (whole as f64 == number).then_some(whole as u64 & (u64::MAX >> (64 - bits)));
    }
    match bits {
        // The tables use numbers whose binary16 form is exact: a few significant bits, normal range.
        16 => Some(match number {
            0.0 => 0,
            _ => {
                let f = number.to_bits();
                (f >> 48 & 0x8000) | ((f >> 52 & 0x7ff) + 15 - 1023) << 10 | (f >> 42 & 0x3ff)
            }
        }),
        32 => Some(u64::from((number as f32).to_bits())),
        64 => Some(number.to_bits()),
        _ => None,
    }
}

/// Tables indexed by the operation at the root.
#[derive(Debug)]
pub(crate) struct RuleSet {
    by_op: Vec<Vec<Row>>,
}

/// A rule, and what tells most instructions that it does not apply to them.
#[derive(Clone, Debug)]
struct Row {
    rule: &'static Rule,
    /// The definitions that the root's sources must have among them.
    kinds: u64,
    /// The definitions that the sources of those must have among them.
    inner: u64,
    /// Whether two sources of the root must be the same value.
    repeats: bool,
}

impl RuleSet {
    /// Indexes the rules; earlier ones are tried first.
    pub(crate) fn new(tables: &[&'static [Rule]]) -> RuleSet {
        let mut by_op: Vec<Vec<Row>> = vec![Vec::new(); AluOp::all().count()];
        for rule in tables.iter().flat_map(|table| table.iter()) {
            let bound = rule.srcs.iter().fold(0, |letters, pat| letters | pat.letters());
            debug_assert!(rule.with.letters() & !bound == 0, "a letter without a source: {rule:?}");
            let kinds = rule.srcs.iter().fold(0, |kinds, pat| kinds | pat.kind());
            let inner = rule.srcs.iter().fold(0, |kinds, pat| kinds | pat.inner_kinds());
            by_op[rule.op as usize].push(Row { rule, kinds, inner, repeats: rule.repeats() });
        }
        RuleSet { by_op }
    }

    /// Applies the rules to every instruction once; returns whether one applied.
    pub(crate) fn apply(&self, shader: &mut Shader) -> bool {
        self.apply_where(shader, &|_, _| true)
    }

    /// Applies the rules to instructions whose operation and result type are `wanted`.
    pub(crate) fn apply_where(
        &self,
        shader: &mut Shader,
        wanted: &dyn Fn(AluOp, Ty) -> bool,
    ) -> bool {
        let concerns = |inst: &InstData| match (&inst.kind, &inst.results[..]) {
            (InstKind::Alu { op, .. }, [result]) => {
                !self.by_op[*op as usize].is_empty() && wanted(*op, shader.func.ty(*result))
            }
            _ => false,
        };
        if !shader.func.may_have(concerns) {
            return false;
        }
        let preserve = shader.float_controls.signed_zero_inf_nan_preserve;
        let uses = use_counts(&shader.func);
        let apply = Apply { set: self, uses: &uses, preserve, wanted };
        let mut changed = false;
        super::rewrite(&mut shader.func, |b, _, inst| apply.to(b, inst, &mut changed));
        changed
    }
}

/// The application of rules to a function.
struct Apply<'r> {
    set: &'r RuleSet,
    /// How many sources read each value that was there before.
    uses: &'r [u32],
    /// Sizes of floats whose zeros, infinities and NaNs count: bits 0, 1, 2 stand for 16, 32, 64 bits.
    preserve: u8,
    wanted: &'r dyn Fn(AluOp, Ty) -> bool,
}

/// A rule that applies.
struct Found {
    rule: &'static Rule,
    bound: Bound,
    /// Whether an operation that takes part is exact: so is what takes its place.
    exact: bool,
}

/// What a rule puts in the place of an operation.
enum Instead {
    /// An operation to make, to which rules may apply in turn.
    Op(AluOp, Srcs),
    /// A source.
    Src(Src),
}

impl Apply<'_> {
    /// Applies rules to an instruction, one after another.
    fn to(&self, b: &mut Builder<'_>, inst: InstId, changed: &mut bool) -> Action {
        let mut left = MAX_RULES;
        loop {
            let data = b.func.inst(inst);
            let InstKind::Alu { op, srcs, exact } = &data.kind else { break };
            let (op, ty) = (*op, b.func.ty(data.results[0]));
            // A source may have become constant by this walk.
            if *changed && let Some(bits) = fold(b.func, op, ty, srcs) {
                if b.func.may_change(inst) {
                    *b.func.kind_mut(inst) = InstKind::Const(bits);
                }
                break;
            }
            let found = if left > 0 { self.find(b.func, op, srcs, *exact, ty) } else { None };
            let Some(found) = found.filter(|_| b.func.may_change(inst)) else { break };
            *changed = true;
            match self.replacement(b, &found, ty, &mut left) {
                Instead::Op(op, srcs) => {
                    *b.func.kind_mut(inst) = InstKind::Alu { op, srcs, exact: found.exact };
                }
                Instead::Src(src) => return Action::Replace(src),
            }
        }
        Action::Keep
    }

    /// The first rule that applies to an operation with a result of type `ty`.
    fn find(&self, func: &Function, op: AluOp, srcs: &Srcs, exact: bool, ty: Ty) -> Option<Found> {
        let rows = &self.set.by_op[op as usize];
        if rows.is_empty() || !(self.wanted)(op, ty) {
            return None;
        }
        let preserve = self.preserve & (ty.bits() as u8 >> 4) != 0;
        let mut defs = [Source::Other; 4];
        let mut kinds = 0;
        for (def, &src) in defs.iter_mut().zip(srcs) {
            *def = Source::new(func, src);
            kinds |= def.kind();
        }
        let strict = exact || preserve;
        // Only of the sources' sources is it worth waiting for a rule that asks.
        let mut inner = None;
        let repeats = match srcs[..] {
            [a, b] => a.value == b.value,
            [a, b, c] => a.value == b.value || a.value == c.value || b.value == c.value,
            _ => true,
        };
        for row in rows {
            if row.kinds & !kinds != 0 || row.repeats && !repeats {
                continue;
            }
            let rule = row.rule;
            if row.inner != 0 {
                let inner = *inner.get_or_insert_with(|| inner_kinds(func, srcs));
                if row.inner & !inner != 0 {
                    continue;
                }
            }
            if rule.inexact && strict || !rule.may_apply(&defs) {
                continue;
            }
            let (bound, inner) = ([None; LETTERS], SmallVec::new());
            let mut m = Match { func, ty, bound, inner, uses: self.uses };
            if !m.srcs(op, rule.srcs, srcs, ty.comps(), None) {
                continue;
            }
            let is_exact =
                |&inst: &InstId| matches!(func.inst(inst).kind, InstKind::Alu { exact: true, .. });
            let exact = exact || m.inner.iter().any(is_exact);
            if rule.inexact && (exact || preserve) || !rule.when.is_none_or(|when| when(&m)) {
                continue;
            }
            return Some(Found { rule, bound: m.bound, exact });
        }
        None
    }

    /// Builds a replacement of type `ty`. Operations whose size is not known from above take it from their sources.
    /// `left`: how many more rules may apply.
    fn build(
        &self,
        b: &mut Builder<'_>,
        bound: &Bound,
        pat: &Pat,
        ty: Ty,
        class: Class,
        left: &mut usize,
    ) -> Src {
        match pat {
            Pat::Any(at) | Pat::Const(at) => {
                bound[*at].map(|(src, _)| src).expect("bound by the pattern")
            }
            Pat::Num(number) => {
                let bits = encode(*number, ty.bits(), class).unwrap_or(0);
                b.constant(ty, [bits; 4]).into()
            }
            Pat::Calc(calc, at) => {
                let (src, count) = bound[*at].expect("bound by the pattern");
                let bits = b.func.ty(src.value).bits();
                let consts = const_src(b.func, src, count.into()).unwrap_or([0; 4]);
                b.constant(ty, consts.map(|c| calc(bits, c))).into()
            }
            Pat::Op(op, pats) => {
                let srcs = self.build_srcs(b, bound, *op, pats, ty, left);
                self.make(b, *op, srcs, ty, left)
            }
        }
    }

    /// Makes an operation in the form that the rules give it.
    fn make(
        &self,
        b: &mut Builder<'_>,
        mut op: AluOp,
        mut srcs: Srcs,
        ty: Ty,
        left: &mut usize,
    ) -> Src {
        let mut exact = b.exact();
        loop {
            if let Some(bits) = fold(b.func, op, ty, &srcs) {
                return b.constant(ty, bits).into();
            }
            let found = if *left > 0 { self.find(b.func, op, &srcs, exact, ty) } else { None };
            let Some(found) = found else {
                let outer = b.set_exact(exact);
                let made = b.alu_ty(op, ty, &srcs);
                b.set_exact(outer);
                return made.into();
            };
            exact = found.exact;
            match self.replacement(b, &found, ty, left) {
                Instead::Op(new, new_srcs) => (op, srcs) = (new, new_srcs),
                Instead::Src(src) => return src,
            }
        }
    }

    /// What a rule puts in the place of an operation with a result of type `ty`; what it reads is built.
    fn replacement(&self, b: &mut Builder<'_>, found: &Found, ty: Ty, left: &mut usize) -> Instead {
        *left -= 1;
        let Found { rule, bound, exact } = found;
        let outer = b.set_exact(*exact);
        let instead = match &rule.with {
            Pat::Op(op, pats) => Instead::Op(*op, self.build_srcs(b, bound, *op, pats, ty, left)),
            pat => {
                let class = rule.op.row().result.class;
                Instead::Src(self.build(b, bound, pat, ty, class, left))
            }
        };
        b.set_exact(outer);
        instead
    }

    fn build_srcs(
        &self,
        b: &mut Builder<'_>,
        bound: &Bound,
        op: AluOp,
        pats: &[Pat],
        ty: Ty,
        left: &mut usize,
    ) -> Srcs {
        let row = op.row();
        // The operation's size: the result's, or of a comparison that of a source known already.
        let size = match row.result.bits {
            BitRule::Same => ty.bits(),
            _ => (0..pats.len())
                .filter(|&i| row.srcs[i].bits == BitRule::Same)
                .find_map(|i| known_bits(b.func, bound, &pats[i]))
                .unwrap_or(32),
        };
        (0..pats.len())
            .map(|i| {
                let bits = match row.srcs[i].bits {
                    BitRule::Is(bits) => u32::from(bits),
                    _ => size,
                };
                let comps = op.src_comps(i, ty.comps());
                let ty = Ty::new(bits, comps as u32).unwrap_or(Ty::X32);
                self.build(b, bound, &pats[i], ty, row.srcs[i].class, left)
            })
            .collect()
    }
}

/// How many rules may apply to an instruction and to what they make of it, all together, before the walk goes on. Few
/// need more than two; rules that undo each other would never end.
const MAX_RULES: usize = 16;

/// What letters stand for: a source and how many components of it are read.
type Bound = [Option<(Src, u8)>; LETTERS];

/// The bit size of a replacement, if a source tells it.
fn known_bits(func: &Function, bound: &Bound, pat: &Pat) -> Option<u32> {
    match pat {
        Pat::Any(at) | Pat::Const(at) => bound[*at].map(|(src, _)| func.ty(src.value).bits()),
        Pat::Num(_) | Pat::Calc(..) => None,
        Pat::Op(op, pats) => {
            let row = op.row();
            match row.result.bits {
                BitRule::Is(bits) => Some(u32::from(bits)),
                _ => (0..pats.len())
                    .filter(|&i| row.srcs[i].bits == BitRule::Same)
                    .find_map(|i| known_bits(func, bound, &pats[i])),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;
    use crate::verify::verify;

    /// What rules make of a body that may read `%0`, an unknown vector; without what is dead then.
    fn apply(rules: &'static [Rule], body: &str) -> String {
        let head =
            "compute \"t\" {\n local_size 1, 1, 1\n binding b0: ssbo set 0 binding 0 \"out\"\n";
        let first = "%0: 32x3 = sysval local_invocation_id\n";
        let mut shader = parse(&format!("{head}{first}{body}\nreturn\n}}")).unwrap();
        RuleSet::new(&[rules]).apply(&mut shader);
        crate::passes::opt_dce(&mut shader);
        verify(&shader).unwrap();
        shader.compact();
        let text = shader.to_string();
        let lines = text.lines().filter(|line| line.contains('='));
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.skip(1).map(|line| words(line) + "\n").collect()
    }

    static TURNS: &[Rule] = rules! {
        (IMul a 2) => (IAdd a a);
        (ISub a b) => (IMul (IMul a b) 2);
        (IMul a a) => (INot a);
    };

    #[test]
    fn what_a_rule_makes_has_rules_applied_to_it_inside_and_at_the_root() {
        let made = apply(TURNS, "%1: 32 = isub %0.x, %0.x\nstore ssbo b0, %1, %1, align 4");
        assert_eq!(made, "%1: 32 = inot %0.x\n%2: 32 = iadd %1, %1\n");
    }

    static EXACT: &[Rule] = rules! {
        (FMul (FNeg a) b) => (FSub (FRcp (FSqrt a)) (FAbs b));
        (FRcp (FSqrt a)) => (FRsq a);
        (FAbs a) -> a;
    };

    #[test]
    fn what_takes_the_place_of_exact_operations_is_exact_and_nothing_else() {
        // The inner operation alone is exact: all that is made of it is, and no rule that changes results applies.
        let made = apply(
            EXACT,
            "%1: 32 = fneg.exact %0.x
            %2: 32 = fmul %1, %0.y
            %3: 32 = fneg %0.x
            %4: 32 = fmul %3, %0.y
            store ssbo b0, %2, %4, align 4",
        );
        let expected = "%1: 32 = frsq.exact %0.x
            %2: 32 = fabs.exact %0.y
            %3: 32 = fsub.exact %1, %2
            %4: 32 = frsq %0.x
            %5: 32 = fsub %4, %0.y";
        assert_eq!(made, expected.replace("            ", "") + "\n");
    }

    static INNER: &[Rule] = rules! {
        (FAdd a b) => (FMul (FMin a b) (FAbs b));
        (FMin (FSqrt a) b) => (FMax a b);
    };

    #[test]
    fn exactness_that_a_made_operation_takes_from_its_source_ends_with_it() {
        let made = apply(
            INNER,
            "%1: 32 = fsqrt.exact %0.x
            %2: 32 = fadd %1, %0.y
            store ssbo b0, %2, %2, align 4",
        );
        let expected = "%1: 32 = fmax.exact %0.x, %0.y\n%2: 32 = fabs %0.y\n%3: 32 = fmul %1, %2\n";
        assert_eq!(made, expected);
    }

    static ENDLESS: &[Rule] = rules! {
        (IAdd a b) => (IAdd (IMul b a) (IMul a b));
        (IMul a b) => (ISub (IAdd a b) (IAdd b a));
    };

    #[test]
    fn rules_that_go_on_for_ever_end() {
        let made = apply(ENDLESS, "%1: 32 = iadd %0.x, %0.y\nstore ssbo b0, %1, %1, align 4");
        // Each rule makes two operations more.
        assert!(made.lines().count() <= 1 + 2 * MAX_RULES, "{made}");
    }
}
