//! Removes exits that do not change where control goes, and moves code so that fewer exits remain.
//!
//! ```text
//! labelled 1 { if c { exit 1 } else { A } }           ->  if c { } else { A }
//! if c { A; exit RETURN } else { B }  C; exit RETURN  ->  if c { A } else { B; C }
//! ```

use super::{Exit, Label, Node, Seq, any_exit, completes, contains};

/// Depth of nesting up to which code after an `if` moves into the `if`; it limits the recursion.
const MAX_SINK: usize = 64;

/// The exits that are redundant at the end of a sequence, because control reaches their targets without them: a linked
/// list, innermost exit first.
#[derive(Clone, Copy)]
struct Falls<'a> {
    exit: Exit,
    outer: Option<&'a Falls<'a>>,
}

impl Falls<'_> {
    fn has(&self, exit: Exit) -> bool {
        self.exit == exit || self.outer.is_some_and(|o| o.has(exit))
    }
}

/// Tidies the code of a function; `label` is the label at its end.
pub(super) fn tidy(seq: Seq, label: Label) -> Seq {
    tidy_seq(seq, Some(&Falls { exit: Exit::Label(label), outer: None }), 0)
}

/// Tidies a sequence. `falls` are the exits that are redundant at its end, `depth` is its nesting.
fn tidy_seq(seq: Seq, falls: Option<&Falls<'_>>, depth: usize) -> Seq {
    let mut out = Vec::with_capacity(seq.len());
    let mut rest = seq.into_iter();
    while let Some(mut node) = rest.next() {
        if rest.len() > 0 && depth < MAX_SINK && sinks(&node) {
            node = sink(node, rest.by_ref().collect());
        }
        let falls = if rest.len() == 0 { falls } else { None };
        tidy_node(node, falls, depth + 1, &mut out);
    }
    out
}

/// Tidies a node and appends the result to `out`: redundant exits and labels without exits are removed.
fn tidy_node(node: Node, falls: Option<&Falls<'_>>, depth: usize, out: &mut Seq) {
    match node {
        Node::Exit(exit) if falls.is_some_and(|f| f.has(exit)) => {}
        Node::If { cond, then, else_ } => {
            let then = tidy_seq(then, falls, depth);
            let else_ = tidy_seq(else_, falls, depth);
            out.push(Node::If { cond, then, else_ });
        }
        Node::Labelled { label, body } => {
            let end = Falls { exit: Exit::Label(label), outer: falls };
            let body = tidy_seq(body, Some(&end), depth);
            if contains(&body, Exit::Label(label)) {
                out.push(Node::Labelled { label, body });
            } else {
                out.extend(body);
            }
        }
        Node::Loop { id, body, continuing } => {
            let end = Falls { exit: Exit::Continue(id), outer: None };
            let body = tidy_seq(body, Some(&end), depth);
            let continuing = tidy_seq(continuing, None, depth);
            out.push(Node::Loop { id, body, continuing });
        }
        other => out.push(other),
    }
}

/// If `node` is an `if`, or labelled code that consists of one `if` only: its two sides, and for each side whether
/// control can get from it to the code after `node`.
fn sides(node: &Node) -> Option<([&Seq; 2], [bool; 2])> {
    let (label, inner) = match node {
        Node::Labelled { label, body } => match body.as_slice() {
            [inner] => (Some(*label), inner),
            _ => return None,
        },
        _ => (None, node),
    };
    let Node::If { then, else_, .. } = inner else { return None };
    let reaches =
        |seq: &Seq| completes(seq) || label.is_some_and(|l| contains(seq, Exit::Label(l)));
    Some(([then, else_], [reaches(then), reaches(else_)]))
}

/// Whether `node` is an `if` of which exactly one side reaches the code after it, while the other contains an exit to a
/// label. Such an exit needs a loop unless [`sink`] makes it redundant.
fn sinks(node: &Node) -> bool {
    let is_label = |exit: Exit| matches!(exit, Exit::Label(_));
    match sides(node) {
        Some(([_, else_], [true, false])) => any_exit(else_, &is_label),
        Some(([then, _], [false, true])) => any_exit(then, &is_label),
        _ => false,
    }
}

/// Moves `rest`, the code after the `if`, to the end of the side from which control reaches it.
fn sink(node: Node, rest: Seq) -> Node {
    let then_goes_on = sides(&node).is_some_and(|(_, [then, _])| then);
    let (label, inner) = match node {
        Node::Labelled { label, mut body } if body.len() == 1 => (Some(label), body.remove(0)),
        other => (None, other),
    };
    let Node::If { cond, mut then, mut else_ } = inner else { return inner };
    let side = if then_goes_on { &mut then } else { &mut else_ };
    let mut code = std::mem::take(side);
    if let Some(label) = label {
        code = vec![Node::Labelled { label, body: code }];
    }
    code.extend(rest);
    *side = code;
    Node::If { cond, then, else_ }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Cond, RETURN};

    fn when(then: Seq, else_: Seq) -> Node {
        Node::If { cond: Cond::Value(1), then, else_ }
    }

    #[test]
    fn an_early_return_becomes_an_else() {
        let exit = Node::Exit(Exit::Label(RETURN));
        let guard = Node::Labelled {
            label: 1,
            body: vec![when(vec![exit.clone()], vec![Node::Exit(Exit::Label(1))])],
        };
        let tidied = tidy(vec![Node::Block(0), guard, Node::Block(1), exit], RETURN);
        assert_eq!(tidied, vec![Node::Block(0), when(vec![], vec![Node::Block(1)])]);
    }

    #[test]
    fn an_exit_from_two_levels_keeps_its_label() {
        let exit = || Node::Exit(Exit::Label(1));
        let inner = when(vec![exit()], vec![]);
        let outer = when(vec![inner, Node::Block(2)], vec![]);
        let code = vec![Node::Labelled { label: 1, body: vec![outer, Node::Block(3)] }];
        let tidied = tidy(code, RETURN);
        assert!(matches!(&tidied[..], [Node::Labelled { label: 1, .. }]), "{tidied:?}");
    }

    #[test]
    fn loop_exits_stay_where_they_are() {
        let body = vec![when(vec![Node::Exit(Exit::Break(0))], vec![]), Node::Block(1)];
        let code = vec![Node::Loop { id: 0, body, continuing: vec![] }];
        assert_eq!(tidy(code.clone(), RETURN), code);
    }
}
