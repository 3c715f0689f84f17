//! Rewrite rules as tables. A rule has a pattern of operations, a replacement, and conditions.
//!
//! For example, `(IAdd a 0) => a;` removes the addition of zero. In [`rules!`]:
//!
//! - `(IAdd a 0)` is an operation with its sources;
//! - a lower-case letter is any source; the same letter again is the same source;
//! - a letter in brackets, `[b]`, is a source that is a constant;
//! - a number is a constant of this value (a float where the operation reads a float); `{-1}` is a negative one;
//! - in a replacement, `[log2 b]` is the constant that the function `log2` computes from the constant `b`.
//!
//! A rule with `=>` keeps every bit of defined results. A rule with `->` may change a float result; it does not apply
//! to `exact` operations. Conditions follow after `if`.
//!
//! Most rules do not apply to most instructions, so the tables are indexed by the operation at the root, and each row
//! has a filter on the operations that define the sources ([`Row`]).

mod filter;

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use filter::{CONSTANT, Source, ZERO, inner_kinds, operation};

use super::range::signed_range;
use super::{Action, const_src, fold};
use crate::analysis::use_counts;
use crate::ir::{
    AluOp, BitRule, Builder, Class, FloatControls, Function, InstData, InstId, InstKind, Shader,
    Src, Srcs, Ty, Value,
};

/// A pattern to match, or a replacement to build.
#[derive(Debug)]
pub(crate) enum Pat {
    /// The source bound to the letter with this number.
    Any(usize),
    /// The source bound to the letter with this number, which must be a constant.
    Const(usize),
    /// A constant of this value.
    Num(f64),
    /// A constant computed by a function from the constant bound to a letter. The function gets the bit size and the
    /// bits.
    Calc(fn(u32, u64) -> u64, usize),
    /// An operation with patterns for its sources.
    Op(AluOp, &'static [Pat]),
}

impl Pat {
    /// A quick test by the definition of the source: false if the pattern cannot match it.
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

    /// The filter bits (as [`Source::kind`] makes them) that the definition of a source must have to match.
    fn kind(&self) -> u64 {
        match self {
            Pat::Any(_) | Pat::Calc(..) => 0,
            Pat::Const(_) => CONSTANT,
            Pat::Num(number) if *number == 0.0 => CONSTANT | ZERO,
            Pat::Num(_) => CONSTANT,
            Pat::Op(op, _) => operation(*op),
        }
    }

    /// The filter bits that the sources of this operation together must have to match.
    fn inner_kinds(&self) -> u64 {
        match self {
            Pat::Op(_, pats) => pats.iter().fold(0, |kinds, pat| kinds | pat.kind()),
            _ => 0,
        }
    }

    /// The set of letters in the pattern: bit `i` is letter number `i`.
    fn letters(&self) -> u32 {
        match self {
            Pat::Any(at) | Pat::Const(at) | Pat::Calc(_, at) => 1 << at,
            Pat::Num(_) => 0,
            Pat::Op(_, pats) => pats.iter().fold(0, |letters, pat| letters | pat.letters()),
        }
    }
}

/// A row of a rule table.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The operation at the root of the pattern.
    pub(crate) op: AluOp,
    /// The patterns of its sources.
    pub(crate) srcs: &'static [Pat],
    /// The replacement.
    pub(crate) with: Pat,
    /// Whether a float result may change.
    pub(crate) inexact: bool,
    /// The condition, if there is one.
    pub(crate) when: Option<fn(&Match<'_>) -> bool>,
}

impl Rule {
    /// A quick test by the definitions of the root's sources: false if the rule cannot apply.
    fn may_apply(&self, defs: &[Source]) -> bool {
        let row = self.op.row();
        let fits = |a: usize, b: usize| self.srcs[a].may_fit(defs[b], row.srcs[a].class);
        match self.srcs {
            [_, _] if row.commutative => fits(0, 0) && fits(1, 1) || fits(0, 1) && fits(1, 0),
            pats => (0..pats.len()).all(|i| fits(i, i)),
        }
    }

