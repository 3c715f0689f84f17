//! What a source text may be before a reader of the language sees it.
//!
//! The readers (`naga`, `glslang`) recurse over expressions and types, and copy what macros and constant arrays name, so
//! that a short text can take any stack, memory or time. Here the text is measured first, as tokens, without knowing the
//! grammar: its size, how deep brackets and operators nest ([`MAX_DEPTH`]), and how many tokens it has once macros,
//! structures and constant arrays stand for what they contain ([`MAX_TOKENS`]). The measures are upper bounds for what
//! people write, and do not depend on the machine. Names that macros paste together from parts (`##`), and arrays whose
//! length alone is large, escape them; the command line therefore runs readers in a process of its own, with limits on
//! memory and time.

mod scan;

use std::ops::Range;

use hashbrown::HashMap;

use crate::Language;
use crate::error::{ErrorCode, FrontendError, Result, SourcePosition};
use scan::{Body, Kind, Meaning, Scan, Token};

/// The most bytes of a source text.
const MAX_BYTES: usize = 4 << 20;
/// The most tokens of a source text, macros, structures and constant arrays taken for what they contain.
const MAX_TOKENS: u64 = 1 << 20;
/// The most operators and brackets that lie around one place of the text: a sum of n terms is a tree of depth n.
const MAX_DEPTH: u32 = 4096;

/// Refuses a text that could exhaust a reader's stack, memory or time.
///
/// # Errors
/// [`ErrorCode::ReaderLimit`] with the limit and, where one is to blame, the line.
pub(crate) fn check(text: &str, language: Language) -> Result<()> {
    if text.len() > MAX_BYTES {
        let detail = format!("expected at most {MAX_BYTES} bytes of text, found {}", text.len());
        return Err(FrontendError::new(ErrorCode::ReaderLimit, detail));
    }
    let scan = Scan::new(text, language, MAX_TOKENS as usize).map_err(|offset| {
        let detail = format!("expected at most {MAX_TOKENS} tokens");
        error(text, offset, detail)
    })?;
    let excess = |excess: Excess| match excess {
        Excess::Depth(offset) => {
            let detail = format!("expected at most {MAX_DEPTH} nested or chained operators");
            error(text, offset, detail)
        }
        Excess::Chain(offset) => {
            let detail =
                format!("expected a chain of at most {MAX_DEPTH} definitions that use each other");
            error(text, offset, detail)
        }
        Excess::Tokens(offset) => {
            let detail = format!(
                "expected at most {MAX_TOKENS} tokens after expansion of macros, structures and constant arrays"
            );
            error(text, offset, detail)
        }
    };
    let mut meter = Meter { scan: &scan, costs: HashMap::new() };
    for &name in scan.definitions.keys() {
        meter.define(name).map_err(excess)?;
    }
    for lines in [&scan.text, &scan.conditions] {
        let cost = meter.measure(lines, &[]).map_err(excess)?;
        if cost.size.0 > MAX_TOKENS {
            return Err(excess(Excess::Tokens(0)));
        }
    }
    Ok(())
}

/// The byte of a text where a name is declared, as far as that can be told without the grammar: where it first follows a
/// type or a word such as `var`, else where it first stands.
pub(crate) fn declaration(text: &str, language: Language, name: &str) -> Option<usize> {
    let scan = Scan::new(text, language, MAX_TOKENS as usize).ok()?;
    let is_name = |token: &Token<'_>| token.kind == Kind::Name(name);
    let declares = |pair: &&[Token<'_>]| {
        let before = matches!(pair[0].kind, Kind::Name(word) if !matches!(word, "return" | "else"))
            || pair[0].kind == Kind::Mark(b'>');
        before && is_name(&pair[1])
    };
    let declared = scan.text.windows(2).find(declares).map(|pair| pair[1].offset);
    declared
        .or_else(|| scan.text.iter().find(|token| is_name(token)).map(|token| token.offset))
        .map(|offset| offset as usize)
}

fn error(text: &str, offset: u32, detail: String) -> FrontendError {
    let place = SourcePosition::of_byte(text, offset as usize);
    FrontendError::new(ErrorCode::ReaderLimit, detail).in_source(place)
}

/// A limit that a text exceeds, and the byte where it does.
enum Excess {
    Depth(u32),
    Chain(u32),
    Tokens(u32),
}

/// How many tokens a piece of text stands for: so many, and so many times those of a macro's argument.
#[derive(Clone, Copy, Default)]
struct Size(u64, u64);

impl Size {
    fn plus(self, other: Size) -> Size {
        Size(self.0.saturating_add(other.0), self.1.saturating_add(other.1))
    }

