//! Limits on source text, checked before a parser reads it.
//!
//! The parsers (`naga`, `glslang`) recurse over expressions and types, and copy the contents of macros and constant
//! arrays at each use. So a short text can exhaust any stack, memory or time. The functions here estimate that from the
//! tokens, without a grammar: the size of the text, the depth to which brackets and operators nest ([`MAX_DEPTH`]), and
//! the number of tokens after each use of a macro, structure or constant array is replaced by its definition
//! ([`MAX_TOKENS`]). The estimates are upper bounds for ordinary code, and do not depend on the machine. They do not
//! cover names that macros compose with `##`, nor arrays of great length; the command line therefore runs parsers in a
//! separate process with limits on memory and time.
//!
//! [`Scan`] splits the text into tokens and finds the definitions of names. [`Meter`] computes a [`Cost`] for each
//! definition, from those of the names that it uses, and then for the whole text.

mod scan;

use std::ops::Range;

use hashbrown::HashMap;

use crate::Language;
use crate::error::{ErrorCode, FrontendError, Result, SourcePosition};
use scan::{Body, Kind, Meaning, Scan, Token};

/// The most bytes of a source text.
const MAX_BYTES: usize = 4 << 20;
/// The most tokens of a source text after expansion of macros, structures and constant arrays.
const MAX_TOKENS: u64 = 1 << 20;
/// The most operators and brackets that enclose a token. Chains count as nested: a sum of n terms is a tree of depth n.
const MAX_DEPTH: u32 = 4096;

/// Checks that a text cannot exhaust a parser's stack, memory or time.
///
/// # Errors
/// [`ErrorCode::ReaderLimit`] with the limit and, if one place exceeds it, the line.
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

/// The byte offset where a name is probably declared (there is no grammar): the first occurrence after another name
/// (a type, or a word such as `var`) or after `>`; if there is none, the first occurrence.
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

/// A limit that a text exceeds, and the byte offset of the excess.
enum Excess {
    Depth(u32),
    Chain(u32),
    Tokens(u32),
}

/// The number of tokens of a piece of text after expansion: the first number, plus the second number times the tokens
/// of a macro's argument.
#[derive(Clone, Copy, Default)]
struct Size(u64, u64);

impl Size {
    fn plus(self, other: Size) -> Size {
        Size(self.0.saturating_add(other.0), self.1.saturating_add(other.1))
    }

    fn times(self, factor: u64) -> Size {
        Size(self.0.saturating_mul(factor), self.1.saturating_mul(factor))
    }

    /// The size of a use of this macro, with an argument of the size `argument`.
    fn with(self, argument: Size) -> Size {
        Size(self.0, 0).plus(argument.times(self.1.max(1)))
    }
}

/// What one use of a name adds to the estimates.
#[derive(Clone, Copy, Default)]
struct Cost {
    size: Size,
    /// The most operators and brackets in a macro's body that enclose one of its tokens.
    depth: u32,
    /// Operators and open brackets at the end of the macro's body. They enclose the tokens after the use, too.
    tail: u32,
    /// Length of the longest chain of definitions (other than macros) in which each uses the next.
    chain: u32,
    /// Whether it is a macro with parameters.
    takes_arguments: bool,
    /// Whether it is a constant array or structure. An element `name[i]` counts as one token.
    is_array: bool,
}

/// An open bracket and the statement in it.
#[derive(Default)]
struct Level {
    /// Operators of the current statement so far.
    operators: u32,
    /// Number of `else`s before the statement: each branch of an `else if` chain nests in the `else` of the one before.
    elses: u32,
    /// Whether commas separate elements. An operator of one element does not enclose the next element.
    list: bool,
    /// Whether it is a block or initializer in braces.
    braces: bool,
    /// Whether a statement has just ended.
    ended: bool,
    /// The cost of the macro if the bracket contains a macro's arguments.
    call: Option<Cost>,
    size: Size,
    /// Product of the argument counts of macros that are named here without an argument list (for instance passed to
    /// another macro). Their arguments may be anything in this bracket, so its size is multiplied by the factor.
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
    /// Costs of names; `None` while the cost of a name is being computed, because a macro does not expand itself.
    costs: HashMap<&'a str, Option<Cost>>,
}

impl<'a> Meter<'a> {
    /// Computes the cost of a name, after the costs of all names that its definitions use. An explicit stack replaces
    /// recursion, so that the text cannot exhaust the stack.
    fn define(&mut self, name: &'a str) -> std::result::Result<(), Excess> {
        if self.costs.contains_key(name) {
            return Ok(());
        }
        self.costs.insert(name, None);
        // The names whose cost is being computed; per name the definition and the token that are examined next.
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

    /// The cost of a name with these definitions: the largest of each component.
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
                // A copied structure or constant is not nested in the expression that uses it. A function is not
                // copied.
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

    /// Computes the cost of tokens in one pass, with a stack of the open brackets. The depth of a token is the number of
    /// open brackets, plus the operators and `else`s so far in the unfinished statements and list elements around it:
    /// without a grammar, each operator may enclose everything after it. `parameters` are the names of the parameters
    /// if the tokens are a macro's body.
    fn measure(
        &self,
        tokens: &[Token<'a>],
        parameters: &[&'a str],
    ) -> std::result::Result<Cost, Excess> {
        let mut levels = vec![Level::default()];
        // The depth of all levels but the last, the greatest depth so far, and the longest chain so far.
        let (mut outer, mut deepest, mut chain) = (0_u32, 0_u32, 0_u32);
        // The macro whose argument list starts at the next token.
        let mut pending: Option<Cost> = None;
        // An open brace as first token starts the body of a structure or an array, as if after `=`.
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
                    // No bracket is closed: `;` also separates the parts of a `for` in parentheses.
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

/// Whether commas separate the contents of a bracket: arguments, elements, an initializer. `before` is the token
/// before the bracket.
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
