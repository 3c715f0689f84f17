//! The numbers of an analysis by name: the columns of CSV, the rows of comparisons, and the names in budgets.

use crate::report::Analysis;

/// A number of an analysis.
pub struct Metric {
    /// The name.
    pub name: &'static str,
    /// What it is, with the unit.
    pub meaning: &'static str,
    /// Whether less is better; `None` if it is neither.
    pub less_is_better: Option<bool>,
    /// The number; `None` if the analysis does not have it.
    pub value: fn(&Analysis) -> Option<f64>,
}

const LESS: Option<bool> = Some(true);
const MORE: Option<bool> = Some(false);

const fn metric(
    name: &'static str,
    less_is_better: Option<bool>,
    meaning: &'static str,
    value: fn(&Analysis) -> Option<f64>,
) -> Metric {
    Metric { name, meaning, less_is_better, value }
}

fn some(number: u64) -> Option<f64> {
    Some(number as f64)
}

fn unit(analysis: &Analysis, name: &str) -> Option<f64> {
    some(analysis.units.iter().find(|unit| unit.unit == name).map_or(0, |unit| unit.busy))
}

/// All metrics.
#[rustfmt::skip]
pub const METRICS: &[Metric] = &[
    metric("cycles", LESS, "cycles of one thread", |a| some(a.cycles.thread)),
    metric("eu_cycles", LESS, "cycles of an EU with all its threads in use", |a| some(a.cycles.eu)),
    metric("cycles_per_invocation", LESS, "cycles of an EU for each invocation", |a| a.cycles.per_invocation),
    metric("stalled", LESS, "cycles of waiting of one thread", |a| some(a.cycles.stalled)),
    metric("shortest_path", None, "cycles of the shortest path", |a| some(a.cycles.shortest_path)),
    metric("longest_path", LESS, "cycles of the longest path", |a| some(a.cycles.longest_path)),
    metric("instructions", LESS, "instructions in the code", |a| some(a.code.instructions)),
    metric("executed", LESS, "executed instructions", |a| some(a.kinds.iter().fold(0, |sum, kind| sum.saturating_add(kind.executions)))),
    metric("bytes", LESS, "bytes of the code", |a| some(a.code.bytes)),
    metric("compacted_percent", MORE, "compacted instructions in percent", |a| Some(a.code.compacted_percent)),
    metric("registers", LESS, "registers that the code accesses", |a| some(a.registers.used.into())),
    metric("pressure", LESS, "registers in use at the same time", |a| a.registers.peak.as_ref().map(|peak| peak.registers.into())),
    metric("spills", LESS, "messages that store or load spilled registers", |a| some(a.spills.stores + a.spills.loads)),
    metric("spill_bytes", LESS, "bytes that spills move", |a| some(a.spills.bytes)),
    metric("messages", LESS, "messages in the code", |a| some(a.messages.iter().map(|group| group.instructions).sum())),
    metric("message_bytes", LESS, "bytes of registers that messages move", |a| some(a.messages.iter().fold(0, |sum, group| sum.saturating_add(group.sent_bytes).saturating_add(group.returned_bytes)))),
    metric("loops", None, "loops", |a| some(a.loops.len() as u64)),
    metric("occupancy", MORE, "threads that can be in use, in percent", |a| a.occupancy.as_ref().map(|occupancy| occupancy.percent)),
    metric("fpu", LESS, "busy cycles of the floating-point and integer pipe", |a| unit(a, "fpu")),
    metric("math", LESS, "busy cycles of the extended math pipe", |a| unit(a, "math")),
    metric("sampler", LESS, "busy cycles of the sampler", |a| unit(a, "sampler")),
    metric("pixel_interpolator", LESS, "busy cycles of the pixel interpolator", |a| unit(a, "pixel interpolator")),
    metric("urb", LESS, "busy cycles of the URB", |a| unit(a, "urb")),
    metric("data_cache", LESS, "busy cycles of the data cache's data port", |a| unit(a, "data cache")),
    metric("render_cache", LESS, "busy cycles of the render cache's data port, with render targets", |a| unit(a, "render cache")),
    metric("constant_cache", LESS, "busy cycles of the constant cache's data port", |a| unit(a, "constant cache")),
    metric("hints", LESS, "hints", |a| some(a.hints.len() as u64)),
];

/// The metric with a name.
pub fn metric_named(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

/// A number as text: without a fraction if it has none, otherwise with one decimal.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// A condition on a metric, such as `spills>0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// The name of the metric.
    metric: &'static str,
    order: Order,
    limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    GreaterEqual,
    LessEqual,
    Equal,
    NotEqual,
    Greater,
    Less,
}

/// The operators, the longer ones first.
const ORDERS: [(&str, Order); 6] = [
    (">=", Order::GreaterEqual),
    ("<=", Order::LessEqual),
    ("==", Order::Equal),
    ("!=", Order::NotEqual),
    (">", Order::Greater),
    ("<", Order::Less),
];

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// It has no operator.
    #[error("expected METRIC, one of > >= < <= == !=, and a number, such as spills>0")]
    NoOperator,
    /// There is no metric of this name.
    #[error("{0:?} is no metric")]
    Metric(String),
    /// The limit is no number.
    #[error("{0:?} is no number")]
    Number(String),
}