    fn times(self, factor: u64) -> Size {
        Size(self.0.saturating_mul(factor), self.1.saturating_mul(factor))
    }

    /// This macro's size with an argument of the size `argument`.
    fn with(self, argument: Size) -> Size {
        Size(self.0, 0).plus(argument.times(self.1.max(1)))
    }
}

/// What the use of a name costs.
#[derive(Clone, Copy, Default)]
struct Cost {
    size: Size,
    /// Operators and brackets of a macro around its deepest place.
    depth: u32,
    /// Those that still lie around what follows the macro.
    tail: u32,
    /// Definitions other than macros, each of which needs the next.
    chain: u32,
    /// Whether it is a macro that a list of arguments follows.
    takes_arguments: bool,
    /// Whether elements of it may be meant.
    is_array: bool,
}

/// An open bracket and the statement in it.
#[derive(Default)]
struct Level {
    /// Operators of the statement so far.
    operators: u32,
    /// Arms of the `if` before the statement: each lies in the `else` of the one before.
    elses: u32,
    /// Whether commas separate elements, which do not lie around each other.
    list: bool,
    /// Whether it is a block or initializer in braces.
    braces: bool,
    /// Whether a statement has just ended.
    ended: bool,
    /// The macro whose arguments these are, and what it adds to the depth of them.
    call: Option<Cost>,
    size: Size,
    /// What macros do that are named without arguments: their arguments may be anything in these brackets.
    factor: u64,
}

impl Level {
    fn depth(&self) -> u32 {
        let call = self.call.map_or(0, |call| call.depth);
        self.operators.saturating_add(self.elses).saturating_add(call)
    }

    fn total(&self) -> Size {
        self.size.times(self.factor.max(1))
    }
}

struct Meter<'a> {
    scan: &'a Scan<'a>,
    /// Costs of names; `None` while one is being measured: a macro does not expand itself.
    costs: HashMap<&'a str, Option<Cost>>,
}