    /// Whether a letter occurs twice among the root's direct sources.
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

/// The number of a letter: 0 for `a`.
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

/// The bindings of letters to sources while a rule is tried.
#[derive(Debug)]
pub(crate) struct Match<'f> {
    /// The function.
    pub(crate) func: &'f Function,
    /// The type of the result at the root.
    pub(crate) ty: Ty,
    bound: Bound,
    /// The operations below the root that the pattern matched.
    inner: SmallVec<[InstId; 4]>,
    /// Number of uses of each value.
    uses: &'f [u32],
}

impl Match<'_> {
    /// The bit size of the source bound to a letter.
    pub(crate) fn bits(&self, at: usize) -> u32 {
        self.bound[at].map_or(0, |(src, _)| self.func.ty(src.value).bits())
    }

    /// The bit size of the result of the first matched operation below the root.
    pub(crate) fn inner_bits(&self) -> u32 {
        self.inner.first().map_or(0, |&inst| self.func.ty(self.func.inst(inst).results[0]).bits())
    }

    /// Bounds of the 32-bit source bound to a letter, see [`signed_range`].
    pub(crate) fn range(&self, at: usize) -> RangeInclusive<i64> {
        self.bound[at].map_or(i64::MIN..=i64::MAX, |(src, _)| signed_range(self.func, src))
    }

    /// The components of the constant bound to a letter; `None` if the source is not constant.
    pub(crate) fn consts(&self, at: usize) -> Option<SmallVec<[u64; 4]>> {
        let (src, count) = self.bound[at]?;
        let count = usize::from(count);
        let bits = const_src(self.func, src, count)?;
        Some(SmallVec::from_slice(&bits[..count]))
    }

    /// Whether the source bound to a letter is constant and `f` holds for each of its components. `f` gets the bit
    /// size and the bits.
    pub(crate) fn all(&self, at: usize, f: impl Fn(u32, u64) -> bool) -> bool {
        let bits = self.bits(at);
        self.consts(at).is_some_and(|comps| comps.iter().all(|&c| f(bits, c)))
    }

    /// Whether the source bound to a letter is the result of a comparison of numbers.
    pub(crate) fn is_comparison(&self, at: usize) -> bool {
        let Some((src, _)) = self.bound[at] else { return false };
        match self.func.def(src.value).map(|inst| &inst.kind) {
            Some(InstKind::Alu { srcs, .. }) => {
                self.func.ty(src.value).is_bool()
                    && srcs.first().is_some_and(|src| !self.func.ty(src.value).is_bool())
            }
            _ => false,
        }
    }

    /// Whether the results of all matched operations below the root have only one use, so that they become dead.
    pub(crate) fn inner_used_once(&self) -> bool {
        self.inner.iter().all(|&inst| {
            let value = self.func.inst(inst).results[0];
            self.uses.get(value.index()).is_some_and(|&uses| uses == 1)
        })
    }

    /// Whether two sources read the same components of one value, or equal constants.
    fn are_equal(&self, x: Src, y: Src, count: usize) -> bool {
        if x.value == y.value && x.swizzle[..count] == y.swizzle[..count] {
            return true;
        }
        let constant = const_src(self.func, x, count);
        constant.is_some()
            && constant == const_src(self.func, y, count)
            && self.func.ty(x.value).bits() == self.func.ty(y.value).bits()
    }

    /// Matches one source, of which `count` components are read, and binds the letters in it.
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
                        n == count && self.are_equal(old, src, n)
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