impl std::str::FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Budget, BudgetError> {
        let split = |(sign, order): &(&str, Order)| {
            let (name, limit) = text.split_once(sign)?;
            Some((name.trim(), *order, limit.trim()))
        };
        let (name, order, limit) = ORDERS.iter().find_map(split).ok_or(BudgetError::NoOperator)?;
        let metric = metric_named(name).ok_or_else(|| BudgetError::Metric(name.to_owned()))?.name;
        let number = limit.parse().ok().filter(|number: &f64| number.is_finite());
        let limit = number.ok_or_else(|| BudgetError::Number(limit.to_owned()))?;
        Ok(Budget { metric, order, limit })
    }
}

impl Budget {
    /// The line for a breach: the condition holds for an analysis. `None` if it does not hold, or the analysis does not have
    /// the number.
    pub fn breach(&self, analysis: &Analysis) -> Option<String> {
        let value = (metric_named(self.metric)?.value)(analysis)?;
        let holds = match self.order {
            Order::GreaterEqual => value >= self.limit,
            Order::LessEqual => value <= self.limit,
            Order::Equal => value == self.limit,
            Order::NotEqual => value != self.limit,
            Order::Greater => value > self.limit,
            Order::Less => value < self.limit,
        };
        let sign = ORDERS.iter().find(|(_, order)| *order == self.order).map_or("", |(s, _)| s);
        holds.then(|| {
            let (name, limit) = (self.metric, number(self.limit));
            format!("{}: {name} is {}: {name}{sign}{limit}", title(analysis), number(value))
        })
    }
}

/// The program in a few words: file, name, target and SIMD width.
pub fn title(analysis: &Analysis) -> String {
    let mut title = crate::text::printable(&analysis.file);
    if !analysis.name.is_empty() {
        title.push(' ');
        title.push_str(&crate::text::printable(&analysis.name));
    }
    title.push_str(&format!(" {}", analysis.target));
    if let Some(width) = analysis.simd_width {
        title.push_str(&format!(" SIMD{width}"));
    }
    title
}

/// A row for each analysis, after a row with the names of the columns.
pub fn csv(analyses: &[Analysis]) -> String {
    let quoted = |text: &str| {
        let text = crate::text::printable(text);
        if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
    };
    let mut out = String::from("file,name,target,stage,simd_width,threads,bound");
    for metric in METRICS {
        out.push(',');
        out.push_str(metric.name);
    }
    out.push('\n');
    for analysis in analyses {
        let optional = |number: Option<u64>| number.map_or(String::new(), |n| n.to_string());
        let mut row = vec![
            quoted(&analysis.file),
            quoted(&analysis.name),
            analysis.target.clone(),
            analysis.stage.clone().unwrap_or_default(),
            optional(analysis.simd_width.map(u64::from)),
            optional(analysis.measured.map(|measured| measured.threads)),
            analysis.bound.clone(),
        ];
        let value = |metric: &Metric| (metric.value)(analysis).map_or(String::new(), number);
        row.extend(METRICS.iter().map(value));
        out.push_str(&row.join(","));
        out.push('\n');
    }
    out
}

/// A metric before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The name of the metric.
    pub metric: &'static str,
    /// Before.
    pub old: f64,
    /// After.
    pub new: f64,
    /// Whether the new number is better; `None` if it is neither.
    pub is_better: Option<bool>,
}

/// The metrics in which two analyses differ.
pub fn changes(old: &Analysis, new: &Analysis) -> Vec<Change> {
    let change = |metric: &Metric| {
        let (old, new) = ((metric.value)(old)?, (metric.value)(new)?);
        let is_better = metric.less_is_better.map(|less| (new < old) == less);
        (old != new).then_some(Change { metric: metric.name, old, new, is_better })
    };
    METRICS.iter().filter_map(change).collect()
}

/// The analysis among `old` that corresponds to `new`: the one with the same name, stage and SIMD width; otherwise with the
/// same stage and width; otherwise with the same stage; otherwise the only one.
pub fn counterpart<'a>(old: &'a [Analysis], new: &Analysis) -> Option<&'a Analysis> {
    let stage = |a: &&Analysis| a.stage == new.stage;
    let width = |a: &&Analysis| a.simd_width == new.simd_width;
    let name = |a: &&Analysis| a.name == new.name;
    old.iter()
        .find(|a| name(a) && stage(a) && width(a))
        .or_else(|| old.iter().find(|a| stage(a) && width(a)))
        .or_else(|| old.iter().find(stage))
        .or(if let [only] = old { Some(only) } else { None })
}

/// The changes of each analysis as text.
pub fn comparison(old: &[Analysis], new: &[Analysis]) -> String {
    let mut out = String::new();
    for analysis in new {
        let Some(before) = counterpart(old, analysis) else {
            out.push_str(&format!("{}: nothing to compare with\n", title(analysis)));
            continue;
        };
        out.push_str(&format!("{}, before: {}\n", title(analysis), title(before)));
        let changes = changes(before, analysis);
        if changes.is_empty() {
            out.push_str("  no difference\n");
        }
        for Change { metric, old, new, is_better } in changes {
            let percent = match old {
                0.0 => String::new(),
                old => format!("{:+.1} %", (new - old) / old.abs() * 100.0),
            };
            let verdict = match is_better {
                Some(true) => "better",
                Some(false) => "worse",
                None => "",
            };
            let line = format!(
                "  {metric:<22}{:>14}{:>14}{percent:>12}  {verdict}",
                number(old),
                number(new)
            );
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}