impl<'a> Meter<'a> {
    /// Measures a name and, before it, all that it is made of. Its own stack does not depend on the text.
    fn define(&mut self, name: &'a str) -> std::result::Result<(), Excess> {
        if self.costs.contains_key(name) {
            return Ok(());
        }
        self.costs.insert(name, None);
        // Names being measured, and how far each was looked through for other names.
        let mut open: Vec<(&'a str, usize, u32)> = vec![(name, 0, 0)];
        while let Some((name, body, token)) = open.last_mut() {
            let bodies = &self.scan.definitions[*name];
            let Some(Body { tokens, .. }) = bodies.get(*body) else {
                let cost = self.cost(bodies)?;
                self.costs.insert(name, Some(cost));
                open.pop();
                continue;
            };
            let at = tokens.start + *token as usize;
            if at >= tokens.end {
                (*body, *token) = (*body + 1, 0);
                continue;
            }
            *token += 1;
            if let Kind::Name(used) = self.scan.bodies[at].kind
                && self.scan.definitions.contains_key(used)
                && !self.costs.contains_key(used)
            {
                self.costs.insert(used, None);
                open.push((used, 0, 0));
            }
        }
        Ok(())
    }

    /// The cost of a name with these meanings: the largest of each.
    fn cost(&self, bodies: &[Body<'a>]) -> std::result::Result<Cost, Excess> {
        let mut most = Cost::default();
        for body in bodies {
            let tokens = &self.scan.bodies[Range::clone(&body.tokens)];
            let cost = self.measure(tokens, &body.parameters)?;
            let first = tokens.first().map_or(0, |token| token.offset);
            if cost.size.0 > MAX_TOKENS || cost.size.1 > MAX_TOKENS {
                return Err(Excess::Tokens(first));
            }
            let cost = match body.meaning {
                Meaning::Macro => cost,
                // What is copied lies beside the use, not in it; a function is not even copied.
                Meaning::Structure | Meaning::Constant => {
                    Cost { depth: 0, tail: 0, chain: cost.chain + 1, ..cost }
                }
                Meaning::Function => {
                    Cost { size: Size(1, 0), chain: cost.chain + 1, ..Cost::default() }
                }
            };
            most = Cost {
                size: Size(most.size.0.max(cost.size.0), most.size.1.max(cost.size.1)),
                depth: most.depth.max(cost.depth),
                tail: most.tail.max(cost.tail),
                chain: most.chain.max(cost.chain),
                takes_arguments: most.takes_arguments || !body.parameters.is_empty(),
                is_array: most.is_array || body.meaning == Meaning::Constant,
            };
            if most.chain > MAX_DEPTH {
                return Err(Excess::Chain(first));
            }
        }
        Ok(most)
    }

    /// Measures tokens. Where they are a macro's, `parameters` stand for its arguments.
    fn measure(
        &self,
        tokens: &[Token<'a>],
        parameters: &[&'a str],
    ) -> std::result::Result<Cost, Excess> {
        let mut levels = vec![Level::default()];
        // Depth of all levels but the last, and the greatest depth of all.
        let (mut outer, mut deepest, mut chain) = (0_u32, 0_u32, 0_u32);
        let mut pending: Option<Cost> = None;
        // A brace at the start is a structure's or an array's.
        let mut before = Kind::Mark(b'=');
        for (at, token) in tokens.iter().enumerate() {
            let last = levels.len() - 1;
            let level = &mut levels[last];
            let next = tokens.get(at + 1).map(|token| token.kind);
            if std::mem::take(&mut level.ended) && token.kind != Kind::Name("else") {
                level.elses = 0;
            }
            let mut used = 0;
            match token.kind {
                Kind::Name("else") => level.elses += 1,
                Kind::Name("do") => level.operators += 1,
                Kind::Name(name) if parameters.contains(&name) => {
                    level.size = level.size.plus(Size(0, 1));
                }
                Kind::Name(name) => match self.costs.get(name).copied().flatten() {
                    Some(cost) if cost.takes_arguments && next == Some(Kind::Mark(b'(')) => {
                        chain = chain.max(cost.chain);
                        pending = Some(cost);
                        used = cost.depth;
                    }
                    Some(cost) => {
                        chain = chain.max(cost.chain);
                        if cost.takes_arguments {
                            level.factor = level.factor.max(1).saturating_mul(cost.size.1.max(1));
                        }
                        let is_element = cost.is_array && next == Some(Kind::Mark(b'['));
                        let tokens = if is_element { 1 } else { cost.size.0 };
                        level.size = level.size.plus(Size(tokens, 0));
                        used = cost.depth;
                        level.operators = level.operators.saturating_add(cost.tail);
                    }
                    None => level.size = level.size.plus(Size(1, 0)),
                },
                Kind::Number => level.size = level.size.plus(Size(1, 0)),
                Kind::Mark(mark @ (b'(' | b'[' | b'{')) => {
                    level.operators += 1;
                    level.size = level.size.plus(Size(1, 0));
                    outer = outer.saturating_add(level.depth());
                    let call = pending.take().filter(|_| mark == b'(');
                    levels.push(Level {
                        list: is_list(mark, before),
                        braces: mark == b'{',
                        call,
                        ..Level::default()
                    });
                }
                Kind::Mark(b')' | b']' | b'}') if last > 0 => {
                    let inner = levels.pop().unwrap_or_default();
                    let level = &mut levels[last - 1];
                    outer = outer.saturating_sub(level.depth());
                    let size = match inner.call {
                        Some(call) => call.size.with(inner.total()),
                        None => inner.total(),
                    };
                    level.size = level.size.plus(size);
                    let tail = inner.call.map_or(0, |call| call.tail);
                    level.operators = level.operators.saturating_add(tail);
                    if inner.braces && !inner.list {
                        (level.operators, level.ended) = (0, true);
                    }
                }
                Kind::Mark(b';') => {
                    (level.size, level.factor) = (level.total(), 1);
                    // A `for` has its statements in parentheses.
                    (level.operators, level.ended) = (0, true);
                }
                Kind::Mark(b',') if level.list => {
                    level.size = level.size.plus(Size(1, 0));
                    level.operators = 0;
                }
                Kind::Mark(_) => {
                    level.size = level.size.plus(Size(1, 0));
                    level.operators += 1;
                }
            }
            let here = levels.last().map_or(0, Level::depth);
            deepest = deepest.max(outer.saturating_add(here).saturating_add(used));
            if deepest > MAX_DEPTH {
                return Err(Excess::Depth(token.offset));
            }
            before = token.kind;
        }
        let tail = levels.iter().map(Level::depth).fold(0, u32::saturating_add);
        let size = levels.iter().map(Level::total).fold(Size::default(), Size::plus);
        Ok(Cost { size, depth: deepest, tail, chain, ..Cost::default() })
    }
}

/// Whether what stands in a bracket is separated by commas: arguments, elements, an initializer.
fn is_list(mark: u8, before: Kind<'_>) -> bool {
    match mark {
        b'[' => true,
        b'(' => match before {
            Kind::Name("return" | "if" | "while" | "for" | "switch" | "case" | "else" | "do") => {
                false
            }
            Kind::Name(_) | Kind::Mark(b']' | b'>') => true,
            _ => false,
        },
        _ => matches!(before, Kind::Mark(b'=' | b',' | b'{' | b'(') | Kind::Name("return")),
    }
}

#[cfg(test)]
mod tests;