    /// Matches the sources of an operation with a result of `comps` components. `outer` is the swizzle and number of
    /// components with which the result is read; `None` if all of it is read in order. Tries both orders of commutative
    /// operations, and undoes the bindings of a failed attempt.
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

/// Whether a constant equals a number of a pattern. The number 0 matches both float zeros.
fn is_number(number: f64, constant: u64, bits: u32, class: Class) -> bool {
    encode(number, bits, class) == Some(constant)
        || class == Class::Float && number == 0.0 && constant == 1 << (bits - 1)
}

/// The bits of a number in an operand of this class; `None` if the operand cannot represent it.
fn encode(number: f64, bits: u32, class: Class) -> Option<u64> {
    if class != Class::Float {
        let whole = number as i64;
        return (whole as f64 == number).then_some(whole as u64 & (u64::MAX >> (64 - bits)));
    }
    match bits {
        // The tables only contain numbers whose binary16 form is exact: few significant bits, normal range.
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

/// Rules, indexed by the operation at the root.
#[derive(Debug)]
pub(crate) struct RuleSet {
    by_op: Vec<Vec<Row>>,
}

/// A rule with its filters, which reject most instructions quickly.
#[derive(Clone, Debug)]
struct Row {
    rule: &'static Rule,
    /// Filter bits that the root's sources together must have.
    kinds: u64,
    /// Filter bits that the sources of the root's sources together must have.
    inner: u64,
    /// Whether two sources of the root must be the same.
    repeats: bool,
}

impl RuleSet {
    /// Indexes the rules. Rules of earlier tables, and earlier rules of a table, are tried first.
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

    /// Applies the rules to every instruction once. Returns whether a rule applied.
    pub(crate) fn apply(&self, shader: &mut Shader) -> bool {
        self.apply_where(shader, &|_, _| true)
    }

    /// Applies the rules to the instructions for whose operation and result type `wanted` returns true.
    pub(crate) fn apply_where(
        &self,
        shader: &mut Shader,
        wanted: &dyn Fn(AluOp, Ty) -> bool,
    ) -> bool {
        self.apply_all(shader, wanted, &|_| true, |shader| use_counts(&shader.func))
    }

    /// As [`apply_where`](RuleSet::apply_where), with another number of uses for some values: `count` returns one for each
    /// value. See [`Match::inner_used_once`].
    pub(crate) fn apply_counting(
        &self,
        shader: &mut Shader,
        wanted: &dyn Fn(AluOp, Ty) -> bool,
        count: fn(&Shader) -> Vec<u32>,
    ) -> bool {
        self.apply_all(shader, wanted, &|_| true, count)
    }

    /// Applies the rules to the instructions for whose result `wanted` returns true.
    pub(crate) fn apply_to(&self, shader: &mut Shader, wanted: &dyn Fn(Value) -> bool) -> bool {
        self.apply_all(shader, &|_, _| true, wanted, |shader| use_counts(&shader.func))
    }

    fn apply_all(
        &self,
        shader: &mut Shader,
        wanted: &dyn Fn(AluOp, Ty) -> bool,
        results: &dyn Fn(Value) -> bool,
        count: fn(&Shader) -> Vec<u32>,
    ) -> bool {
        let concerns = |inst: &InstData| match (&inst.kind, &inst.results[..]) {
            (InstKind::Alu { op, .. }, [result]) => {
                !self.by_op[*op as usize].is_empty()
                    && wanted(*op, shader.func.ty(*result))
                    && results(*result)
            }
            _ => false,
        };
        if !shader.func.may_have(concerns) {
            return false;
        }
        let controls = shader.float_controls;
        let uses = count(shader);
        let apply = Apply { set: self, uses: &uses, controls, wanted };
        let mut changed = false;
        super::rewrite(&mut shader.func, |b, _, inst| match b.func.inst(inst).results[..] {
            [result] if results(result) => apply.to(b, inst, &mut changed),
            _ => Action::Keep,
        });
        changed
    }
}

/// The state while a rule set is applied to a function.
struct Apply<'r> {
    set: &'r RuleSet,
    /// For each value that existed at the start, the number of sources that read it.
    uses: &'r [u32],
    /// The float modes of the shader.
    controls: FloatControls,
    wanted: &'r dyn Fn(AluOp, Ty) -> bool,
}

/// A rule that applies.
struct Found {
    rule: &'static Rule,
    bound: Bound,
    /// Whether a matched operation is exact. Then the replacement is exact too.
    exact: bool,
}

/// The replacement of an operation.
enum Instead {
    /// An operation to make. Rules may then apply to it.
    Op(AluOp, Srcs),
    /// An existing source.
    Src(Src),
}

impl Apply<'_> {
    /// Applies rules to an instruction repeatedly, until none applies or the limit is reached.
    fn to(&self, b: &mut Builder<'_>, inst: InstId, changed: &mut bool) -> Action {
        let mut left = MAX_RULES;
        loop {
            let data = b.func.inst(inst);
            let InstKind::Alu { op, srcs, exact } = &data.kind else { break };
            let (op, ty) = (*op, b.func.ty(data.results[0]));
            // An earlier rewrite of this traversal may have made a source constant.
            if *changed && let Some(bits) = fold(b.func, self.controls, op, ty, srcs) {
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

    /// Finds the first rule that applies to an operation with a result of type `ty`.
    fn find(&self, func: &Function, op: AluOp, srcs: &Srcs, exact: bool, ty: Ty) -> Option<Found> {
        let rows = &self.set.by_op[op as usize];
        if rows.is_empty() || !(self.wanted)(op, ty) {
            return None;
        }
        let sizes = self.controls.signed_zero_inf_nan_preserve;
        let preserve = sizes & (ty.bits() as u8 >> 4) != 0;
        let mut defs = [Source::Other; 4];
        let mut kinds = 0;
        for (def, &src) in defs.iter_mut().zip(srcs) {
            *def = Source::new(func, src);
            kinds |= def.kind();
        }
        let strict = exact || preserve;
        // Computed only if a rule needs it: these filter bits take longer to find.
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
            let attempt = |srcs: &Srcs| {
                let (bound, inner) = ([None; LETTERS], SmallVec::new());
                let mut m = Match { func, ty, bound, inner, uses: self.uses };
                if !m.srcs(op, rule.srcs, srcs, ty.comps(), None) {
                    return None;
                }
                let is_exact = |&inst: &InstId| {
                    matches!(func.inst(inst).kind, InstKind::Alu { exact: true, .. })
                };
                let exact = exact || m.inner.iter().any(is_exact);
                let applies =
                    !(rule.inexact && (exact || preserve)) && rule.when.is_none_or(|when| when(&m));
                applies.then_some(Found { rule, bound: m.bound, exact })
            };
            let found = attempt(srcs).or_else(|| {
                // Both orders may fit the pattern, and only one the condition.
                let [first, second] = srcs[..] else { return None };
                let two = op.row().commutative && (rule.when.is_some() || rule.inexact);
                two.then(|| attempt(&Srcs::from_slice(&[second, first]))).flatten()
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Builds a replacement of type `ty`. Operations whose bit size does not follow from the result (comparisons)
    /// take it from their sources. `left` is the number of rules that may still apply.
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

    /// Makes an operation, after rules were applied to it.
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
            if let Some(bits) = fold(b.func, self.controls, op, ty, &srcs) {
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

    /// The replacement that a found rule gives for an operation with a result of type `ty`. Inner operations are built;
    /// the outermost is returned, so that further rules can apply to it. `left`, which must not be 0, is the number of
    /// rules that may still apply; this takes one.
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

    /// Builds the sources of an operation of the replacement.
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
        // The operation's bit size: that of the result or, for a comparison, of a source whose size is known.
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

/// Greatest number of rules that apply to one instruction and to its replacements. Most instructions need at most two;
/// the limit ends the process if two rules undo each other.
const MAX_RULES: usize = 16;

/// For each letter: the source it is bound to, and the number of components that are read of it.
type Bound = [Option<(Src, u8)>; LETTERS];

/// The bit size of a replacement, if it follows from a bound source.
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
mod tests;
