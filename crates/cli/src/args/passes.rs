//! Names of passes, and the word that is nearest to a wrong one.

/// The name of a pass, or `all`.
pub(super) fn print_pass(text: &str) -> Result<String, String> {
    let known = text == "all" || crestline::passes().any(|pass| pass.name == text);
    if known { Ok(text.to_owned()) } else { Err(unknown_pass(text, |_| true)) }
}

/// The name of a pass that may be left out.
pub(super) fn skipped_pass(text: &str) -> Result<String, String> {
    match crestline::passes().find(|pass| pass.name == text) {
        Some(pass) if pass.optional => Ok(text.to_owned()),
        Some(_) => Err("this pass is required for correct code: expected one of opt_*".to_owned()),
        None => Err(unknown_pass(text, |pass| pass.optional)),
    }
}

/// Why a name is no pass, with the nearest name among those that are allowed.
fn unknown_pass(text: &str, allowed: fn(&crestline::PassInfo) -> bool) -> String {
    let names = crestline::passes().filter(allowed).map(|pass| pass.name);
    let nearest = nearest(text, names);
    format!("no pass has this name: did you mean {nearest}? --list-passes lists them")
}

/// The word that is most similar to a text.
pub(crate) fn nearest<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> &'a str {
    words.min_by_key(|word| distance(text, word)).unwrap_or_default()
}

/// How many letters must be added, left out or replaced to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
